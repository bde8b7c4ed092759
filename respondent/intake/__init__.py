"""The intake, which reads, checks and stores the responses that respondents send."""
