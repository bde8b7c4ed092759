"""The TOML file of a survey: read, checked, compiled, written."""
