"""Which form of our own releases is best where, and how well public facts tell: each data set left out in turn.

    python -m benchmarks.releasing.release_forms [TABLE ...]        # an hour; appends to docs/results/release_forms.csv

The limits of `miner.release.parts.budget_shares` were fitted to the data sets that our accuracies are measured on. Here
they are chosen again for each data set from the others alone, and what the choice then loses on the one left out,
against the best form of each cell, is set beside what the fitted limits lose. A loss is partly luck: the best of four
noisy figures is too good. Cells that are on file are not run again.
"""

from __future__ import annotations

import csv
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from pathlib import Path

import click
import numpy as np

from benchmarks.data.trusted import TABLES
from benchmarks.releasing.accuracies import measured
from benchmarks.results import RESULTS
from collector.commands.command import print_table
from miner.release.cross_validated import accuracy, family_learner, folds
from miner.release.families.greedy import GreedyTree
from miner.release.parts.budget_shares import FITTED, FORMS, Facts, FormThresholds, likely_form
from miner.release.seeded_noise import SeededNoise
from miner.release.table import TrustedTable

EPSILONS = ("1/10", "1/2", "1", "2")
LARGE, FEW_PARTS = 40_000, 3  # rows from which only so many of the ten folds are tested
SMALL, MANY_DEALS = 2_000, 4  # rows up to which they are dealt so often
COLUMNS = ("table", "records", "kinds", "classes", "epsilon", "form", "accuracy", "standard_error")
HALF = Fraction(1, 2)
CANDIDATES = tuple(
    FormThresholds(*each) for each in product((3, 10, 30), (0.4, 0.5, 0.6), (40, 70, 100, 150), (4, 8, 12, 20))
)


@dataclass(frozen=True)
class Cell:
    """One data set at one epsilon.

    Attributes:
        table: Its name.
        facts: What is public.
        accuracies: By form.
    """

    table: str
    facts: Facts
    accuracies: dict[str, float]

    def loss(self, limits: FormThresholds) -> float:
        """How far the form that these limits choose stays below the best."""
        return max(self.accuracies.values()) - self.accuracies[likely_form(self.facts, HALF, limits=limits)]


def accuracy_of(table: TrustedTable, family: GreedyTree) -> tuple[float, float]:
    """By cross-validation with its standard error; of a large table some folds only."""
    learner = family_learner(family, SeededNoise)
    if len(table) < LARGE:
        return measured(table, learner, MANY_DEALS if len(table) < SMALL else 1, 5)
    generator = np.random.default_rng(5)
    dealt = folds(len(table), 10, generator)
    found = [
        accuracy(learner(table.take(dealt != part), generator), table.take(dealt == part)) for part in range(FEW_PARTS)
    ]
    return float(np.mean(found)), float(np.std(found, ddof=1) / np.sqrt(len(found)))


def rows_of(name: str, done: Container[tuple[str, str, str]]) -> Iterator[tuple[object, ...]]:
    """The cells of one data set that are not on file."""
    missing = [each for each in product(EPSILONS, FORMS) if (name, *each) not in done]
    if not missing:
        return
    table = TABLES[name]()
    size = len(table) * 9 // 10
    for epsilon, form in missing:
        family = GreedyTree(Fraction(epsilon), size, form=form)
        facts = family.facts(table.survey, table.target)
        kinds = " ".join(map(str, facts.kinds))
        mean, error = accuracy_of(table, family)
        yield name, family.size, kinds, facts.classes, epsilon, form, f"{mean:.4f}", f"{error:.4f}"


def read(path: Path) -> list[Cell]:
    """The cells on file that have all forms."""
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    cells = []
    for name, epsilon in dict.fromkeys((row["table"], row["epsilon"]) for row in rows):
        some = [row for row in rows if (row["table"], row["epsilon"]) == (name, epsilon)]
        if {row["form"] for row in some} == set(FORMS):
            kinds = tuple(map(int, some[0]["kinds"].split()))
            facts = Facts(kinds, int(some[0]["classes"]), int(some[0]["records"]) * float(Fraction(epsilon)))
            cells.append(Cell(name, facts, {row["form"]: float(row["accuracy"]) for row in some}))
    return cells


def chosen(cells: Sequence[Cell]) -> FormThresholds:
    """The limits that lose least on average over data sets; of equals those nearest to the middle of the grid."""
    losses = [np.mean([cell.loss(limits) for cell in cells]) for limits in CANDIDATES]
    best = [limits for limits, loss in zip(CANDIDATES, losses, strict=True) if loss <= min(losses) + 1e-9]
    return best[len(best) // 2]


def report(cells: Sequence[Cell]) -> list[tuple[str, ...]]:
    """For each data set the limits chosen without it, and the mean loss over epsilons of these and the fitted ones."""
    rows = []
    for name in dict.fromkeys(cell.table for cell in cells):
        own, others = ([cell for cell in cells if (cell.table == name) == inside] for inside in (True, False))
        limits = chosen(others)
        lost = [f"{100 * float(np.mean([cell.loss(each) for cell in own])):.2f}" for each in (limits, FITTED)]
        told = f"{limits.thin:g} {limits.reach:g} {limits.rich:g} {limits.fair:g}"
        rows.append((name, told, *lost))
    return rows


@click.command()
@click.argument("tables", nargs=-1, type=click.Choice(list(TABLES)))
def main(tables: tuple[str, ...]) -> None:
    """Measure what is missing, and tell how well the form is chosen for a data set that had no say."""
    path = RESULTS / "release_forms.csv"
    if not path.exists():
        path.write_text(",".join(COLUMNS) + "\n", encoding="utf-8")
    with path.open(encoding="utf-8", newline="") as stream:
        done = {(row["table"], row["epsilon"], row["form"]) for row in csv.DictReader(stream)}
    for name in tables or TABLES:
        for row in rows_of(name, done):
            with path.open("a", encoding="utf-8", newline="") as stream:
                csv.writer(stream, lineterminator="\n").writerow(row)
    cells = read(path)
    head = ("left out", "thin reach rich fair, from the others", "points lost", "points lost as fitted")
    print_table(head, report(cells))


if __name__ == "__main__":
    main()
