"""Run the command ``collector`` with ``python -m collector``, and let Ctrl-C end it without a traceback."""

from collector.commands.interruption import begun


def run() -> None:
    """Run the command ``collector``."""
    begun(_command)


def _command() -> None:
    from collector.cli import main  # noqa: PLC0415 - what is imported now may be interrupted

    main(prog_name="collector")


if __name__ == "__main__":
    run()
