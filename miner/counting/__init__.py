"""Responses in blocks, wherever these are: what is counted is summed over them."""
