"""The one language of conditions: read, written, and what it means for the questions of a survey."""
