"""Compute the likelihood of responses from the answers that may be behind each response, in compiled loops."""

import numpy as np
from numpy.typing import NDArray

from miner.arrays import Floats
from miner.compiled import bare, compiled

LOG_NEVER = -690.0  # smallest logarithm, approximately, whose exponential is an ordinary number
NEVER = np.exp(LOG_NEVER)
LEAST = 1e-300  # likelihood of a response below which it is treated as constant, with a slope of 0


@compiled
def logarithms(probabilities: Floats) -> Floats:
    """Return the natural logarithms of probabilities. Probabilities below `NEVER` are raised to it."""
    logs: Floats = np.log(np.maximum(probabilities, NEVER))
    return logs


@bare
def write_shares(scores: Floats, shares: Floats) -> None:
    """Write the softmax of one row of scores into an array."""
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
    """Return the softmax of each row of scores, shape (rows, classes)."""
    shares = np.empty(scores.shape)
    for row in range(len(scores)):
        write_shares(scores[row], shares[row])
    return shares


@bare
def _logarithm(sent: float, chances: Floats) -> float:
    """Return the log-likelihood of a response, or 0 if all its possible answers have probability 0."""
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

    A response whose possible answers all have probability 0 gets a log-likelihood of 0.

    Args:
        shares: P(class | row), where a row is a combination of answers that may be behind a response, shape (rows,
            classes).
        chances: P(row) P(response | row, class), shape (rows, classes).
        ends: Position after the last row of each response, shape (responses,).
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
        ends: Position after the last row of each response, shape (responses,).
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
    """Return the log-likelihood of all responses, and the slope of each person's log-likelihood by each score.

    Responses that represent 0 people have slopes of 0.
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
