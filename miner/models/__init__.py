"""Model files, and the training of models."""
