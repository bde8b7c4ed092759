"""Attacks on published tree models: what they disclose about the people in the training data."""
