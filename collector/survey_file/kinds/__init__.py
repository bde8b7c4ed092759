"""Question kinds of the survey file, each an object: what its tables become, and the table of what was compiled."""
