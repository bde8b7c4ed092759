"""Release models from trusted tables under central differential privacy: noise, model families, privacy statements."""
