"""Responses as CSV and JSON lines."""
