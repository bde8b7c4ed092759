"""Compare classifiers on held-out disguised responses, and choose among them."""
