"""A report: one HTML file with all results of a survey. Begin with `findings`, then `page`."""
