"""Implement the published methods for private trees, and the project's method, each in its own module."""
