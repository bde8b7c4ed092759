"""Disguised responses in memory, and conditions on their answers."""
