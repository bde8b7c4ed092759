"""Attack published tree models, to show what they disclose about the people in the training data."""
