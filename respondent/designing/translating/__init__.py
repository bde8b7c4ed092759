"""Languages and translations of the designed survey. Start with the module `languages`."""
