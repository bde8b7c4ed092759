"""Run the scheduled job, which trains if there are enough new responses, and promotes models that are not worse.

The main module is `miner.retrain.job`.
"""
