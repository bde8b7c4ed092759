"""The ledger in a storm: processes that charge at once, killed at random moments.

    python -m benchmarks.releasing.ledger [--seconds 300] [--processes 20] [--json]

A charge that was acknowledged must be in the ledger, whatever happens to the process afterwards; and the budget must
not be overdrawn. Charges that are there without having been acknowledged belong to processes killed in between: the
ledger may count too much, never too little.
"""

from __future__ import annotations

import multiprocessing
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from fractions import Fraction
from multiprocessing.process import BaseProcess
from multiprocessing.synchronize import Event
from pathlib import Path
from time import monotonic, sleep

import click
import numpy as np

from collector.commands.command import print_json
from collector.errors import BudgetError, StoreError
from collector.ledger.budget import Charge, Cost, DataSet
from collector.ledger.ledger import Ledger

EACH = Charge("a tree", Cost(Fraction(1, 10_000)))
DIGEST = b"m" * 32
LONGEST_WAIT = 0.2  # seconds between two kills
LONGEST_START = 60.0  # seconds


@dataclass(frozen=True)
class Storm:
    """What came of it.

    Attributes:
        acknowledged: Charges that returned to a process.
        charged: Charges in the ledger.
        allowed: Charges that the budget has room for.
        killed: Processes.
    """

    acknowledged: int
    charged: int
    allowed: int
    killed: int

    @property
    def holds(self) -> bool:
        """Whether nothing was forgotten, and nothing overdrawn."""
        return self.acknowledged <= self.charged <= min(self.allowed, self.acknowledged + self.killed)


def storm(
    folder: Path, processes: int, seconds: float, dice: np.random.Generator | None, most: int = 1_000_000
) -> Storm:
    """Let processes charge to one budget.

    Args:
        folder: An empty one, for the store and the processes' notes.
        processes: How many run at once.
        seconds: How long, unless all the budget is spent before.
        dice: Says when a process is killed, and which; none is if None.
        most: How many charges the budget has room for.
    """
    path, context = folder / "storm.db", multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["collector.ledger.ledger"])
    stop = context.Event()
    with Ledger(path, create=True) as ledger:
        ledger.open(DataSet("many", Cost(most * EACH.cost.epsilon)))

    def start(number: int) -> BaseProcess:
        process = context.Process(target=_spend, args=(path, folder / f"{number}.notes", stop))
        process.start()
        return process

    running = [start(number) for number in range(processes)]
    _wait_for_notes(folder)
    killed = _run(running, start, seconds, dice)
    stop.set()
    for process in multiprocessing.active_children():
        process.join()
    acknowledged = sum(notes.stat().st_size for notes in folder.glob("*.notes"))
    with Ledger(path) as ledger:
        return Storm(acknowledged, len(ledger.account("many").entries), most, killed)


def _wait_for_notes(folder: Path) -> None:
    """Until the first charge was acknowledged: on a busy machine processes are long in starting."""
    end = monotonic() + LONGEST_START
    while monotonic() < end and not any(notes.stat().st_size for notes in folder.glob("*.notes")):
        sleep(LONGEST_WAIT)


def _run(
    running: list[BaseProcess], start: Callable[[int], BaseProcess], seconds: float, dice: np.random.Generator | None
) -> int:
    """Let them run, kill one now and then and start another in its place. Returns how many were killed."""
    killed, end = 0, monotonic() + seconds
    while monotonic() < end and any(process.is_alive() for process in running):
        sleep(LONGEST_WAIT if dice is None else dice.uniform(0, LONGEST_WAIT))
        place = 0 if dice is None else int(dice.integers(len(running)))
        if dice is not None and running[place].is_alive():
            running[place].kill()
            running[place].join()
            killed += 1
            running[place] = start(len(running) + killed)
    return killed


def _spend(path: Path, notes: Path, stop: Event) -> None:
    """Charge as fast as can be, and note every charge that was acknowledged."""
    with Ledger(path) as ledger, notes.open("ab", buffering=0) as stream:
        while not stop.is_set():
            try:
                ledger.charge("many", DIGEST, EACH)
            except BudgetError:
                return
            except StoreError:
                continue  # locked for longer than it waits, on a busy machine: nothing was charged
            stream.write(b".")


@click.command()
@click.option("--seconds", default=300.0, show_default=True, help="How long.")
@click.option("--processes", default=20, show_default=True, help="How many at once.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def main(*, seconds: float, processes: int, as_json: bool) -> int:
    """Let processes charge at once, and kill them at random moments."""
    with tempfile.TemporaryDirectory() as folder:
        found = storm(Path(folder), processes, seconds, np.random.default_rng())
    if as_json:
        print_json(asdict(found))
    else:
        click.echo(f"{found.killed} processes killed, {found.acknowledged} charges acknowledged, {found.charged} kept")
        click.echo("holds" if found.holds else "FAILS")
    return 0 if found.holds else 1


if __name__ == "__main__":
    sys.exit(main(standalone_mode=False))
