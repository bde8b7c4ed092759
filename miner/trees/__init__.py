"""Growth of a classification tree: estimated counts, candidate splits, criteria, pruning."""
