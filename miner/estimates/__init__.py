"""Population estimates from disguised responses: frequencies, tables, comparisons, regressions, rules."""
