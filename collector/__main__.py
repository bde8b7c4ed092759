"""Run the command with ``python -m collector``. Ctrl-C ends the command without a traceback at any moment."""

from collector.commands.interruption import begun


def run() -> None:
    """Run the command ``collector``."""
    begun(_command)


def _command() -> None:
    from collector.cli import main  # noqa: PLC0415 - what is imported now may be interrupted

    main(prog_name="collector")


if __name__ == "__main__":
    run()
