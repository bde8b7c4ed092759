"""Access to the databases that hold a store, SQLite and PostgreSQL: connections, turns of writers, digests."""
