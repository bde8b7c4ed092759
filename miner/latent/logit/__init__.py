"""P(class given the other answers): a logit."""
