"""Answers to codes."""
