"""The weights of a response for an event: the inverse weights of its channels."""
