"""Jagannathan, Pillaipakkamnatt & Wright 2012, reproduced: Table 1, and curves of Private-RDT.

    python -m benchmarks.releasing.jagannathan [--repeats 1]   # an hour; writes docs/results/jagannathan_*.csv and .svg

Accuracy is by 10-fold cross-validation. epsilon is for adding or removing a record; the paper declares the number of
rows public, which makes it twice that. Of the paper's figures only those of Table 1 are printed as numbers; its curves
were not at hand, and are not compared with.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from fractions import Fraction
from math import inf

import click
import numpy as np

from benchmarks.data.trusted import TABLES
from benchmarks.releasing.accuracies import EPSILON, Row, measured, write_curves
from benchmarks.results import write_csv
from miner.learners.id3 import ID3Classifier
from miner.release.cross_validated import Learner, Predictor, family_learner, majority, plain_learner
from miner.release.families.private_rdt import PrivateRDT
from miner.release.families.sum_queries import SumQueriesID3
from miner.release.noise import Counts
from miner.release.seeded_noise import SeededNoise
from miner.release.table import TrustedTable

NAMES = ("nursery", "mushroom", "votes")
TREES = {"nursery": 10, "mushroom": 10, "votes": 5}
EPSILONS = ("0.1", "0.25", "0.5", "0.75", "1", "2", "4")
ACCURACY = "accuracy_"
CURVES = (*(f"{ACCURACY}{name}" for name in NAMES), "trees_nursery", "batches_nursery")
HUGE = Fraction(10**6)  # stands for no privacy at all


class NoNoise(SeededNoise):
    """For epsilon infinity."""

    def laplace(self, counts: Counts, sensitivity: int, epsilon: Fraction) -> Counts:
        """The counts as they are."""
        del sensitivity, epsilon
        return counts.copy()


def rdt(
    name: str, table: TrustedTable, epsilon: Fraction, *, trees: int | None = None, improved: bool = False
) -> PrivateRDT:
    """Private-RDT with the paper's numbers of trees."""
    return PrivateRDT(epsilon, len(table), trees=trees or TREES[name], improved=improved)


def table_1() -> Iterator[tuple[object, ...]]:
    """Data sets, the sum queries of DP-ID3 as the paper counts them and as its section 4 asks them, and ID3."""
    for name in NAMES:
        table = TABLES[name]()
        questions = len(table.survey.questions) - 1
        tables, others = questions * (questions + 1) // 2, 2 * (questions + 1)
        accuracy, error = measured(table, plain_learner(ID3Classifier, "faithful"), 1, 1)
        classes = len(table.survey.question(table.target).values)
        yield name, len(table), questions, classes, tables, tables + others, accuracy, error


def against_epsilon(name: str, repeats: int) -> Iterator[Row]:
    """Private-RDT and DP-ID3 on one data set."""
    table = TABLES[name]()
    for text in EPSILONS:
        epsilon = Fraction(text)
        families = {
            "Private-RDT": rdt(name, table, epsilon),
            "Private-RDT, read better": rdt(name, table, epsilon, improved=True),
            "DP-ID3": SumQueriesID3(epsilon, len(table)),
        }
        for what, family in families.items():
            yield name, what, float(epsilon), *measured(table, family_learner(family, SeededNoise), repeats, 2)
    free = rdt(name, table, HUGE)
    yield name, "Private-RDT", inf, *measured(table, family_learner(free, NoNoise), repeats, 2)
    yield name, "ID3, not private", inf, *measured(table, plain_learner(ID3Classifier, "faithful"), 1, 2)
    yield name, "majority", inf, *measured(table, majority, 1, 2)


def against_trees(repeats: int) -> Iterator[Row]:
    """More trees at one budget, on nursery."""
    table = TABLES["nursery"]()
    for epsilon in map(Fraction, ("0.5", "1", "2")):
        for trees in (1, 2, 5, 10, 20, 40):
            learner = family_learner(rdt("nursery", table, epsilon, trees=trees), SeededNoise)
            yield "nursery", f"epsilon {float(epsilon):g}", float(trees), *measured(table, learner, repeats, 3)


def against_batches(repeats: int) -> Iterator[Row]:
    """Batches of nursery, each counted in with noise of its own (Algorithm 5)."""
    table = TABLES["nursery"]()
    for text in ("0.5", "1"):
        family = rdt("nursery", table, Fraction(text))
        for batches in (1, 2, 3, 4, 5, 6, 8, 10):
            found = measured(table, in_batches(family, batches), repeats, 4)
            yield "nursery", f"epsilon {text}", float(batches), *found


def in_batches(family: PrivateRDT, batches: int) -> Learner:
    """How Private-RDT learns from rows that come in batches of equal size."""

    def learn(table: TrustedTable, generator: np.random.Generator) -> Predictor:
        noise = SeededNoise(generator)
        parts = [table.take(generator.permutation(len(table)) % batches == part) for part in range(batches)]
        structures = family.structures(table.survey, table.target, generator)
        counted = [family.counted(structures, part, noise) for part in parts]
        return family.merged(counted, [1] * batches).probabilities

    return learn


@click.command()
@click.option("--repeats", default=1, show_default=True, help="How often rows are dealt to folds.")
@click.option("--only", type=click.Choice(CURVES), multiple=True, help="Some of the curves. All unless said.")
def main(*, repeats: int, only: tuple[str, ...]) -> None:
    """Measure Table 1 and the curves, and write them down."""
    if not only:
        head = ("table", "rows", "questions", "classes", "queries_paper", "queries_asked", "id3_accuracy", "error")
        write_csv("jagannathan_table_1", head, table_1())
    for curve in only or CURVES:
        place = f"jagannathan_{curve}"
        if curve == "trees_nursery":
            write_curves(place, "Private-RDT on nursery by number of trees", "trees", against_trees(repeats))
        elif curve == "batches_nursery":
            write_curves(place, "Private-RDT on nursery with updates", "batches", against_batches(repeats))
        else:
            name = curve.removeprefix(ACCURACY)
            write_curves(place, f"Private-RDT and DP-ID3 on {name}", EPSILON, against_epsilon(name, repeats))


if __name__ == "__main__":
    sys.exit(main(standalone_mode=False))
