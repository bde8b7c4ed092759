"""Model P(all answers) by a mixture of latent classes."""
