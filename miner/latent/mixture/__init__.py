"""The mixture behind the questions."""
