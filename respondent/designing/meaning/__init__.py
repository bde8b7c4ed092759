"""Sentences that explain a design to people. Start with the modules `sentences` and `presets`."""
