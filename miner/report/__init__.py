"""A report worth showing: one HTML file with everything a survey has told. Begin with `findings`, then `page`."""
