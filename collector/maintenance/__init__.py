"""Maintenance of a store: audit of its file, backup, restore; and what may be shown of a survey that runs."""
