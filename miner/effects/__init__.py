"""Fit effects of answers on the log odds of a class, by the likelihood of disguised responses."""
