"""Provide classifiers with the interface of scikit-learn."""
