"""Compute split scores as exact integers of bounded sensitivity (Friedman & Schuster 2010, section 4).

A score is computed from the class counts of a question's values, shape (..., values, classes). Sensitivities are for
adding or removing one record. Split scores are sums over records, not means. Fractional scores are rounded down to
units of 1 / `UNIT`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, log, log2

import numpy as np
from numpy.typing import NDArray

from miner.release.noise import Counts

UNIT = 1024


@dataclass(frozen=True)
class Score:
    """Score of a split, with its sensitivity to one record.

    Attributes:
        of: Function from counts, shape (..., values, classes), to scores in whole numbers, shape (...).
        sensitivity: Function from the largest number of records to the sensitivity, in the units of the score.
        monotone: Whether adding a record never raises scores, or never lowers scores.
    """

    of: Callable[[Counts], Counts]
    sensitivity: Callable[[int], int]
    monotone: bool


def max_operator(counts: Counts) -> Counts:
    """Return the number of records whose class is the most frequent one among records with the same value."""
    score: Counts = counts.max(axis=-1).sum(axis=-1)
    return score


def gini(counts: Counts) -> Counts:
    """Return minus the Gini impurity: minus the sum over values of (n - sum over classes of c^2 / n).

    In this formula, c is the number of records of a class, among n records with a value. Adding a record of the class
    changes n - sum c^2 / n by 1 - (2 c + 1 - sum c^2 / n) / (n + 1), which is at least 0 and below 2.
    """
    size, squares = counts.sum(axis=-1), (counts * counts).sum(axis=-1)
    score: Counts = -(UNIT * size + -(UNIT * squares) // np.maximum(size, 1)).sum(axis=-1)
    return score


def information(counts: Counts) -> Counts:
    """Return the sum of c log2(c / n) over values and classes, where c of the n records with a value have a class.

    One record changes the sum by at most log2(n + 1) + 1 / ln 2 (Friedman & Schuster 2010).
    """
    size = counts.sum(axis=-1, keepdims=True)
    shares = np.divide(counts, size, out=np.ones(counts.shape), where=counts > 0)
    bits: NDArray[np.float64] = (counts * np.log2(shares)).sum(axis=-1)
    score: Counts = np.floor(UNIT * bits).astype(np.int64).sum(axis=-1)
    return score


def _information_sensitivity(most: int) -> int:
    """Return the sensitivity of the information gain, rounded up to be safe."""
    return ceil(UNIT * (log2(most + 1) + 1 / log(2))) + 3


SCORES = {
    "max": Score(max_operator, lambda most: 1, monotone=True),  # noqa: ARG005 - any table
    "gini": Score(gini, lambda most: 2 * UNIT, monotone=True),  # noqa: ARG005 - any table
    "gain": Score(information, _information_sensitivity, monotone=False),
}
