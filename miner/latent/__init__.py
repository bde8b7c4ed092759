"""Models of the answers behind the responses: mixture and logit, imputation, inference attacks. Begin with `model`."""
