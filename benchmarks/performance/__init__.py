"""Seconds and memory of whole commands."""
