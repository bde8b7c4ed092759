"""``python -m miner``: the command, from its first line on ended quietly by Ctrl-C."""

from collector.commands.interruption import begun


def run() -> None:
    """Run the command."""
    begun(_command)


def _command() -> None:
    from miner.postponed import postpone  # noqa: PLC0415 - what is imported now may be interrupted

    postpone()
    from miner.cli import main  # noqa: PLC0415 - likewise

    main(prog_name="miner")


if __name__ == "__main__":
    run()
