"""The mixture behind the responses: fitted by EM, asked for plain rows, and turned on the coins. Begin with `model`."""
