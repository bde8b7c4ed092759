"""Estimate from respondents who are a sample of a population: sampling weights, strata, clusters, raking."""
