"""Run the command with ``python -m respondent``. Ctrl-C ends it without a traceback at any moment."""

from collector.commands.interruption import begun


def run() -> None:
    """Run the command."""
    begun(_command)


def _command() -> None:
    from respondent.cli import main  # noqa: PLC0415 - what is imported now may be interrupted

    main(prog_name="respondent")


if __name__ == "__main__":
    run()
