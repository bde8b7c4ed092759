"""Pages for respondents, and the form by hand."""
