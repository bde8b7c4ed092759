"""Run the command ``miner`` with ``python -m miner``, and let Ctrl-C end it without a traceback."""

import sys
from importlib.util import find_spec

from collector.commands.interruption import begun
from miner import WITHOUT_LIBRARIES


def run() -> None:
    """Run the ``miner`` command."""
    begun(_command)


def _command() -> None:
    if find_spec("numpy") is None:
        print(f"miner: {WITHOUT_LIBRARIES}", file=sys.stderr)  # noqa: T201 - the command has not begun
        raise SystemExit(2)
    from miner.postponed import postpone  # noqa: PLC0415 - what is imported now may be interrupted

    postpone()
    from miner.cli import main  # noqa: PLC0415 - likewise

    main(prog_name="miner")


if __name__ == "__main__":
    run()
