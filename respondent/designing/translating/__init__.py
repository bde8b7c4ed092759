"""Languages of a survey that is designed. Begin with `languages`."""
