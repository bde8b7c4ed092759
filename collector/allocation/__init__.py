"""The choice of each question's coding and channel, given an epsilon."""
