"""Compare classifiers on held-out disguised responses, and choose among them.

The main module is `miner.learners.choice.chooser`.
"""
