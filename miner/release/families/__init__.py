"""Implement published methods of releasing differentially private trees, and a method of this project."""
