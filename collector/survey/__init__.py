"""The published design of a survey, with its questions, screens, groups, study card and texts."""
