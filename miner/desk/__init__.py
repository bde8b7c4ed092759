"""Show a running survey to its owner on a page (the desk) for this machine only."""
