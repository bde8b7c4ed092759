"""Define the subcommands of ``miner``, grouped by subject."""
