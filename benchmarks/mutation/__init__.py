"""Mutation testing: small changes to the code, one at a time, each of which some test has to notice."""
