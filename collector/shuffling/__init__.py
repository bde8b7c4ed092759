"""The central epsilon of a multiset of disguised responses (shuffling). Begin with `two_values` and `clones`."""
