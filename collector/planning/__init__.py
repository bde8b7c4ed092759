"""Expected precision and privacy of a survey before it is asked. Start with the module `expectations`."""
