"""The words that show the values of questions in each language of a survey."""
