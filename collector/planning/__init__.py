"""Precision and privacy to expect of a survey before it is asked. Begin with `expectations`."""
