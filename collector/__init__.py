"""The published design, and where disguised answers rest."""
