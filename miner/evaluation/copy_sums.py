"""Compute exact sums over all signed copies, one group after the other.

A copy of a whole response combines one copy (codes as sent, or as replaced) for each group of questions. If a number
depends on answers and class, its sum over copies is a product of matrices, one for each group. The matrix of a group
holds signed weights, shape (combinations of codes, candidate answers). The cost of exact sums grows with the number of
possible rows of answers, and hardly with the number of responses. With thirteen coins there are 8,192 possible rows of
answers, whether there are a thousand or ten million responses.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from collector.survey.survey import Survey
from miner.arrays import Floats, Indices
from miner.counting.factors import Factor, factors_of, largest_sum
from miner.responses.possible import with_unasked
from miner.responses.responses import Responses, Values

MOST_ROWS = 2**21  # largest number of rows of answers, each of which is predicted
MOST_STATES = 2**23  # largest number of pairs of codes and candidate answers; they take 64 MB


@dataclass(frozen=True, eq=False)
class SumAxis:
    """Weights of the possible answers to one group's questions, for exact sums over copies.

    Attributes:
        table: Value indices, or -1 outside the group, shape (answers, questions of the survey).
        weights: Sparse weights, shape (combinations of codes, answers), or (combinations of codes, answers x classes)
            if the class question belongs to the group.
        kind: Index of the row of `weights` that each response uses, shape (responses,).
        has_target: Whether the class question belongs to the group.
    """

    table: Values
    weights: Any
    kind: Indices
    has_target: bool

    @classmethod
    def of(cls, factor: Factor) -> SumAxis | None:
        """Return the weights of one group (factor), or None if the group has too many possible answers."""
        from scipy.sparse import csr_array  # type: ignore[import-untyped] # noqa: PLC0415 - it takes .2 s to import

        listed, has_target = factor.listed, factor.target in factor.columns
        if listed is None:
            return None
        classes = listed.weight.shape[2]
        weight = np.broadcast_to(listed.weight, (*listed.place.shape, classes))
        kind, answer, label = np.nonzero(weight)
        weights = csr_array(
            (weight[kind, answer, label], (kind, listed.place[kind, answer] * classes + label)),
            shape=(len(listed.place), len(listed.table) * classes),
        )
        return cls(listed.table, weights, factor.kind, has_target)


@dataclass(frozen=True, eq=False)
class CopySums:
    """Exact sums over all signed copies of each response.

    Attributes:
        counts: Number of equal responses that each row represents, shape (responses,).
        rows: Every row of candidate answers, with -1 for unused questions, shape (places, questions of the survey).
        axes: Weights of each group's answers.
        size: Largest sum of absolute weights that a response could have.
    """

    counts: Floats
    rows: Values
    axes: tuple[SumAxis, ...]
    size: float
    exact: bool = True
    times: float = 1.0

    @classmethod
    def of(cls, responses: Responses, counts: Floats, asked: Collection[str], target: str) -> CopySums | None:
        """Return exact sums over copies for some questions, or None if there are too many rows of answers.

        Args:
            responses: Distinct responses of people who were asked the class question and all the named questions.
            counts: Number of equal responses that each distinct response represents, shape (responses,).
            asked: Names of the questions that the classifier uses, and of the questions in their conditions.
            target: Name of the class question.
        """
        survey = responses.survey
        axes: list[SumAxis] = []
        for factor in factors_of(survey, asked, target, responses.codes):
            axis = SumAxis.of(factor)
            if axis is None:
                return None
            axes.append(axis)
            if prod(max(each.weights.shape) for each in axes) > MOST_STATES:
                return None
        if prod(len(axis.table) for axis in axes) > MOST_ROWS:
            return None
        return cls(
            counts, with_unasked(survey, _crossed(survey, axes)), tuple(axes), largest_sum(survey, asked, target)
        )

    def weighed(self, amounts: Floats) -> Floats:
        """Return the sum of `amounts`, times signed weights, over the copies of each response, shape (responses,).

        The array `amounts` has a number for each row of candidate answers and class, shape (places, classes).
        """
        return np.asarray(self._of_kinds(amounts)[tuple(axis.kind for axis in self.axes)])

    def ends(self, amounts: Floats) -> tuple[float, float]:
        """Return the smallest and the largest sum over a response's copies, among all combinations of codes."""
        found = self._of_kinds(amounts)
        return float(found.min()), float(found.max())

    def _of_kinds(self, amounts: Floats) -> Floats:
        """Return the sum over copies for every combination of sent codes, shape (codes of each group)."""
        home = next(number for number, axis in enumerate(self.axes) if axis.has_target)
        places = [len(axis.table) for axis in self.axes]
        state = np.moveaxis(np.asarray(amounts, np.float64).reshape([*places, amounts.shape[1]]), -1, home + 1)
        state = state.reshape([axis.weights.shape[1] for axis in self.axes])
        for number, axis in enumerate(self.axes):
            front = np.moveaxis(state, number, 0)
            summed = axis.weights @ front.reshape(len(front), -1)
            state = np.moveaxis(summed.reshape(-1, *front.shape[1:]), 0, number)
        return np.asarray(state)


def _crossed(survey: Survey, axes: Sequence[SumAxis]) -> Values:
    """Return all combinations of the groups' candidate answers, shape (combinations, questions of the survey)."""
    rows = np.full((1, len(survey.questions)), -1, np.int16)
    for axis in axes:
        rows = np.maximum(rows[:, np.newaxis], axis.table).reshape(-1, rows.shape[1])
    return rows
