"""Compute the (epsilon, delta) of counts that are sampled and hidden below a threshold, without noise.

Every record is kept with probability beta, and a count below k is published as 0. A published theorem (Li, Qardaji & Su
2012; Waseda et al. 2024) bounds delta for one released histogram:

    gamma = (e^epsilon - 1 + beta) / e^epsilon
    delta = max over n >= ceil(k / gamma - 1) of P[Binomial(n, beta) > gamma n],   if epsilon >= -ln(1 - beta).

The exact delta is the hockey-stick divergence between the distributions of the published count for n and n + 1 records,
in the worse direction and at the worst n. Computed deltas are rounded up by `MARGIN`, which is far above the error of
the floating-point sums.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import ceil, exp, floor, log, log1p

import numpy as np

from collector.errors import QueryError
from miner.arrays import Floats

MARGIN = 1e-9  # relative margin by which results are rounded to the safe side
FINEST = 10**6  # inverse of the unit of which solved shares and epsilons are whole multiples
MOST_RECORDS = 200_000  # largest number of records of a cell that is examined
MOST_K = 10_000


@dataclass(frozen=True)
class SampledCount:
    """Count of sampled records, which is published as 0 if it is below a threshold.

    Attributes:
        k: Smallest published count, at least 1.
        beta: Sampling probability, exact, above 0 and below 1.
    """

    k: int
    beta: Fraction

    def __post_init__(self) -> None:
        if self.k < 1:
            raise QueryError("k", "k is below 1", "give the smallest count that is published")
        if not 0 < self.beta < 1:
            raise QueryError("beta", "beta is not between 0 and 1", "give the share of records to draw")

    @property
    def least_epsilon(self) -> float:
        """Return -ln(1 - beta), the smallest epsilon for which the published theorem holds."""
        return -log1p(-float(self.beta))

    def admits(self, epsilon: float) -> bool:
        """Return whether the published theorem holds at an epsilon."""
        return epsilon >= self.least_epsilon

    def theorem_delta(self, epsilon: float) -> float:
        """Return the delta that the published theorem gives for an epsilon.

        Raises:
            QueryError: If epsilon is too small for the theorem.
        """
        if not self.admits(epsilon):
            raise QueryError("epsilon", "epsilon is below -ln(1 - beta)", "raise epsilon, or sample fewer records")
        share = _threshold(epsilon, self.beta)
        first = max(0, ceil(self.k / share - 1))
        return _worst(lambda n: _above(n, share * n, self.beta), lambda n: _tail(n, share, self.beta), first)

    def exact_delta(self, epsilon: float) -> float:
        """Return the smallest delta that is valid for an epsilon."""
        share = _threshold(epsilon, self.beta)
        other = 1 - (1 - float(self.beta)) * exp(epsilon)  # below it: removing the record shows, if epsilon is small
        return _worst(
            lambda n: max(_hockey_stick(n, n + 1, self, epsilon), _hockey_stick(n + 1, n, self, epsilon)),
            lambda n: _tail(n, share, self.beta) + (_tail(n, other, self.beta) if other > 0 else 0.0),
            max(0, self.k - 1),
        )


def least_k(beta: Fraction, epsilon: float, delta: float, *, exact: bool = True) -> int:
    """Return the smallest threshold k that gives (epsilon, delta).

    Raises:
        QueryError: If no threshold up to 10,000 gives (epsilon, delta).
    """
    high = 1
    while _delta(SampledCount(high, beta), epsilon, exact=exact) > delta:
        high *= 2
        if high > MOST_K:
            raise QueryError("k", "no smallest count up to 10,000 is enough", "sample fewer records, or raise epsilon")
    low = high // 2  # not enough, or 0
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (
            (middle, high) if _delta(SampledCount(middle, beta), epsilon, exact=exact) > delta else (low, middle)
        )
    return high


def largest_beta(k: int, epsilon: float, delta: float, *, exact: bool = True) -> Fraction:
    """Return the largest sampling probability that gives (epsilon, delta) and for which the theorem holds.

    Raises:
        QueryError: If even a sampling probability of one millionth does not give (epsilon, delta).
    """
    most = floor((1 - exp(-epsilon)) * FINEST)
    units = _last(lambda each: _delta(SampledCount(k, Fraction(each, FINEST)), epsilon, exact=exact) <= delta, most)
    if not units:
        raise QueryError("beta", "no share of records is small enough", "raise k, epsilon or delta")
    return Fraction(units, FINEST)


def least_epsilon(k: int, beta: Fraction, delta: float, *, exact: bool = True) -> Fraction:
    """Return the smallest epsilon that gives delta and for which the theorem holds, rounded up to millionths.

    Raises:
        QueryError: If an epsilon of 20 is not enough.
    """
    cell = SampledCount(k, beta)
    low, high = ceil(cell.least_epsilon * FINEST) - 1, 20 * FINEST  # low is not admitted
    if _delta(cell, high / FINEST, exact=exact) > delta:
        raise QueryError("epsilon", "an epsilon of 20 is not enough", "raise k or delta, or sample fewer records")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _delta(cell, middle / FINEST, exact=exact) > delta else (low, middle)
    return Fraction(high, FINEST)


def _delta(cell: SampledCount, epsilon: float, *, exact: bool) -> float:
    return cell.exact_delta(epsilon) if exact else cell.theorem_delta(epsilon)


def _last(holds: Callable[[int], bool], most: int) -> int:
    """Return the largest number up to `most` for which a condition holds, or 0 if the condition never holds."""
    low, high = 0, most + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _threshold(epsilon: float, beta: Fraction) -> float:
    """Return the threshold (e^epsilon - 1 + beta) / e^epsilon of the published theorem."""
    return 1 - (1 - float(beta)) * exp(-epsilon)


def _worst(at: Callable[[int], float], bound: Callable[[int], float], first: int) -> float:
    """Return the maximum over n >= first of a function of n, rounded up."""
    worst, n = 0.0, first
    while bound(n) > worst and n - first < MOST_RECORDS:
        worst = max(worst, at(n))
        n += 1
    return min(1.0, max(worst, bound(n) if n - first >= MOST_RECORDS else 0.0) * (1 + MARGIN))


def _tail(n: int, share: float, beta: Fraction) -> float:
    """Return exp(-n KL(share || beta)), Chernoff's bound on P[Binomial(n, beta) > share n]."""
    mean = float(beta)
    if share >= 1:
        return exp(n * log(mean))
    divergence = share * log(share / mean) + (1 - share) * log((1 - share) / (1 - mean))
    return exp(-n * divergence)


