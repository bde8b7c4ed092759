"""The disguise of a group of questions: channels, coins and replacements."""
