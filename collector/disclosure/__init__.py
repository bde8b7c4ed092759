"""The information that a response discloses: posteriors, epsilon, precision of estimates, and remarks on a design."""
