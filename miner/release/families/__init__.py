"""The published methods of private trees, and ours: one module a method."""
