"""The intake: it reads, checks and stores what respondents send."""
