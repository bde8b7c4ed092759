"""Views of the survey that is designed: the respondent's page, a draft to show, the routes, and the file."""
