"""The check of a survey's page on a server, by comparison with the files of this installation."""
