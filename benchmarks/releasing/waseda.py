"""Waseda, Nojima & Wang 2024 (k-AnonToRdt), reproduced: Tables 5 to 7, as far as we were told of them.

    python -m benchmarks.releasing.waseda [--repeats 1]  # half an hour; writes docs/results/waseda_table_*.csv and .svg
    python -m benchmarks.releasing.waseda --delta        # some minutes; waseda_delta.csv

Table 5  delta of one tree by the theorem, and exactly. Where epsilon < -ln(1 - beta) the theorem says nothing: flagged.
Table 6  accuracy by k and beta, whatever guarantee these give.
Table 7  accuracy at a whole (epsilon, delta), beside Private-RDT with the same epsilon.
Delta    accuracy at a whole delta of .4, for the numbers of trees and the k of four accuracies that the paper prints.

The paper's grids were not at hand; ours spans what is of use. Table A1 is `benchmarks.releasing.exposed`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from fractions import Fraction
from math import inf

import click

from benchmarks.data.trusted import TABLES
from benchmarks.releasing.accuracies import EPSILON, Row, measured, write_curves
from benchmarks.results import write_csv, write_svg
from collector.commands.command import print_table
from miner.drawing.chart import Axis, Chart, Line, Point
from miner.release.cross_validated import family_learner, majority
from miner.release.families.k_anonymous_rdt import KAnonymousRDT
from miner.release.families.private_rdt import PrivateRDT
from miner.release.parts.sampled_anonymity import SampledCount
from miner.release.seeded_noise import SeededNoise

NAMES = ("nursery", "mushroom", "adult")
KS = (5, 10, 20, 30, 50)
BETAS = tuple(map(Fraction, ("0.01", "0.1", "0.2", "0.4", "0.6")))
EPSILONS = tuple(map(Fraction, ("0.1", "0.25", "0.5", "1", "2")))
TREES = 10
FREE = Fraction(50), Fraction(99, 100)  # epsilon and delta that refuse nothing
SMALL = Fraction(1, 100_000)
LEAST = 1e-30  # that a chart shows
LARGE = Fraction(2, 5)  # the delta of four accuracies that the paper prints
PRINTED = (0.84, 0.817, 0.98, 0.84)  # with k of 5 and 10, 8 to 11 trees; which data set and epsilon, we do not know

Cells = tuple[str, int, int, float, float, float, float]
"""Data set, k, number of trees, epsilon, beta, accuracy, its standard error."""


def table_5() -> Iterator[tuple[object, ...]]:
    """Delta of one tree: by the theorem where it holds, exactly everywhere."""
    for beta in BETAS:
        for k in KS:
            cell = SampledCount(k, beta)
            for epsilon in map(float, EPSILONS):
                holds = cell.admits(epsilon)
                theorem = f"{cell.theorem_delta(epsilon):.3e}" if holds else ""
                exact = f"{cell.exact_delta(epsilon):.3e}"
                yield float(beta), k, epsilon, "yes" if holds else "no", theorem, exact


def chart_5(rows: list[tuple[object, ...]]) -> Chart:
    """Delta against epsilon at k = 20, both ways."""
    lines = []
    for beta in BETAS:
        some = [row for row in rows if row[:2] == (float(beta), 20)]
        for name, place in (("theorem", 4), ("exact", 5)):
            points = [(float(str(row[2])), float(str(row[place]))) for row in some if row[place]]
            kept = tuple(Point(x, y) for x, y in points if y > LEAST)
            if kept:
                lines.append(Line(f"beta {float(beta):g}, {name}", kept))
    text = "The exact delta is below the theorem's everywhere, and is there where the theorem says nothing."
    axes = Axis("epsilon of one tree", logarithmic=True), Axis("delta of one tree", logarithmic=True)
    return Chart("k-AnonToRdt: delta at k = 20", text, *axes, tuple(lines))


def table_6(name: str, repeats: int) -> Iterator[Row]:
    """Accuracy against k, for each beta."""
    table = TABLES[name]()
    for beta in BETAS:
        for k in KS:
            family = KAnonymousRDT(FREE[0], len(table), delta=FREE[1], trees=TREES, k=k, beta=beta)
            found = measured(table, family_learner(family, SeededNoise), repeats, 6)
            yield name, f"beta {float(beta):g}", float(k), *found
    yield name, "majority", inf, *measured(table, majority, 1, 6)


def table_7(name: str, repeats: int) -> Iterator[Row]:
    """Accuracy against epsilon, delta 0.00001: k solved for at half of the largest beta."""
    table = TABLES[name]()
    for epsilon in map(Fraction, ("1", "2", "4", "8")):
        families = {
            "k-AnonToRdt, 1 tree": KAnonymousRDT(epsilon, len(table), delta=SMALL, trees=1),
            "k-AnonToRdt, 4 trees": KAnonymousRDT(epsilon, len(table), delta=SMALL, trees=4),
            "Private-RDT, 10 trees": PrivateRDT(epsilon, len(table), trees=TREES),
        }
        for what, family in families.items():
            yield name, what, float(epsilon), *measured(table, family_learner(family, SeededNoise), repeats, 7)
    yield name, "majority", inf, *measured(table, majority, 1, 7)


def at_large_delta(name: str, repeats: int) -> Iterator[Cells]:
    """Accuracy at delta .4, with k of 5 and 10, 8 to 11 trees and the largest beta that these and the theorem allow."""
    table = TABLES[name]()
    for k in (5, 10):
        for trees in (8, 9, 10, 11):
            for epsilon in map(Fraction, ("1", "8")):
                family = KAnonymousRDT(epsilon, len(table), delta=LARGE, trees=trees, k=k)
                found = measured(table, family_learner(family, SeededNoise), repeats, 8)
                yield name, k, trees, float(epsilon), float(family.cell.beta), *found


def nearest(printed: float, name: str, rows: list[Cells]) -> str:
    """The cell of a data set whose accuracy is nearest to a printed one, in words."""
    cell = min((row for row in rows if row[0] == name), key=lambda row: abs(row[5] - printed))
    return f"{cell[5]:.3f} (k {cell[1]}, {cell[2]} trees, epsilon {cell[3]:g})"


@click.command()
@click.option("--delta", "only_delta", is_flag=True, help="Only the table at delta .4.")
@click.option("--repeats", default=1, show_default=True, help="How often rows are dealt to folds.")
def main(*, only_delta: bool, repeats: int) -> None:
    """Reproduce the tables, and write them down."""
    if only_delta:
        columns = ("table", "k", "trees", "epsilon", "beta", "accuracy", "standard_error")
        cells = [row for name in NAMES for row in at_large_delta(name, repeats)]
        write_csv("waseda_delta", columns, cells)
        print_table(
            ("printed", *NAMES), [(f"{each:g}", *(nearest(each, name, cells) for name in NAMES)) for each in PRINTED]
        )
        return
    rows = list(table_5())
    write_csv("waseda_table_5", ("beta", "k", "epsilon", "theorem_holds", "delta_theorem", "delta_exact"), rows)
    write_svg("waseda_table_5", chart_5(rows))
    for name in NAMES:
        write_curves(f"waseda_table_6_{name}", f"k-AnonToRdt on {name}", "k", table_6(name, repeats))
        title = f"k-AnonToRdt on {name}, delta {float(SMALL):g}"
        write_curves(f"waseda_table_7_{name}", title, EPSILON, table_7(name, repeats))


if __name__ == "__main__":
    sys.exit(main(standalone_mode=False))
