"""The survey file in TOML: it is read, checked, compiled and written."""
