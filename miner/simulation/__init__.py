"""Simulate respondents and their responses."""
