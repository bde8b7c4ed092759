"""Provide components that several methods use: growth, scores, selection, shrinkage."""
