"""A store as a whole file: what its bytes hold, its backup, its restoration."""
