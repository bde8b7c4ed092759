"""What respondents read, and the form by hand."""
