"""Maintenance of a store: audit, backup and restore, and the figures that may be shown while a survey runs."""
