"""Boosted trees by the likelihood of disguised responses."""
