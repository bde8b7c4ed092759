"""Compute the part of the variance of AUC that is due to pairs of responses (`miner.evaluation.auc`).

The module computes the sum of k(i, j)^2 over all pairs of responses i and j. Let the vector m_i hold the signed masses
of response i in both classes at each score. With the signed masses m_i of response i, k(i, j) is m_i' K m_j for a
matrix K. Let S be the sum of m_i m_i' over all responses i. The sum of k(i, j)^2 over pairs is the trace of K S K S,
whose size does not depend on the number of responses. Scores are merged into a few levels of about equal mass. Merging
scores is accurate enough, because the part of the variance due to pairs is small.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from miner.arrays import Flags, Floats, Indices
from miner.evaluation.copies import Copies
from miner.threads import one_thread

STATES = 128  # largest number of states of a unit of mass: contrast, score, and positive or negative
FEWEST_LEVELS = 16  # smallest number of score levels of a contrast
ENTRIES = 2**20  # largest number of array entries in memory at a time
ROUNDING = 1e-12
MOST_RANKS = 2**20


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of one contrast: one class against all others.

    If there are more than `MOST_RANKS` distinct scores, as with drawn copies, neighbouring scores count as ties.
    Treating neighbouring scores as ties changes the order of at most one pair in a million.

    Attributes:
        label: Index of the positive class.
        rank: Rank of the score of each row of candidate answers, from 0, shape (places,).
        masses: Signed numbers of positive and of negative responses with each rank, shape (2, ranks).
    """

    label: int
    rank: NDArray[np.int32]
    masses: Floats

    @classmethod
    def of(cls, copies: Copies, score: Floats, label: int) -> Self:
        """Return the ranks of scores among the distinct scores."""
        rank = ranked(score)
        return cls(label, rank, copies.masses(rank, int(rank.max()) + 1, label))


@dataclass(frozen=True, eq=False)
class Ranked:
    """Merged scores of one contrast (one class against all others).

    Attributes:
        label: Index of the positive class.
        level: Index of the score level of each row of candidate answers, in 16 bits, shape (places,).
        levels: Number of score levels.
    """

    label: int
    level: NDArray[np.int16]
    levels: int

    @classmethod
    def of(cls, scores: Scores, seen: Flags, most: int) -> Self:
        """Merge the scores into at most `most` levels.

        Args:
            scores: All scores of the contrast.
            seen: Flags of the ranks that copies with a weight have, shape (ranks,).
            most: Largest number of score levels.
        """
        count = int(seen.sum())
        level = np.minimum(np.cumsum(seen) - seen, count - 1)
        if count > most:
            sizes = np.abs([np.bincount(level, mass) for mass in scores.masses]).sum(axis=0)
            middle = (np.cumsum(sizes) - sizes / 2) / sizes.sum()
            level, count = np.minimum((middle * most).astype(np.int16), most - 1)[level], most
        return cls(scores.label, level.astype(np.int16)[scores.rank], count)

    def kernel(self, ordered: float, every: float) -> Floats:
        """Return the matrix K of a contrast, which gives k(i, j) from the masses of two responses.

        Returns:
            A square matrix with two rows for each score level, those of the negatives first.
        """
        level = np.arange(self.levels)
        right = (level[:, None] < level) + (level[:, None] == level) / 2
        mixed, nothing = (right - ordered / every) / every, np.zeros_like(right)
        return np.block([[nothing, mixed], [mixed.T, nothing]])


def ranked(score: Floats) -> NDArray[np.int32]:
    """Return the rank of each score among the distinct scores, from 0, shape (places,).

    The number of ranks is at most `MOST_RANKS`.
    """
    levels = np.unique(score)
    if len(levels) > MOST_RANKS:
        levels = levels[np.arange(MOST_RANKS) * len(levels) // MOST_RANKS]
    rank = np.empty(len(score), np.int32)
    for start in range(0, len(score), ENTRIES):
        some = slice(start, start + ENTRIES)
        rank[some] = np.searchsorted(levels, score[some], side="right") - 1
    return rank


def seen_levels(copies: Copies, scores: Scores) -> Flags:
    """Return flags of the score ranks that occur among the copies, shape (ranks,)."""
    total = np.zeros(scores.masses.shape[1])
    for part in copies.parts():
        weights = np.broadcast_to(np.abs(part.weight).sum(axis=2), part.place.shape)
        total += np.bincount(scores.rank[part.place].ravel(), weights.ravel(), minlength=len(total))
    return np.asarray(total > ROUNDING)


def most_levels(contrasts: int) -> int:
    """Return how many score levels each of a number of contrasts may have."""
    return max(FEWEST_LEVELS, STATES // (2 * contrasts))


def pair_variance(copies: Copies, merged: Sequence[Ranked], areas: Sequence[tuple[float, float]]) -> float:
    """Return 2 V2 / (n (n - 1)), the part of the variance of AUC that the terms of responses count twice.

    Args:
        copies: Signed copies of the test responses.
        merged: Merged scores of each contrast.
        areas: Signed numbers of correctly ordered pairs and of all pairs of different responses, for each contrast.
    """
    kernels = [each.kernel(*area) / len(merged) for each, area in zip(merged, areas, strict=True)]
    ends = np.cumsum([0, *map(len, kernels)])
    whole, squares, alone = np.zeros((ends[-1], ends[-1])), np.zeros((ends[-1], ends[-1])), 0.0
    for begin, kernel in zip(ends[:-1], kernels, strict=True):
        whole[begin : begin + len(kernel), begin : begin + len(kernel)] = kernel
    with one_thread():
        for counts, states in _states(copies, merged, ends):
            squares += (states * counts[:, None]).T @ states
            alone += float(counts @ np.einsum("is,is->i", states @ whole, states) ** 2)
        turned = whole @ squares
    return 2 * (float((turned * turned.T).sum()) - alone)


def _states(copies: Copies, merged: Sequence[Ranked], ends: Indices) -> Iterator[tuple[Floats, Floats]]:
    """Yield the signed mass of each response in each class and score level, shape (rows, 2 x levels), in batches.

    Each batch comes with the number of equal responses that each of its rows represents.
    """
    width = int(ends[-1])
    for part in copies.parts(ENTRIES // max(width, copies.place.shape[1])):
        states, row = np.zeros(len(part.place) * width), np.arange(len(part.place))[:, None] * width
        for each, begin in zip(merged, ends, strict=False):
            state = row + begin + each.level[part.place]
            for mass, first in zip(part.masses_of(each.label), (each.levels, 0), strict=True):
                states += np.bincount((state + first).ravel(), mass.ravel(), minlength=len(states))
        yield part.counts, states.reshape(len(part.place), width)
