"""Compute the expected precision and accuracy of a design, before data are collected."""
