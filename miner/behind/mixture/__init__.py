"""Model the joint distribution of all answers by a mixture of latent classes."""
