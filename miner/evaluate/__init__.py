"""How good any classifier is on answers that nobody has, from disguised test responses. Begin with `measures`."""
