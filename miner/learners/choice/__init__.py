"""Comparison of classifiers on held-out disguised responses, and the choice among them. Begin with `chooser`."""
