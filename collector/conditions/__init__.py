"""The language of conditions on the questions of a survey."""
