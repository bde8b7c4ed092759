"""The meaning of a design for people, in sentences computed from it. Begin with `sentences`, then `presets`."""
