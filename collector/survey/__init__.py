"""The published design of a survey: questions, screens, groups, study card and texts."""
