"""Rake sampling weights, so that estimated frequencies of some questions equal known population frequencies.

Each combination of true answers gets a factor, which is the product of one factor for each raked question (Deming &
Stephan 1940). The weight of a response for a combination of answers is multiplied by the combination's factor, so
disguised questions can be raked, too.

The variance of a raked total is computed from residuals after regression on the raked values (Deville & Sarndal 1992).
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
    """Return the raking factor of each combination of values.

    Args:
        table: Estimated number of people with each combination of values, with one dimension for each raked question.
        margins: Number of people in the population with each value, for each raked question.
        names: Names of the raked questions, for error messages.

    Raises:
        QueryError: If a value that occurs in the population is estimated to have no people, or if raking does not
        converge.
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
    """Return residuals of numbers in cells after weighted regression on the raked values.

    Args:
        table: Estimated number of people in each cell before raking, shape (cells,).
        sums: Numbers in each cell, shape (cells, sums).
        indicators: 1 where a cell has a value and 0 elsewhere, shape (cells, values of all raked questions).
    """
    weighted = indicators * table[:, None]
    slopes = np.linalg.pinv(weighted.T @ indicators) @ (weighted.T @ sums)
    found: Floats = sums - indicators @ slopes
    return found
