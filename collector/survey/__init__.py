"""The published design."""
