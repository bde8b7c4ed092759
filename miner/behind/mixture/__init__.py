"""A model of P(all answers): a mixture of latent classes."""
