"""Compute figures from weighted responses: shares, ratios and their differences, with standard errors and intervals."""
