"""What the methods share: growth, scores, selection, shrinkage."""
