"""The language of conditions: it is read, written, and applied to the questions of a survey."""
