"""Grow classification trees from estimated counts: candidate splits, criteria, pruning."""
