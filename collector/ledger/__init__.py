"""The ledger of disclosures from trusted data, charged before the data are read. Only the miner uses it."""
