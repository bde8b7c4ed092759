"""The miner's subcommands, by what they are about; `miner.cli` puts them together."""
