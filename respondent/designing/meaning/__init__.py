"""Sentences that explain the design of a survey to people."""
