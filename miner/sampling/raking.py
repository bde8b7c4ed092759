"""Raking: factors of sampling weights so that the margins of some questions are those of the population.

The factors belong to true answers: one for each combination of values, the product of a factor for each margin (Deming
& Stephan 1940). What a response counts for an answer with a factor is the factor times its signed weight for that
answer, so that margins of disguised questions are met, too, and a question sent as it is is raked as ever.

Raked totals vary as those of residuals do: of what is summed, less its regression on the margins by the sampling
weights before raking (Deville & Sarndal 1992).
"""

from collections.abc import Sequence

import numpy as np

from collector.errors import QueryError
from miner.arrays import Floats

MOST_CELLS = 400  # combinations of values that are raked by
MOST_ROUNDS = 2000
CLOSE = 1e-12  # relative distance of a margin from the population's
EMPTY = 1e-9  # share of people below which a value is taken for nobody's
PLACE = "raking"


def raked_factors(table: Floats, margins: Sequence[Floats], names: Sequence[str]) -> Floats:
    """The factor of each cell of a table.

    Args:
        table: The estimated number of people, of one axis for each margin; may be below 0 in cells.
        margins: For each axis the numbers in the population.
        names: Names of the questions, for errors.

    Raises:
        QueryError: If a value has people in the population and is estimated at nobody; or no factors are found.
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
    raise QueryError(PLACE, "no factors meet all margins", "leave out a question, or join values that few have")


def residuals(table: Floats, sums: Floats, indicators: Floats) -> Floats:
    """Sums over cells less their regression on the margins.

    Args:
        table: Shape (cells,): estimated numbers of people by the sampling weights before raking.
        sums: Shape (cells, sums).
        indicators: Shape (cells, values of all margins): 1 where the cell has the value.
    """
    weighted = indicators * table[:, None]
    slopes = np.linalg.pinv(weighted.T @ indicators) @ (weighted.T @ sums)
    found: Floats = sums - indicators @ slopes
    return found
