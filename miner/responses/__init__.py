"""Disguised codes in memory, and what may be asked of them."""
