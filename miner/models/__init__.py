"""Model files, and training in a mode."""
