"""Storage of disguised answers."""
