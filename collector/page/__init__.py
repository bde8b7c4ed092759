"""The respondent's page as a server gives it out, compared with the files of this installation."""
