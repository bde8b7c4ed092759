"""Where disguised answers rest."""
