"""Compare the accuracies of release families at several epsilons, by cross-validation on one table.

A comparison reads the data without privacy protection, so only the holder of the data may make a comparison. A release
whose method or epsilon was chosen by a comparison costs more than the ledger charges, unless the data are public. A
comparison seeds its noise, so its models cannot be released.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np

from collector.errors import QueryError
from collector.table.csv_cells import csv_lines
from miner.drawing.chart import Axis, Chart, Line, Point
from miner.json_values import JsonResult, json_values
from miner.learners.forest import ForestClassifier
from miner.learners.id3 import ID3Classifier
from miner.release.cross_validated import Learner, cross_validated, family_learner, majority, plain_learner
from miner.release.families.methods import METHODS, family
from miner.release.family import ReleaseMethod
from miner.release.seeded_noise import SeededNoise
from miner.release.table import TrustedTable

WARNING = (
    "This comparison used the data without protection. To choose a method or an epsilon by it and then release "
    "from the same data costs budget that nothing here charges, unless the data are public."
)
MAJORITY = "majority"
CEILINGS = ("id3, not private", "forest, not private")


@dataclass(frozen=True)
class MethodAccuracy(JsonResult):
    """Accuracy of one method at one epsilon.

    Attributes:
        method: The name of the method, or of the non-private learner.
        epsilon: Privacy cost of adding or removing a record, or None for a non-private learner.
        accuracy: Mean accuracy over all folds and repetitions.
        standard_error: Standard error of the mean accuracy, from the deviation between repetitions, or between folds if
            there is a single repetition.
        runs: Number of models that the mean is taken over.
    """

    method: str
    epsilon: Fraction | None
    accuracy: float
    standard_error: float
    runs: int


@dataclass(frozen=True)
class MethodComparison:
    """Accuracies of the compared release methods.

    Attributes:
        name: Name of the survey.
        rows: Number of rows of the table.
        cells: Accuracies in the order of methods and epsilons, followed by the non-private learners and the majority
            class.
    """

    name: str
    rows: int
    cells: tuple[MethodAccuracy, ...]

    @property
    def as_json(self) -> dict[str, Any]:
        """Return the comparison as plain JSON values."""
        return {"survey": self.name, "rows": self.rows, "cells": json_values(self.cells), "warning": WARNING}

    def csv_lines(self) -> Iterator[str]:
        """Return the CSV lines: a header, then one line for each method and epsilon."""
        rows: list[list[object]] = [["method", "epsilon", "accuracy", "standard_error", "runs"]]
        rows += [
            [c.method, "" if c.epsilon is None else c.epsilon, f"{c.accuracy:.5f}", f"{c.standard_error:.5f}", c.runs]
            for c in self.cells
        ]
        return csv_lines(rows)

    @property
    def chart(self) -> Chart:
        """Return a chart of accuracy against epsilon, with non-private accuracies as horizontal lines."""
        private = [cell for cell in self.cells if cell.epsilon is not None]
        ends = sorted({float(cell.epsilon) for cell in private if cell.epsilon is not None})
        lines = [
            Line(name, tuple(Point(float(c.epsilon or 0), c.accuracy) for c in private if c.method == name))
            for name in dict.fromkeys(cell.method for cell in private)
        ]
        lines += [
            Line(cell.method, tuple(Point(end, cell.accuracy) for end in (ends[0], ends[-1])), frozenset())
            for cell in self.cells
            if cell.epsilon is None
        ]
        best = max(private, key=lambda cell: cell.accuracy)
        text = (
            f"Cross-validated accuracy on {self.rows} rows of {self.name} against epsilon from {ends[0]:g} to "
            f"{ends[-1]:g}. Highest: {best.method} with {best.accuracy:.3f} at epsilon {float(best.epsilon or 0):g}."
        )
        axes = Axis("epsilon (one record added or removed)", logarithmic=len(ends) > 1), Axis("accuracy")
        return Chart(f"Accuracy against epsilon: {self.name}", text, *axes, tuple(lines))


def compare(  # noqa: PLR0913 - each is a choice of its own
    table: TrustedTable,
    methods: Sequence[str],
    epsilons: Sequence[Fraction],
    generator: np.random.Generator,
    *,
    parts: int = 10,
    repeats: int = 1,
    delta: Fraction | None = None,
) -> MethodComparison:
    """Compare the accuracies of release methods on one table by cross-validation.

    Args:
        table: Trusted table of true answers.
        methods: Names of release families (see `miner.release.families.methods`).
        epsilons: Privacy costs to compare, each positive.
        generator: Random generator that assigns rows to folds and draws structures and noise.
        parts: Number of folds of the cross-validation, from 2 to the number of rows.
        repeats: Number of times that rows are assigned to folds at random.
        delta: Delta of the guarantee, for families that need one.

    Raises:
        QueryError: If the table has fewer rows than folds, or a parameter is out of range.
    """
    if not 2 <= parts <= len(table):  # one part leaves nothing to learn from
        raise QueryError(
            "folds",
            "there are fewer than two folds, or more folds than rows",
            "choose a number from 2 to the number of rows",
        )
    size = len(table) * (parts - 1) // parts
    learners: list[tuple[str, Fraction | None, Learner]] = [
        (method, epsilon, family_learner(_family(method, epsilon, size, delta), SeededNoise))
        for method in methods
        for epsilon in epsilons
    ]
    learners += [
        (CEILINGS[0], None, plain_learner(ID3Classifier, "robust")),
        (CEILINGS[1], None, plain_learner(ForestClassifier, "robust")),
        (MAJORITY, None, majority),
    ]
    return MethodComparison(
        table.survey.name,
        len(table),
        tuple(
            cell_of(method, epsilon, [cross_validated(table, learner, parts, generator) for _ in range(repeats)])
            for method, epsilon, learner in learners
        ),
    )


def _family(method: str, epsilon: Fraction, size: int, delta: Fraction | None) -> ReleaseMethod:
    made: Any = METHODS[method][0] if method in METHODS else ReleaseMethod
    takes = "delta" in {each.name for each in fields(made)}
    return family(method, epsilon, size, delta=delta if takes else None)


def cell_of(method: str, epsilon: Fraction | None, runs: Sequence[Sequence[float]]) -> MethodAccuracy:
    """Return the mean accuracy over repetitions, and its standard error."""
    means = np.mean(runs, axis=1) if len(runs) > 1 else np.array(runs[0])
    error = float(means.std(ddof=1) / sqrt(len(means))) if len(means) > 1 else 0.0
    return MethodAccuracy(method, epsilon, float(np.mean(runs)), error, sum(map(len, runs)))
