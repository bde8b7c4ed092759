"""Accuracies of releases by cross-validation, and curves of them: what the reproduced papers all measure."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

import numpy as np

from benchmarks.results import write_csv, write_svg
from collector.commands.command import print_table
from miner.drawing.chart import Axis, Chart, Line, Point
from miner.release.cross_validated import Learner, cross_validated
from miner.release.table import TrustedTable

FOLDS = 10
COLUMNS = ("table", "what", "at", "accuracy", "standard_error")
EPSILON = "epsilon (one record added or removed)"
Row = tuple[str, str, float, float, float]
"""Data set, method, where it was measured (infinite: without noise), accuracy, its standard error."""


def measured(table: TrustedTable, learner: Learner, repeats: int, seed: int) -> tuple[float, float]:
    """Accuracy and its standard error over folds, rows dealt afresh for each repetition."""
    generator = np.random.default_rng(seed)
    runs = [each for _ in range(repeats) for each in cross_validated(table, learner, FOLDS, generator)]
    return float(np.mean(runs)), float(np.std(runs, ddof=1) / np.sqrt(len(runs)))


def chart(title: str, label: str, rows: Iterable[Row], *, logarithmic: bool = False) -> Chart:
    """Accuracy against whatever rows were measured at; what holds without noise as level lines."""
    listed = list(rows)
    finite = [row[2] for row in listed if row[2] < inf]
    lines = []
    for what in dict.fromkeys(row[1] for row in listed):
        points = tuple(Point(row[2], row[3]) for row in listed if row[1] == what and row[2] < inf)
        if points:
            lines.append(Line(what, points))
    for row in listed:
        if row[2] == inf:
            ends = (Point(min(finite), row[3]), Point(max(finite), row[3]))
            lines.append(Line(f"{row[1]}{', no noise' if row[1] == 'Private-RDT' else ''}", ends, frozenset()))
    best = max((row for row in listed if row[2] < inf), key=lambda row: row[3])
    text = f"Highest: {best[1]} with {best[3]:.3f} at {best[2]:g}. The figures are in the CSV file of the same name."
    return Chart(title, text, Axis(label, logarithmic=logarithmic), Axis("accuracy, 10-fold"), tuple(lines))


def write_curves(name: str, title: str, label: str, rows: Iterable[Row]) -> None:
    """Write rows down as CSV and SVG, and print them."""
    listed = list(rows)
    write_csv(name, COLUMNS, listed)
    write_svg(name, chart(title, label, listed, logarithmic=label == EPSILON))
    print_table(COLUMNS, [(*row[:2], *(f"{each:.4f}" for each in row[2:])) for row in listed])
