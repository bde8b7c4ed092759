"""Drafts of survey files from tables of undisguised answers, with the points that a person has to decide."""
