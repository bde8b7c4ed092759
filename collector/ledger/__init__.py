"""The ledger of disclosures from trusted data, which is charged before data are read.

Only the miner uses the ledger.
"""
