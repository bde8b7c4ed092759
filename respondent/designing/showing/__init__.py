"""Views of the designed survey: the respondent's page, a draft to show, the routes, and the lines of the file."""
