"""Maintenance of a store (audit, backup, restore), and the figures of a running survey."""
