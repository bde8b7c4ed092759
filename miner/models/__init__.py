"""Train models, and write and read model files."""
