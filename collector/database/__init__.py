"""Access to the databases (SQLite or PostgreSQL) that hold a store: connections, turns of writers, and digests."""
