"""Provide components of release methods: growth of trees, split scores, selection, shrinkage."""
