"""Compute the likelihood of responses, and its slopes, from the answers that may be behind each response (compiled)."""

import numpy as np
from numpy.typing import NDArray

from miner.arrays import Floats
from miner.compiled import bare, compiled

LOG_NEVER = -690.0  # smallest logarithm, approximately, whose exponential is an ordinary number
NEVER = np.exp(LOG_NEVER)
LEAST = 1e-300  # likelihood of a response below which it is treated as constant, with a slope of 0


@compiled
def logarithms(probabilities: Floats) -> Floats:
    """Return the natural logarithms of probabilities. Probabilities below the constant `NEVER` are replaced by it."""
    logs: Floats = np.log(np.maximum(probabilities, NEVER))
    return logs


@bare
def write_shares(scores: Floats, shares: Floats) -> None:
    """Write the softmax (class probabilities) of the scores of one row.

    The arrays of scores and of probabilities have shape (classes,), and may be the same array.
    """
    most, total = scores[0], 0.0
    for cls in range(1, len(scores)):
        most = max(most, scores[cls])
    for cls in range(len(scores)):
        shares[cls] = np.exp(scores[cls] - most)
        total += shares[cls]
    for cls in range(len(scores)):
        shares[cls] /= total


@compiled
def softmax(scores: Floats) -> Floats:
    """Return probabilities from logarithms that are known up to a constant for each row."""
    shares = np.empty(scores.shape)
    for row in range(len(scores)):
        write_shares(scores[row], shares[row])
    return shares


@bare
def _logarithm(sent: float, chances: Floats) -> float:
    """Return the log-likelihood of a response, or 0 if none of its possible answers has a probability above 0."""
    if sent > LEAST:
        return float(np.log(sent))
    for row in range(len(chances)):
        for cls in range(chances.shape[1]):
            if chances[row, cls] > 0.0:
                return float(np.log(LEAST))
    return 0.0


@compiled
def log_likelihoods(shares: Floats, chances: Floats, ends: NDArray[np.int64]) -> Floats:
    """Return the log-likelihood of each response, shape (responses,).

    A response has a log-likelihood of 0 if none of its rows has a probability above 0.

    Args:
        shares: P(class | row), shape (rows, classes).
        chances: P(row) P(response | row, class), shape (rows, classes).
        ends: End of the rows of each response, shape (responses,).
    """
    found, start = np.empty(len(ends)), 0
    for i in range(len(ends)):
        sent = 0.0
        for row in range(start, ends[i]):
            for cls in range(shares.shape[1]):
                sent += chances[row, cls] * shares[row, cls]
        found[i] = _logarithm(sent, chances[start : ends[i]])
        start = ends[i]
    return found


@compiled
def height_of(scores: Floats, chances: Floats, ends: NDArray[np.int64], counts: Floats) -> float:
    """Return the sum of the log-likelihoods of all responses.

    Args:
        scores: Log odds of the classes, shape (rows, classes).
        chances: P(row) P(response | row, class), shape (rows, classes).
        ends: End of the rows of each response, shape (responses,).
        counts: Number of people that each response represents, shape (responses,).
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
    """Return the log-likelihood of all responses, and the slope of one person's log-likelihood along each score.

    Responses of weight 0 have slopes of 0.
    """
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
