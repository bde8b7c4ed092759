"""How good a classifier is on answers that were never seen, from disguised test responses. Begin with `measures`."""
