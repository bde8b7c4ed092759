"""The disguise of a group of questions."""
