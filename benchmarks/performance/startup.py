"""How long a command takes to say ``--help``, against ``import pandas`` in the same run.

    python -m benchmarks.performance.startup [--quick] [--json]

Each pair runs one after the other; printed is the median of the ratios of their processor time, which other work on the
machine disturbs less than the clock's, and of the clock's.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

COMMANDS = ("collector", "respondent", "miner")
PEER = (sys.executable, "-c", "import pandas")
PAIRS, QUICK_PAIRS = 21, 3
Times = tuple[float, float]


def timed(command: tuple[str, ...]) -> Times:
    """Seconds by the processor and by the clock."""
    before, started = os.times(), time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)  # noqa: S603 - our own commands
    after, ended = os.times(), time.perf_counter()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return spent, ended - started


def ratios(command: tuple[str, ...], pairs: int) -> dict[str, float]:
    """Medians over pairs of the command's time by that of the peer."""
    found = []
    for _ in range(pairs):
        own, peer = timed(command), timed(PEER)
        found.append((own[0] / peer[0], own[1] / peer[1]))
    by_processor, by_clock = zip(*found, strict=True)
    return {"processor": statistics.median(by_processor), "clock": statistics.median(by_clock)}


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few pairs")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    pairs, folder = QUICK_PAIRS if options.quick else PAIRS, Path(sys.executable).parent
    found = {name: ratios((str(folder / name), "--help"), pairs) for name in COMMANDS}
    if options.json:
        print(json.dumps(found, indent=2))
        return
    for name, figures in found.items():
        print(f"{name:12} {figures['processor']:.2f} by the processor, {figures['clock']:.2f} by the clock")


if __name__ == "__main__":
    main()
