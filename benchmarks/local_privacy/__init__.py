"""Shares, pairs and trees at an epsilon for each respondent, beside the packages that do the same."""
