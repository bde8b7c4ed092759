"""Estimate accuracy, AUC and importances of a classifier from disguised test responses.

The main function is `miner.evaluation.measures.evaluate`.
"""
