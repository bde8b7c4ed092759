"""Write a report: one HTML file with all results of a survey.

The content is computed in `miner.reporting.findings` and laid out in `miner.reporting.page`.
"""
