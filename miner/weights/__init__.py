"""What a response counts for an event: the inverse weights of its channels."""
