"""Accuracy, AUC and importances of a classifier, estimated from disguised test responses. Begin with `measures`."""
