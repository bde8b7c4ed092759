"""Whether what the commands print comes true: intervals, spreads, planned errors and foretold accuracies."""
