"""How a group of questions is disguised."""
