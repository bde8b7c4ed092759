"""Grow the Random Response Forest: packed rows, compiled growth, votes.

The classifier with the interface of scikit-learn is in `miner.learners.forest`.
"""
