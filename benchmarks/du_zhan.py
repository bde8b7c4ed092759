"""Du & Zhan's experiment (2003, section 5) on Adult, breast cancer and votes: accuracy against theta and groups.

    python -m benchmarks.du_zhan [--quick] [--json]

Writes `docs/results/du_zhan.csv`: mean and variance over the repetitions of each table, design and learner. Runs are
kept in `build/results/`: started again, it goes on where it was. One repetition of
everything is run after the other, so that every stop leaves balanced figures.

A design with 1 - theta in place of theta is the same design with every code complemented, and gives the same models but
for the luck of a bootstrap (`tests/benchmarks/test_protocol.py`): thetas below 1/2 are copied from those above.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from itertools import groupby
from operator import itemgetter

import pandas as pd

from benchmarks.data.coded import Table, adult_14, breast_cancer, votes
from benchmarks.learning.protocol import LEARNERS, Cell, disguised_split
from benchmarks.learning.runs import Runs, line

MIRRORED = {"1": "0", "9/10": "1/10", "4/5": "1/5", "7/10": "3/10", "3/5": "2/5", "11/20": "9/20"}
TRUTHS = [*MIRRORED, "51/100"]
QUICK_TRUTHS = ["3/5", "1"]
REPETITIONS = {"votes": 50, "breast-cancer": 50, "adult-14": 50}


def cells(truths: list[str]) -> list[Cell]:
    """The designs: one, two and three groups."""
    return [Cell(truth, groups) for groups in (1, 2, 3) for truth in truths]


def with_mirrors(table: pd.DataFrame) -> pd.DataFrame:
    """The summary with the thetas below 1/2 added, and which rows are copies."""
    below = table[table["truth"].isin(MIRRORED)].copy()
    below["copy_of"], below["truth"] = below["truth"], below["truth"].map(MIRRORED)
    return pd.concat([table.assign(copy_of=""), below])


def plan(tables: list[Table]) -> Iterator[tuple[Table, Cell, int]]:
    """Everything to run, in turn: table, design and repetition."""
    for repetition in range(max(REPETITIONS.values())):
        for table in tables:
            if repetition < REPETITIONS[table.name]:
                yield from ((table, cell, repetition) for cell in cells(TRUTHS))


def run(runs: Runs, tables: list[Table]) -> None:
    """All repetitions of all tables; the summary is written after each repetition that was missing, and at the end."""
    for _, some in groupby(plan(tables), key=itemgetter(2)):
        ran = False
        for table, cell, repetition in some:
            found = runs.add(table.name, cell, LEARNERS, repetition, partial(disguised_split, table))
            if found:
                print(line(found), flush=True)
            ran = ran or bool(found)
        if ran:
            runs.write_summary("du_zhan", with_mirrors(runs.summary()))
    runs.write_summary("du_zhan", with_mirrors(runs.summary()))


def main() -> None:
    """Run, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="votes only, few designs and repetitions: under a minute")
    options = parser.parse_args()
    if options.quick:
        for cell in cells(QUICK_TRUTHS):
            print(line(Runs("quick").add("votes", cell, LEARNERS, 0, partial(disguised_split, votes()))))
        return
    run(Runs("du_zhan"), [votes(), breast_cancer(), adult_14()])


if __name__ == "__main__":
    main()
