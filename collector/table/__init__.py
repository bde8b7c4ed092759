"""Tables of responses (CSV, JSON lines, Parquet), and tables of undisguised answers."""
