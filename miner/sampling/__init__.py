"""The respondents as a sample of a population: sampling weights, strata, clusters, raking."""
