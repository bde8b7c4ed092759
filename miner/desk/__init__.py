"""Show a running survey to its owner on a page (the desk) for this machine only.

The figures are computed in `miner.desk.desk`, and the application is in `miner.desk.app`.
"""
