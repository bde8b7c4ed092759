"""The choice of codings and channels for the questions of a survey, given an epsilon."""
