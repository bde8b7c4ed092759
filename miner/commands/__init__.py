"""Define the subcommands of ``miner``, grouped by subject. `miner.cli` registers them."""
