"""Apply channels to arrays of codes, with one class for each kind of replacement."""
