"""One tree for every system: counts at its nodes, ways to split, what judges a split, growth and pruning."""