def _masses(n: int, beta: Fraction) -> Floats:
    """Return P[Binomial(n, beta) = j] for j = 0..n."""
    logs = _log_factorials(n)
    j = np.arange(n + 1)
    masses: Floats = np.exp(logs[n] - logs[j] - logs[n - j] + j * log(beta) + (n - j) * log1p(-float(beta)))
    return masses


def _log_factorials(n: int) -> Floats:
    """Return the logarithms of 0!, ..., n!, and of some larger factorials."""
    return _logs(1 << n.bit_length())


@cache
def _logs(count: int) -> Floats:
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, count + 1)))])


def _above(n: int, bound: float, beta: Fraction) -> float:
    """Return P[Binomial(n, beta) > bound]."""
    return float(_masses(n, beta)[floor(bound) + 1 :][::-1].sum())  # small terms first


def _hockey_stick(n: int, other: int, cell: SampledCount, epsilon: float) -> float:
    """Return the hockey-stick divergence between the published counts of a cell of two different true sizes."""
    first, second = (_published(each, cell, max(n, other)) for each in (n, other))
    return float(np.maximum(first - exp(epsilon) * second, 0.0).sum())


def _published(n: int, cell: SampledCount, most: int) -> Floats:
    """Return the probability of each published count from 0 to `most` of a cell of n records."""
    masses = np.zeros(most + 1)
    masses[: n + 1] = _masses(n, cell.beta)
    masses[0] = masses[: cell.k].sum()
    masses[1 : cell.k] = 0.0
    return masses
