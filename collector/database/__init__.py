"""SQLite beneath the store: connections, tables, turns to write, digests."""
