"""Disclosure by a response: posteriors, epsilon, precision, lints."""
