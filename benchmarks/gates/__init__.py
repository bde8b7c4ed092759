"""What a redesign must not change: two commits side by side, and the names that are gone."""
