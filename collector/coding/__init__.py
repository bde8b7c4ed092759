"""Codings, which map the values of each question to codes."""
