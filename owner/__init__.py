"""Pages for the owner of a survey, on this machine only: guarded alike, and served alike. Begin with `guarded`."""
