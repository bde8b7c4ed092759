"""SQLite and PostgreSQL beneath the store: connections, turns to write, digests."""
