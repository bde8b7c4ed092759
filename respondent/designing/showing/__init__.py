"""Views of the designed survey: its page, a draft for others, who is asked what, and the lines of the file."""
