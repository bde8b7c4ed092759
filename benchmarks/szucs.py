"""Szucs's experiment (2013): AUC of the Random Response Forest against theta on Adult and Census-Income.

    python -m benchmarks.szucs [--quick]

Three groups; the class disguised with the rest, or sent as it is. The paper's undisguised AUC is .89 and .88. Writes
`docs/results/szucs.csv`, as `benchmarks.du_zhan` does; Census-Income, training part, is run once.
"""

from __future__ import annotations

import argparse
from functools import partial

from benchmarks.data.coded import Table, adult_36, census_income
from benchmarks.learning.protocol import LEARNERS, Cell, disguised_split
from benchmarks.learning.runs import Runs, line

FORESTS = tuple(name for name in LEARNERS if name.startswith("forest"))
TRUTHS = ["3/5", "11/20", "4/5", "7/10", "1", "9/10"]  # the most decisive first
FEW_TRUTHS = ["1", "4/5", "3/5"]
GROUPS = 3
REPETITIONS = 4


def run(runs: Runs, table: Table, cells: list[Cell], repetition: int) -> None:
    """One repetition of some designs."""
    for cell in cells:
        found = runs.add(table.name, cell, FORESTS, repetition, partial(disguised_split, table))
        if found:
            print(line(found), flush=True)
            runs.write_summary("szucs")


def main() -> None:
    """Run, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one design of Adult, robust: under a minute")
    options = parser.parse_args()
    adult = adult_36()
    if options.quick:
        found = Runs("quick").add(
            adult.name, Cell("4/5", GROUPS), ["forest robust"], 0, partial(disguised_split, adult)
        )
        print(line(found))
        return
    runs = Runs("szucs")
    for disguised in (True, False):
        for repetition in range(REPETITIONS):
            run(runs, adult, [Cell(truth, GROUPS, disguised) for truth in TRUTHS], repetition)
        run(runs, census_income(), [Cell(truth, GROUPS, disguised) for truth in FEW_TRUTHS], 0)
    runs.write_summary("szucs")


if __name__ == "__main__":
    main()
