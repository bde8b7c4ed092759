"""Languages and translations of the designed survey."""
