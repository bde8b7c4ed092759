"""The check of a survey's page on a server against the files of this installation."""
