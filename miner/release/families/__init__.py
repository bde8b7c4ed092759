"""The published methods for private trees, and ours: one module for each method."""
