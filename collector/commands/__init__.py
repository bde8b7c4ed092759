"""The subcommands of ``collector``, and the code that all commands share."""
