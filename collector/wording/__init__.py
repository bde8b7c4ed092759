"""The words of answers: how a value of a question reads in each language of a survey."""
