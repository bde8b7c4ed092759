"""The compiled loops of the mixture: patterns, responses, expected counts. Classes are always the last axis.

A *cell* is a group, or one question that is not disguised; a *pattern* is a state of a cell that occurs among the
responses. Nothing here is exponential in the number of groups: the coins of different groups are independent given
the class, and one group has only two accounts of what was sent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.int32]
Offsets = NDArray[np.int64]
F = TypeVar("F", bound=Callable[..., object])


def compiled(function: F) -> F:
    """The function, compiled at its first call and kept on disk from then on."""
    return cast("F", njit(cache=True, nogil=True)(function))


class PatternParts(NamedTuple):
    """All patterns of all cells, one after the other.

    Attributes:
        own: The code slots of each pattern.
        flipped: The slots of the complements; -1 where a lie says nothing about the truth.
        start: Shape (patterns + 1,): where each pattern's slots begin.
        log_truth: Shape (patterns,): ln theta of the pattern's cell.
        log_lie: Shape (patterns,): ln (1 - theta), less ln of the number of states under the uniform channel; -inf if
            the cell is never disguised.
    """

    own: Indices
    flipped: Indices
    start: Offsets
    log_truth: Floats
    log_lie: Floats


@compiled
def pattern_likelihoods(log_code: Floats, parts: PatternParts) -> tuple[Floats, Floats]:
    """What each class makes of each pattern.

    Args:
        log_code: Shape (code slots, classes): ln P(true code | class).
        parts: The patterns.

    Returns:
        ln P(pattern | class) and P(coin says truth | pattern, class), both of shape (patterns, classes).
    """
    patterns, classes = len(parts.start) - 1, log_code.shape[1]
    likelihood = np.empty((patterns, classes))
    truth = np.empty((patterns, classes))
    for pattern in range(patterns):
        for z in range(classes):
            kept = parts.log_truth[pattern]
            replaced = parts.log_lie[pattern]
            for k in range(parts.start[pattern], parts.start[pattern + 1]):
                kept += log_code[parts.own[k], z]
                if parts.flipped[k] >= 0:
                    replaced += log_code[parts.flipped[k], z]
            larger = max(kept, replaced)
            total = larger + np.log(np.exp(kept - larger) + np.exp(replaced - larger))
            likelihood[pattern, z] = total
            truth[pattern, z] = np.exp(kept - total)
    return likelihood, truth


@compiled
def response_pass(ids: Indices, likelihood: Floats, log_weights: Floats) -> tuple[float, Floats, Floats]:
    """The E-step over responses, summed at once: nothing of size responses x classes is kept.

    Args:
        ids: Shape (responses, cells): which pattern each response shows in each cell.
        likelihood: From `pattern_likelihoods`.
        log_weights: Shape (classes,): ln P(class).

    Returns:
        The log-likelihood, the expected number of responses of each (pattern, class), and of each class.
    """
    responses, cells = ids.shape
    classes = len(log_weights)
    counts = np.zeros(likelihood.shape)
    totals = np.zeros(classes)
    score = np.empty(classes)
    whole = 0.0
    for i in range(responses):
        for z in range(classes):
            score[z] = log_weights[z]
        for cell in range(cells):
            pattern = ids[i, cell]
            for z in range(classes):
                score[z] += likelihood[pattern, z]
        whole += normalise(score)
        for z in range(classes):
            totals[z] += score[z]
        for cell in range(cells):
            pattern = ids[i, cell]
            for z in range(classes):
                counts[pattern, z] += score[z]
    return whole, counts, totals


@compiled
def response_posteriors(ids: Indices, likelihood: Floats, log_weights: Floats) -> tuple[Floats, Floats]:
    """The logarithm of P(response), shape (responses,), and P(class | response), shape (responses, classes)."""
    responses, cells = ids.shape
    classes = len(log_weights)
    logs = np.empty(responses)
    posterior = np.empty((responses, classes))
    for i in range(responses):
        for z in range(classes):
            posterior[i, z] = log_weights[z]
        for cell in range(cells):
            for z in range(classes):
                posterior[i, z] += likelihood[ids[i, cell], z]
        logs[i] = normalise(posterior[i])
    return logs, posterior


@compiled
def normalise(score: Floats) -> float:
    """Turn log scores into probabilities in place; returns the log of their sum."""
    largest = score[0]
    for z in range(1, len(score)):
        largest = max(largest, score[z])
    total = 0.0
    for z in range(len(score)):
        score[z] = np.exp(score[z] - largest)
        total += score[z]
    for z in range(len(score)):
        score[z] /= total
    return float(largest + np.log(total))


@compiled
def code_counts(slots: int, counts: Floats, truth: Floats, parts: PatternParts) -> Floats:
    """Expected number of true codes that are known given the coin: shape (slots, classes).

    A pattern counts for its own codes when the coin said truth and for its complements when it did not. Where the
    replacement says nothing about the truth, a lie counts for nothing.
    """
    classes = counts.shape[1]
    expected = np.zeros((slots, classes))
    for pattern in range(len(parts.start) - 1):
        for k in range(parts.start[pattern], parts.start[pattern + 1]):
            for z in range(classes):
                kept = counts[pattern, z] * truth[pattern, z]
                expected[parts.own[k], z] += kept
                if parts.flipped[k] >= 0:
                    expected[parts.flipped[k], z] += counts[pattern, z] - kept
    return expected
