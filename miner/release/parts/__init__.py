"""Components that several methods use: growth, scores, selection, shrinkage."""
