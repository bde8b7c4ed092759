"""The subcommands of ``collector``, and what every command shares."""
