"""The central epsilon of shuffled disguised responses. Start with the modules `two_values` and `clones`."""
