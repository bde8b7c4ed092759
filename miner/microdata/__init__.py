"""Hand responses out as tables for other statistical programs."""
