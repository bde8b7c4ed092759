"""The effect of a channel on arrays of codes, with one class for each replacement, found by its name."""
