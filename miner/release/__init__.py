"""Central differential privacy: noise, the published tree families and our own, and what a release says of itself."""
