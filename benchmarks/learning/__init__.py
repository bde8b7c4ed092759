"""Learners on disguised responses, compared by the protocol of the papers."""
