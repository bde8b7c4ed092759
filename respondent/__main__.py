"""Run the command with ``python -m respondent``. Ctrl-C ends the command without a traceback at any moment."""

from collector.commands.interruption import begun


def run() -> None:
    """Run the command ``respondent``."""
    begun(_command)


def _command() -> None:
    from respondent.cli import main  # noqa: PLC0415 - what is imported now may be interrupted

    main(prog_name="respondent")


if __name__ == "__main__":
    run()
