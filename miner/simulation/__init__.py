"""Simulated respondents."""
