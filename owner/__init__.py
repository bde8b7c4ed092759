"""Pages for the owner of a survey, available on this machine only. Begin with `guarded`."""
