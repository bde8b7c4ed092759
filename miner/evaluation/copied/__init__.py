"""Signed copies of the parts of a response, and exact sums over all of them."""
