"""Central epsilon of a multiset of disguised responses (shuffling). Begin with `two_values`, `clones`."""
