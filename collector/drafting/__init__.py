"""Drafts of survey files from tables of plain answers, and the points that a person has to decide."""
