"""Fletcher & Islam 2015 (DPDF), reproduced: its data sets, and accuracy against the budget on each.

    python -m benchmarks.releasing.fletcher [--repeats 1]        # an hour; writes docs/results/fletcher_*.csv and .svg
    python -m benchmarks.releasing.fletcher --shapes             # a quarter of an hour; fletcher_shapes.csv

The paper was not at hand, nor all of its data sets. Here are its method as printed (for study: no guarantee), its valid
form, and Friedman & Schuster's DiffPID3, on eight data sets, by 10-fold cross-validation against the whole budget, the
paper's beta.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from fractions import Fraction
from math import inf

import click

from benchmarks.data.trusted import TABLES
from benchmarks.releasing.accuracies import EPSILON, Row, measured, write_curves
from benchmarks.results import write_csv
from miner.learners.id3 import ID3Classifier
from miner.release.cross_validated import family_learner, majority, plain_learner
from miner.release.families.diffpid3 import DiffPID3
from miner.release.families.dpdf import DPDF, PublishedDPDF
from miner.release.family import ReleaseMethod
from miner.release.seeded_noise import SeededNoise

NAMES = ("nursery", "mushroom", "votes", "adult", "car", "tic_tac_toe", "chess", "connect_4")
SHAPED = ("nursery", "mushroom", "votes")
EPSILONS = ("0.1", "0.25", "0.5", "1", "2", "4")


def families(epsilon: Fraction, size: int) -> dict[str, ReleaseMethod]:
    """What is compared."""
    return {
        "DPDF, valid": DPDF(epsilon, size),
        "DPDF as printed (no guarantee)": PublishedDPDF(epsilon, size),
        "DiffPID3, max": DiffPID3(epsilon, size, score="max"),
        "DiffPID3, Gini": DiffPID3(epsilon, size, score="gini"),
    }


def data_sets() -> Iterator[tuple[object, ...]]:
    """The data sets."""
    for name in NAMES:
        table = TABLES[name]()
        questions = [each for each in table.survey.questions if each.name != table.target]
        values = sum(len(each.values) for each in questions)
        share, _ = measured(table, majority, 1, 1)
        yield name, len(table), len(questions), values, len(table.survey.question(table.target).values), share


def curves(name: str, repeats: int) -> Iterator[Row]:
    """Accuracy against the budget on one data set."""
    table = TABLES[name]()
    for text in EPSILONS:
        for what, family in families(Fraction(text), len(table)).items():
            yield name, what, float(Fraction(text)), *measured(table, family_learner(family, SeededNoise), repeats, 5)
    yield name, "ID3, not private", inf, *measured(table, plain_learner(ID3Classifier, "robust"), 1, 5)
    yield name, "majority", inf, *measured(table, majority, 1, 5)


def shapes(repeats: int) -> Iterator[tuple[object, ...]]:
    """Accuracy by how many trees and levels share the budget: what decides it where there is little of it."""
    for name in SHAPED:
        table = TABLES[name]()
        for text in ("0.1", "0.5", "1", "2"):
            epsilon = Fraction(text)
            many: list[tuple[int, int, ReleaseMethod]] = [
                (trees, levels, DPDF(epsilon, len(table), trees=trees, levels=levels))
                for trees in (1, 2, 4)
                for levels in (3, 4, 5)
            ]
            many += [(1, depth + 1, DiffPID3(epsilon, len(table), depth=depth)) for depth in (2, 3, 4, 5)]
            for trees, levels, family in many:
                found = measured(table, family_learner(family, SeededNoise), repeats, 5)
                yield name, family.method, trees, levels, float(epsilon), *found


@click.command()
@click.option("--shapes", "shaped", is_flag=True, help="Only the table of shapes.")
@click.option("--repeats", default=1, show_default=True, help="How often rows are dealt to folds.")
@click.option("--only", type=click.Choice(NAMES), multiple=True, help="Curves on this data set. All unless said.")
def main(*, shaped: bool, repeats: int, only: tuple[str, ...]) -> None:
    """Measure the table of data sets and the curves, and write them down."""
    if shaped:
        columns = ("table", "method", "trees", "levels", "epsilon", "accuracy", "standard_error")
        write_csv("fletcher_shapes", columns, shapes(repeats))
        return
    if not only:
        head = ("table", "rows", "questions", "values", "classes", "majority_accuracy")
        write_csv("fletcher_data_sets", head, data_sets())
    for name in only or NAMES:
        write_curves(f"fletcher_accuracy_{name}", f"DPDF and DiffPID3 on {name}", EPSILON, curves(name, repeats))


if __name__ == "__main__":
    sys.exit(main(standalone_mode=False))
