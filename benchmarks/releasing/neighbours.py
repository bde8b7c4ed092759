"""Releases of every family put to the distinguishing game, as they are and with a bug planted in their noise.

    python -m benchmarks.releasing.neighbours [--runs 20000]        # an hour; prints a row for each family

Two tables of 60 and 59 rows that differ in one record. The bound on epsilon must never be above what is stated; with
every noisy query at ten times its budget, and with DPDF as published, it must be. The record is a rare one: of a class
nobody else at its leaf has.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from fractions import Fraction

import click
import numpy as np
from numpy.typing import NDArray

from benchmarks.releasing.distinguishing import Features, Game, seen
from collector.commands.command import print_table
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from miner.release.ensemble import Ensemble
from miner.release.families.diffpid3 import DiffPID3
from miner.release.families.dpdf import DPDF, PublishedDPDF
from miner.release.families.greedy import GreedyTree
from miner.release.families.k_anonymous_rdt import KAnonymousRDT
from miner.release.families.private_rdt import PrivateRDT, VerticalRDT
from miner.release.families.sum_queries import SumQueriesID3
from miner.release.family import ReleaseMethod
from miner.release.noise import Counts
from miner.release.seeded_noise import SeededNoise
from miner.release.table import TrustedTable

ROWS = 60
EPSILON = Fraction(1)
BUG = 10
HEAD = 'name = "pairs"\ntitle = "Pairs"\nlanguages = ["en"]\n[mining]\ntarget = "ill"\n'
QUESTION = '[[questions]]\nname = "{0}"\nlabel = "{0}?"\nkind = "yes_no"\nsensitive = false\n'


class CarelessNoise(SeededNoise):
    """A planted bug: whoever asks believes the budget to be ten times what it is."""

    def laplace(self, counts: Counts, sensitivity: int, epsilon: Fraction) -> Counts:
        """Too little noise."""
        return super().laplace(counts, sensitivity, BUG * epsilon)

    def flip(self, scores: Sequence[int], sensitivity: int, epsilon: Fraction, *, monotone: bool) -> int:
        """Too sure a choice."""
        return super().flip(scores, sensitivity, BUG * epsilon, monotone=monotone)

    def exponential(self, scores: Sequence[int], sensitivity: int, epsilon: Fraction, *, monotone: bool) -> int:
        """Too sure a choice."""
        return super().exponential(scores, sensitivity, BUG * epsilon, monotone=monotone)

    def sample(self, size: int, share: Fraction) -> NDArray[np.bool_]:
        """Everybody."""
        del share
        return np.ones(size, bool)


def survey() -> Survey:
    """Three questions of two values, the last of them the class."""
    return parse_survey(HEAD + "".join(QUESTION.format(name) for name in ("old", "poor", "ill")))


def tables() -> tuple[TrustedTable, TrustedTable]:
    """A table, and the same without its first record, the only one of its kind."""
    generator = np.random.default_rng(0)
    others = generator.integers(0, 2, (ROWS - 1, 3)).astype(np.int16)
    others[(others[:, 0] == 1) & (others[:, 1] == 1), 2] = 0
    rows = np.concatenate([[[1, 1, 1]], others]).astype(np.int16)
    return TrustedTable.of(survey(), rows), TrustedTable.of(survey(), rows[1:])


def sound_families() -> list[ReleaseMethod]:
    """Every family, small, with its whole budget in few queries: the tighter, the better a bug shows."""
    return [
        PrivateRDT(EPSILON, ROWS, trees=1, depth=1),
        PrivateRDT(EPSILON, ROWS, trees=2, depth=1, improved=True),
        VerticalRDT(EPSILON, ROWS, trees=1, depth=1, parties=(("old",), ("poor",))),
        SumQueriesID3(EPSILON, ROWS, depth=1),
        DiffPID3(EPSILON, ROWS, score="max", depth=1),
        DiffPID3(EPSILON, ROWS, score="gini", depth=1),
        DiffPID3(EPSILON, ROWS, score="gain", depth=1),
        DPDF(EPSILON, ROWS, trees=1, levels=2, least=1),
        KAnonymousRDT(EPSILON, ROWS, delta=Fraction(1, 100), trees=1, depth=1),
        GreedyTree(EPSILON, ROWS, form="tree", depth=1, splits="multiway", score="max"),
        GreedyTree(EPSILON, ROWS, form="tree", depth=1, splits="binary", score="gini"),
    ]


def game(
    family: ReleaseMethod, noise: Callable[[np.random.Generator], SeededNoise] = SeededNoise
) -> Game[TrustedTable]:
    """The game for a family; it keeps its promise, or has a bug in its noise."""
    one, other = tables()

    def run(table: TrustedTable, generator: np.random.Generator) -> Features:
        made = family.fit(table, noise(generator), generator)
        if not isinstance(made, Ensemble):
            raise TypeError("a family of trees")
        return seen(made, one.values[0])

    guarantee = family.guarantee
    return Game(run, one, other, 0.0 if guarantee is None else float(guarantee.delta))


def stated(family: ReleaseMethod) -> float:
    """Epsilon as promised; what the paper claims for a method without a guarantee."""
    return float(family.epsilon if family.guarantee is None else family.guarantee.epsilon)


def published_dpdf() -> PublishedDPDF:
    """One tree of one level: three queries at the whole budget each."""
    return PublishedDPDF(EPSILON, ROWS, trees=1, levels=1, least=1)


@click.command()
@click.option("--runs", default=20_000, show_default=True, help="On each of the two tables.")
def main(*, runs: int) -> int:
    """Play every game."""
    rows, wrong = [], 0
    for family in [*sound_families(), published_dpdf()]:
        generator = np.random.default_rng(1)
        sound = game(family).bound(runs, generator)
        bugged = game(family, CarelessNoise).bound(runs, generator)
        promised = family.guarantee is not None
        wrong += (sound > stated(family)) == promised or bugged <= stated(family)
        name = f"{family.method} {getattr(family, 'score', '')}".strip()
        rows.append((name, f"{stated(family):g}", "yes" if promised else "no", f"{sound:.3f}", f"{bugged:.3f}"))
    print_table(("family", "epsilon", "promised", "at least", "at least, with a bug"), rows)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(standalone_mode=False))
