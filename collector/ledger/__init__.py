"""The ledger of disclosures from trusted data. The cost of a release is recorded before data are read.

Only the miner uses the ledger.
"""
