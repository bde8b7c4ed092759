"""Compiled: log odds of rows from effects, and slopes along effects from slopes along log odds."""

import numpy as np
from numpy.typing import NDArray

from miner.arrays import Floats
from miner.compiled import compiled


@compiled
def scored(places: NDArray[np.int32], intercept: Floats, effects: Floats) -> Floats:
    """Shape (rows, classes): log odds.

    Args:
        places: Shape (rows, terms): which effect of each term a row has.
        intercept: Shape (classes,).
        effects: Shape (effects, classes).
    """
    scores, own = np.empty((len(places), len(intercept))), np.empty(len(intercept))
    for row in range(len(places)):
        for cls in range(len(own)):
            own[cls] = intercept[cls]
        for term in range(places.shape[1]):
            place = places[row, term]
            for cls in range(len(own)):
                own[cls] += effects[place, cls]
        for cls in range(len(own)):
            scores[row, cls] = own[cls]
    return scores


@compiled
def gathered(
    places: NDArray[np.int32], slopes: Floats, ends: NDArray[np.int64], counts: Floats, effects: int
) -> tuple[Floats, Floats]:
    """Sums of slopes, each times the people of its response: shapes (classes,) and (effects, classes).

    Args:
        places: As for `scored`.
        slopes: Shape (rows, classes).
        ends: Shape (responses,): where the rows of each response end.
        counts: Shape (responses,): the number of people that each stands for.
        effects: Number of effects.
    """
    level, along, start = np.zeros(slopes.shape[1]), np.zeros((effects, slopes.shape[1])), 0
    own = np.empty(slopes.shape[1])
    for i in range(len(ends)):
        for row in range(start, ends[i]):
            for cls in range(len(own)):
                own[cls] = counts[i] * slopes[row, cls]
                level[cls] += own[cls]
            for term in range(places.shape[1]):
                place = places[row, term]
                for cls in range(len(own)):
                    along[place, cls] += own[cls]
        start = ends[i]
    return level, along
