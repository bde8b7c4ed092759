"""Compute the weights of a response for an event from the inverse weights of its channels."""
