"""The words of answers, that is, how a value of a question reads in each language of a survey."""
