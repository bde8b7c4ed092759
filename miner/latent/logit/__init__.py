"""The logit of the class given the questions."""
