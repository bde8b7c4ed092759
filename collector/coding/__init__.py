"""Codings: the map from values to codes of each question."""
