"""Rake sampling weights: find factors so that the margins of some questions equal those of the population.

The factors belong to true answers. Each combination of values has a factor, which is the product of one factor for each
margin (Deming & Stephan 1940). The weight of a response for a combination of answers is the factor times the signed
weight for these answers. The margins of disguised questions therefore also equal those of the population. A plain
question (sent as it is) is raked as usual.

The variance of raked totals is that of residuals: of the summed numbers after regression on the margins, weighted by
the sampling weights before raking (Deville & Sarndal 1992).
"""

from collections.abc import Sequence

import numpy as np

from collector.errors import QueryError
from miner.arrays import Floats

MOST_CELLS = 400  # largest number of combinations of values to rake by
MOST_ROUNDS = 2000
CLOSE = 1e-12  # accepted relative distance of a margin from that of the population
EMPTY = 1e-9  # share of people below which a value counts as given by nobody
PLACE = "raking"


def raked_factors(table: Floats, margins: Sequence[Floats], names: Sequence[str]) -> Floats:
    """Return the factor of each cell of a table.

    Args:
        table: Estimated numbers of people, with one axis for each margin. The numbers of some cells may be below 0.
        margins: Numbers of people in the population, for each axis.
        names: Names of the questions, for errors.

    Raises:
        QueryError: If a value that occurs in the population has an estimate of 0 or less, or if raking finds no
        factors.
    """
    factors, least = np.ones(table.shape), EMPTY * float(np.abs(table).sum())
    for _ in range(MOST_ROUNDS):
        farthest = 0.0
        for axis, wanted in enumerate(margins):
            others = tuple(each for each in range(table.ndim) if each != axis)
            sums = (factors * table).sum(axis=others)
            empty = (sums <= least) & (wanted > 0)
            if empty.any():
                problem = f'too few responses are estimated to have a value of "{names[axis]}" to stand for its people'
                remedy = "join the value with another in the next version, or leave the question out of [rake]"
                raise QueryError(PLACE, problem, remedy)
            times = np.divide(wanted, sums, out=(wanted > 0).astype(np.float64), where=sums > least)
            farthest = max(farthest, float(np.abs(times[wanted > 0] - 1).max(initial=0)))
            factors = factors * np.expand_dims(times, others)
        if farthest < CLOSE or len(margins) == 1:
            return factors
    raise QueryError(PLACE, "no weights meet the margins of all questions", "leave out a question, or join rare values")


def residuals(table: Floats, sums: Floats, indicators: Floats) -> Floats:
    """Return the residuals of numbers in each cell, after regression on the margins.

    Args:
        table: Estimated numbers of people by the sampling weights before raking, shape (cells,).
        sums: Numbers that are summed over cells, shape (cells, sums).
        indicators: 1 for each value that a cell has and 0 for other values, shape (cells, values of all margins).
    """
    weighted = indicators * table[:, None]
    slopes = np.linalg.pinv(weighted.T @ indicators) @ (weighted.T @ sums)
    found: Floats = sums - indicators @ slopes
    return found
