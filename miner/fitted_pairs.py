"""The reading of `miner.fitted_reading` where two answers have one code: of sets of combinations, far too many to list.

A response is the truth's code with probability theta, else any. With n points and sets of s of them, a set z that holds
the frequency h(z) is sent with chance proportional to q(z) = theta (n/s) h(z) + 1 - theta, and counts, for an event E,

    r(z) = (theta (n/s) m(z) + (1 - theta) M) / q(z)

where m(z) is what its combinations have of the solution m of G m = [. in E], and M what all have. G is a sum over all
sets: it is exact, and takes as many steps as there are sets times s^2.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from collector.pair_coding import AFFINE, PLAIN, PairCoding
from miner.pair_codes import Floats, PairCodes
from miner.pair_sets import affine_sums, subset_sums

Combinations = NDArray[np.intp]

MOST_STEPS = 10**9
"""Of a sum over all sets: about a second. Tables of more combinations keep the published reading."""


def can_be_fitted(coding: PairCoding) -> bool:
    """Whether there is more than one unbiased reading, and the best can be found in about a second."""
    return coding.scheme != PLAIN and coding.count * coding.size**2 <= MOST_STEPS


class FittedPair:
    """The reading of the codes of one table of two questions, fitted to frequencies.

    Args:
        coding: One that `can_be_fitted`.
        truth: theta.
        frequencies: Of the combinations: shape (K,), from 0, adding up to 1.
    """

    def __init__(self, coding: PairCoding, truth: float, frequencies: Floats) -> None:
        self._coding = coding
        self._sharp, self._lie = truth * coding.points / coding.size, 1 - truth
        self._chances = np.append(self._sharp * frequencies, self._lie)
        sums = affine_sums if coding.scheme == AFFINE else subset_sums
        shares = sums(coding.points, coding.size, self._chances) / coding.count
        with_any = np.hstack([self._sharp * np.eye(len(frequencies)), np.full((len(frequencies), 1), self._lie)])
        self._solutions = np.linalg.inv(with_any @ shares @ with_any.T)

    @property
    def variances(self) -> Floats:
        """Shape (K,): of what one response counts for each combination, if they have these frequencies."""
        frequencies = self._chances[:-1] / self._sharp
        found: Floats = self._solutions.diagonal() - frequencies**2
        return found

    def counted(self, pair: PairCodes, event: Combinations) -> Floats:
        """Shape (n,): what each of some responses in this coding counts for an event.

        Args:
            pair: The responses.
            event: Some of the combinations.
        """
        above, below = (
            amounts[-1] + np.append(amounts[:-1], 0)[pair.members].sum(axis=1) for amounts in self._of(event)
        )
        found: Floats = above / below
        return found

    def range(self, event: Combinations) -> tuple[float, float]:
        """No code counts less for an event, or more; where all points are combinations these are the ends.

        Args:
            event: Some of the combinations.
        """
        above, below = self._of(event)
        sizes = max(0, self._coding.size - self._coding.points + self._coding.combinations), self._coding.size
        return -_largest_ratio(np.stack([-above, below]), sizes), _largest_ratio(np.stack([above, below]), sizes)

    def _of(self, event: Combinations) -> tuple[Floats, Floats]:
        """A code counts what it has of the first over what it has of the second; the last of each is what all have."""
        solution = self._solutions[:, event].sum(axis=1)
        return np.append(self._sharp * solution, self._lie * solution.sum()), self._chances


def _largest_ratio(amounts: Floats, sizes: tuple[int, int]) -> float:
    """The largest ratio of what a set has of two amounts (Dinkelbach 1967).

    Args:
        amounts: Shape (2, K + 1), the last of each for every set; of the second there is never less than 0.
        sizes: The fewest and the most points of a set, of K.
    """
    ratio, chosen = -np.inf, np.arange(sizes[1])
    while True:
        above, below = amounts[:, chosen].sum(axis=1) + amounts[:, -1]
        if above / below <= ratio:
            return float(ratio)
        ratio = above / below
        gains = amounts[0, :-1] - ratio * amounts[1, :-1]
        best = np.argsort(-gains)[: sizes[1]]
        chosen = best[: max(sizes[0], int((gains[best] > 0).sum()))]
