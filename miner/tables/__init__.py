"""Estimate shares, means, totals and quantiles by group, and trends over waves."""
