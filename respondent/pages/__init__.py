"""Pages for respondents, and the form for disguising by hand."""
