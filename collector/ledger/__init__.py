"""Disclosures of trusted data, charged before the data are read. Only the miner uses the ledger."""
