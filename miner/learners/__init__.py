"""Classifiers with the manners of scikit-learn."""
