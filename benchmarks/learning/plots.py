"""The figures of the accuracy benchmarks: `python -m benchmarks.learning.plots`, from their tables in `docs/results/`.

For each table of Du & Zhan's experiment the mean over repetitions of the accuracy of ID3, and its variance, against
theta, for one, two and three groups, as in their Figures 3 to 6; for Szucs's the AUC of the forest.
"""

from __future__ import annotations

from fractions import Fraction
from math import isfinite

import pandas as pd

from benchmarks.results import RESULTS, write_svg
from miner.drawing.chart import Axis, Chart, Line, Point

WORDS = {1: "one group", 2: "two groups", 3: "three groups"}
ID3S = ("id3 faithful", "id3 auto")
FORESTS = ("forest faithful", "forest robust", "forest latent", "forest auto")
THETA = Axis("theta", (0.0, 1.0))
PAPER = {"adult-36": 0.89, "census-income": 0.88}  # undisguised AUC there


def line(name: str, rows: pd.DataFrame, column: str) -> Line:
    """A column of the summary against theta."""
    thetas = [float(Fraction(truth)) for truth in rows["truth"]]
    points = sorted(pair for pair in zip(thetas, rows[column].tolist(), strict=True) if isfinite(pair[1]))
    return Line(name, tuple(Point(theta, height) for theta, height in points))


def accuracies(summary: pd.DataFrame, name: str, column: str, what: str) -> Chart:
    """Du & Zhan's figures: a line for each learner and number of groups."""
    lines = []
    for learner in ID3S:
        for groups, words in WORDS.items():
            some = summary[(summary["learner"] == learner) & (summary["groups"] == groups)]
            lines.append(line(f"{learner}, {words}", some, column))
    told = f"The {what} of ID3 on {name} against theta, by the paper's rules and by default, for one to three groups."
    return Chart(f"{name}: {what}", told, THETA, Axis(what), tuple(lines))


def areas(summary: pd.DataFrame, name: str, *, disguised: bool) -> Chart:
    """Szucs's figure: a line for each mode, and what the paper says of plain data."""
    some = summary[(summary["data"] == name) & (summary["class_disguised"] == disguised)]
    lines = [line(learner, some[some["learner"] == learner], "auc") for learner in FORESTS]
    thetas = [float(Fraction(truth)) for truth in some["truth"]]
    paper = tuple(Point(theta, PAPER[name]) for theta in (min(thetas), max(thetas)))
    title = f"{name}, three groups, class {'disguised' if disguised else 'as it is'}"
    told = f"The AUC of the forest in its four modes against theta: {title}."
    return Chart(title, told, Axis("theta"), Axis("AUC"), (*lines, Line("undisguised, in the paper", paper)))


def main() -> None:
    """Draw what there is."""
    du_zhan, szucs = RESULTS / "du_zhan.csv", RESULTS / "szucs.csv"
    if du_zhan.exists():
        for name, some in pd.read_csv(du_zhan, dtype={"truth": str}).groupby("data"):
            stem = f"du_zhan_{name}".replace("-", "_")
            write_svg(f"{stem}_mean", accuracies(some, str(name), "accuracy", "mean of accuracy"))
            write_svg(f"{stem}_variance", accuracies(some, str(name), "accuracy_variance", "variance of accuracy"))
    if szucs.exists():
        summary = pd.read_csv(szucs, dtype={"truth": str})
        for name, disguised in dict.fromkeys(zip(summary["data"], summary["class_disguised"], strict=True)):
            stem = f"szucs_{name}_{'disguised' if disguised else 'plain'}_class".replace("-", "_")
            write_svg(stem, areas(summary, str(name), disguised=bool(disguised)))


if __name__ == "__main__":
    main()
