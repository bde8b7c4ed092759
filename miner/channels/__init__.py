"""What a channel does to arrays of codes: one class for each replacement, found by its name."""
