"""The pages that respondents read, and the form by hand."""
