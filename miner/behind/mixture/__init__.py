"""P(all answers): a mixture of latent classes."""
