"""The choice of the coding and the channel of each question, given an epsilon."""
