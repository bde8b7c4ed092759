"""What scikit-learn's decision trees give away: Waseda, Nojima & Wang 2024, Table A1, by the protocol we were told.

    python -m benchmarks.releasing.exposed [--json]          # writes docs/results/waseda_table_a1.csv and .svg

Protocol: every column as ordinal codes, 80 % of the rows to grow on and 20 % to test, the split and the tree with the
same seed, 0 to 9; means over the seeds. The homogeneity attack is on the people the tree was grown on. `PRINTED` is
what the paper prints, for depths 4 to 8; its H_u and H_leaf are numbers of people and of leaves, not shares.
"""

from __future__ import annotations

import sys

import click
import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

from benchmarks.data.coded import read_rows
from benchmarks.data.tables import ADULT, ADULT_NUMBERS
from benchmarks.data.trusted import MUSHROOM, NURSERY
from benchmarks.releasing.scikit_trees import published_scikit_learn
from benchmarks.results import write_csv, write_svg
from collector.commands.command import print_json, print_table
from miner.attacks.exposure import Exposure, exposure
from miner.drawing.chart import Axis, Chart, Line, Point

SEEDS = range(10)
DEPTHS = (2, 3, 4, 5, 6, 7, 8, 9, 10, None)
UNLIMITED = 12  # where the chart shows it
TEST_SHARE = 0.2
COLUMNS = ("table", "depth", "accuracy", "leaves", "homogeneous_leaves", "H_leaf", "people", "H_u", "unique_people")

PRINTED_DEPTHS = (4, 5, 6, 7, 8)
PRINTED = {  # test accuracy, people in leaves of one class (H_u), such leaves (H_leaf), for each of these depths
    "nursery": (
        (0.863, 3965.5, 2.0),
        (0.880, 5217.0, 4.9),
        (0.888, 5747.1, 9.9),
        (0.921, 6837.4, 19.5),
        (0.933, 7912.7, 35.7),
    ),
    "mushroom": (
        (0.979, 3293.6, 9.0),
        (0.980, 3568.4, 12.0),
        (0.995, 6122.6, 16.0),
        (1.000, 6499.0, 20.0),
        (1.000, 6499.0, 20.0),
    ),
    "adult": (
        (0.843, 215.2, 2.4),
        (0.851, 829.5, 7.1),
        (0.853, 1621.7, 18.3),
        (0.855, 1957.4, 35.2),
        (0.855, 2316.1, 60.8),
    ),
}


def tables() -> dict[str, tuple[pd.DataFrame, pd.Series]]:
    """Each data set as numbers, with its class: words by their place in alphabetical order, numbers as they are."""
    read = {
        "nursery": (read_rows("nursery.data", NURSERY), NURSERY[-1]),
        "mushroom": (read_rows("agaricus-lepiota.data", MUSHROOM), MUSHROOM[0]),
        "adult": (read_rows("adult.data", (*ADULT, "income")), "income"),
    }
    return {name: (_coded(frame.drop(columns=target)), frame[target]) for name, (frame, target) in read.items()}


def _coded(frame: pd.DataFrame) -> pd.DataFrame:
    words = [name for name in frame.columns if name not in ADULT_NUMBERS]
    return frame.astype(dict.fromkeys(set(frame.columns) - set(words), float)).assign(
        **dict(zip(words, OrdinalEncoder().fit_transform(frame[words]).T, strict=True))
    )


def grown(features: pd.DataFrame, labels: pd.Series, depth: int | None, seed: int) -> tuple[float, Exposure]:
    """Test accuracy of one tree, and what it gives away."""
    inside, outside, known, unknown = train_test_split(features, labels, test_size=TEST_SHARE, random_state=seed)
    tree = DecisionTreeClassifier(max_depth=depth, random_state=seed).fit(inside, known)
    return float(tree.score(outside, unknown)), exposure(published_scikit_learn(tree).counts[0])


def table_a1() -> list[tuple[object, ...]]:
    """A row for each data set and depth, in the order of `COLUMNS`; means over seeds."""
    rows: list[tuple[object, ...]] = []
    for name, (features, labels) in tables().items():
        for depth in DEPTHS:
            found = [grown(features, labels, depth, seed) for seed in SEEDS]
            told = [(accuracy, *_figures(each)) for accuracy, each in found]
            means = [float(each) for each in np.mean(told, axis=0)]
            rows.append((name, "none" if depth is None else depth, *means))
    return rows


def _figures(found: Exposure) -> tuple[float, ...]:
    """In the order of `COLUMNS`, from the leaves on."""
    pure = found.diversity[0]
    return found.leaves, pure.leaves, found.homogeneous_leaves, pure.people, found.homogeneous_people, found.unique


def as_printed(features: pd.DataFrame, labels: pd.Series, depth: int) -> tuple[float, float, float]:
    """What `PRINTED` has, of our trees: means over seeds."""
    found = [grown(features, labels, depth, seed) for seed in SEEDS]
    told = [(accuracy, each.diversity[0].people, each.diversity[0].leaves) for accuracy, each in found]
    accuracy, people, leaves = np.mean(told, axis=0)
    return float(accuracy), float(people), float(leaves)


def chart(rows: list[tuple[object, ...]]) -> Chart:
    """The share of people whose class is learnt, against depth."""
    at = {row[:2]: float(str(row[COLUMNS.index("H_u")])) for row in rows}
    lines = tuple(
        Line(
            name,
            tuple(
                Point(UNLIMITED if depth == "none" else float(str(depth)), share)
                for (each, depth), share in at.items()
                if each == name
            ),
        )
        for name in dict.fromkeys(str(row[0]) for row in rows)
    )
    text = "The deeper the tree, the more people are in a leaf with one class; without a limit all or nearly all are."
    depth = Axis(f"depth of scikit-learn's tree ({UNLIMITED}: no limit)")
    return Chart("Homogeneity attack on plain decision trees", text, depth, Axis("H_u", (0, 1)), lines)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def main(*, as_json: bool) -> None:
    """Reproduce the table and write it down."""
    rows = table_a1()
    write_csv("waseda_table_a1", COLUMNS, rows)
    write_svg("waseda_table_a1", chart(rows))
    if as_json:
        print_json({"rows": [dict(zip(COLUMNS, row, strict=True)) for row in rows]})
    else:
        print_table(COLUMNS, [[f"{each:.4f}" if isinstance(each, float) else str(each) for each in r] for r in rows])


if __name__ == "__main__":
    sys.exit(main(standalone_mode=False))
