"""Drafts of survey files from tables of undisguised answers, with doubts that a person has to settle."""
