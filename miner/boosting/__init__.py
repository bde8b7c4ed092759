"""Grow boosted trees by the likelihood of disguised responses."""
