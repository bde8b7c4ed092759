"""Real tables: as a survey would have asked them, as coded bits, and as a trusted collector would describe them."""
