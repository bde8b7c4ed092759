"""What a response tells: posteriors, epsilon, precision, lints."""
