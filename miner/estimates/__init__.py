"""What disguised responses say about everybody, beyond single frequencies: tables, comparisons, regression, rules."""
