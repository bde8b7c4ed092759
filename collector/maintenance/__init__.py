"""Maintenance of a store: audit of its file, backup, restore."""
