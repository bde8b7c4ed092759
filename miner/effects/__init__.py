"""Effects of answers on the log odds of a class, fitted by the likelihood of the rows behind responses."""
