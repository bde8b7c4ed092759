"""Reading, checking, compiling and writing of survey files in TOML."""
