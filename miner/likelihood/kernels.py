"""Compiled: the likelihood of responses and its slopes, over the rows that may be behind each, in one pass."""

import numpy as np
from numpy.typing import NDArray

from miner.arrays import Floats
from miner.compiled import bare, compiled
from miner.latent.kernels import write_shares

LEAST = 1e-300  # likelihood of a response, below which it is taken for constant, its slope for 0


@bare
def _logarithm(sent: float, chances: Floats) -> float:
    """The logarithm of the likelihood of a response; 0 where no row has a chance."""
    if sent > LEAST:
        return float(np.log(sent))
    for row in range(len(chances)):
        for cls in range(chances.shape[1]):
            if chances[row, cls] > 0.0:
                return float(np.log(LEAST))
    return 0.0


@compiled
def height_of(scores: Floats, chances: Floats, ends: NDArray[np.int64], counts: Floats) -> float:
    """The log-likelihood of responses.

    Args:
        scores: Shape (rows, classes): log odds.
        chances: Shape (rows, classes): P(row) P(response | row, class).
        ends: Shape (responses,): where the rows of each response end.
        counts: Shape (responses,): the number of people that each stands for.
    """
    height, start, shares = 0.0, 0, np.empty(scores.shape[1])
    for i in range(len(ends)):
        if counts[i] > 0.0:
            sent = 0.0
            for row in range(start, ends[i]):
                write_shares(scores[row], shares)
                for cls in range(len(shares)):
                    sent += chances[row, cls] * shares[cls]
            height += counts[i] * _logarithm(sent, chances[start : ends[i]])
        start = ends[i]
    return height


@compiled
def slopes_along(scores: Floats, chances: Floats, ends: NDArray[np.int64], counts: Floats) -> tuple[float, Floats]:
    """`height_of`, and the slope of one person's log-likelihood along each score; 0 for responses of weight 0."""
    height, start, slopes = 0.0, 0, np.zeros(scores.shape)
    classes = scores.shape[1]
    for i in range(len(ends)):
        if counts[i] > 0.0:
            sent = 0.0
            for row in range(start, ends[i]):
                write_shares(scores[row], slopes[row])
                for cls in range(classes):
                    sent += chances[row, cls] * slopes[row, cls]
            height += counts[i] * _logarithm(sent, chances[start : ends[i]])
            for row in range(start, ends[i]):
                whole = 0.0
                for cls in range(classes):
                    whole += chances[row, cls] * slopes[row, cls]
                for cls in range(classes):
                    slopes[row, cls] = slopes[row, cls] * (chances[row, cls] - whole) / sent if sent > LEAST else 0.0
        start = ends[i]
    return height, slopes


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
        ends: As for `height_of`.
        counts: As for `height_of`.
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
