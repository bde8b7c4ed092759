"""Pages for the owner of a survey, which are available only on this machine. Start with the module `guarded`."""
