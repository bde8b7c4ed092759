"""Survey files drafted from tables of plain answers, and what has to be asked about them."""
