"""Estimate ratios of two means over responses, such as shares within a subgroup.

The share of an event E in a subgroup C is the estimate of "E and C" divided by the estimate of C. The interval of a
ratio (`MeanRatio`) contains every r for which the mean of ``W(E and C) - r W(C)`` may be 0, where W are the weights of
the responses (Fieller 1954, with score intervals in place of normal intervals). For undisguised responses the interval
is nearly Wilson's interval within the subgroup.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from math import sqrt

from collector.disclosure.precision import NORMAL_975
from miner.arrays import Floats
from miner.figures.estimate import FEWEST, Estimate, Range, ShareWithin
from miner.figures.score import score_limit

ROUNDING = 1e-9
FARTHEST = 1e3  # distance from the ratio beyond which no limit is searched for
HALVINGS = 36  # number of halvings of the distance to a limit, for eleven correct digits


@dataclass(frozen=True, eq=False)
class MeanRatio:
    """Ratio of two means over responses, such as the share of an event within a subgroup.

    Attributes:
        numerator: What a response with each pattern of codes adds to the numerator, shape (patterns,).
        denominator: What a response with each pattern of codes adds to the denominator, shape (patterns,).
        counts: Number of responses with each pattern, shape (patterns,).
        possible: Pairs (numerator, denominator) that a response could have, or the observed pairs if there are too
            many, shape (combinations, 2).
        ends: Pairs whose convex hull contains every possible pair, shape (pairs, 2).
    """

    numerator: Floats
    denominator: Floats
    counts: Floats
    possible: Floats
    ends: Floats

    @property
    def n(self) -> int:
        """Number of responses."""
        return round(float(self.counts.sum()))

    @cached_property
    def size(self) -> float:
        """Mean of the denominator over responses."""
        return float(self.counts @ self.denominator) / self.n

    @cached_property
    def value(self) -> float:
        """Mean of the numerator divided by the mean of the denominator."""
        return float(self.counts @ self.numerator) / self.n / self.size

    @cached_property
    def influence(self) -> Floats:
        """Influence of each response on the ratio (first-order approximation)."""
        terms: Floats = self.numerator - self.value * self.denominator
        return terms / self.size

    def covariance(self, first: Floats, second: Floats) -> float:
        """Return the covariance over responses of two variables with mean 0."""
        return float(self.counts @ (first * second)) / self.n

    @cached_property
    def estimate(self) -> ShareWithin:
        """Ratio with its 95 % interval."""
        return self.at(1.0)

    def at(self, times: float) -> ShareWithin:
        """Return the ratio with an interval that comes from intervals of means, made longer by the factor `times`.

        A ratio has no interval if its denominator does not differ significantly from 0.
        """
        ends = tuple((float(one), float(two)) for one, two in self.ends)
        found = ShareWithin(self.value, None, None, self.n, size=self.size, ends=ends)
        if self.n < FEWEST:
            return found
        error = sqrt(self.covariance(self.influence, self.influence) / (self.n - 1))
        low, high = (limit_of(lambda ratio: self.holds(ratio, times), self.value, side) for side in (-1, 1))
        interval = None if low is None or high is None or self._maybe_nobody(times) else (low, high)
        return replace(found, standard_error=error, interval=interval)

    def _maybe_nobody(self, times: float) -> bool:
        """Return whether the denominator does not differ significantly from 0."""
        spread = self.covariance(self.denominator - self.size, self.denominator - self.size)
        return self.size**2 * (self.n - 1) <= (times * NORMAL_975) ** 2 * spread

    @cached_property
    def _moments(self) -> tuple[list[float], list[float]]:
        """Second and third central moments of ``numerator - r denominator``, as coefficients of the powers of r."""
        one, two = self.numerator - self.value * self.size, self.denominator - self.size
        second = [self.covariance(one, one), -2 * self.covariance(one, two), self.covariance(two, two)]
        squares = one * one, two * two
        mixed = [-3 * self.covariance(squares[0], two), 3 * self.covariance(squares[1], one)]
        return second, [self.covariance(squares[0], one), *mixed, -self.covariance(squares[1], two)]

    def holds(self, ratio: float, times: float = 1.0) -> bool:
        """Return whether the mean of ``numerator - ratio * denominator`` may be 0."""
        mean, (second, third) = self.size * (self.value - ratio), self._moments
        variance = max(0.0, second[0] + ratio * (second[1] + ratio * second[2]))  # below 0 by rounding only
        skew = third[0] + ratio * (third[1] + ratio * (third[2] + ratio * third[3]))
        possible = self.possible[:, 0] - ratio * self.possible[:, 1]
        if mean > 0:
            return mean <= times * score_limit(mean - float(possible.min()), variance, -skew, self.n)
        return -mean <= times * score_limit(float(possible.max()) - mean, variance, skew, self.n)


def limit_of(holds: Callable[[float], bool], start: float, side: int) -> float | None:
    """Return a limit of the numbers that may be true, or None if there is no limit within `FARTHEST` of the start.

    Args:
        holds: Function that returns whether a number may be true.
        start: Number that may be true.
        side: 1 for the upper limit, -1 for the lower limit.
    """
    reach = 2.0**-6
    while holds(start + side * reach):
        reach *= 2
        if reach > FARTHEST:
            return None
    inside, outside = start, start + side * reach
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if holds(middle) else (inside, middle)
    return inside


def distances_to_limits(one: Estimate, other: Estimate, correlation: float) -> Range | None:
    """Return the distances from a difference of two shares to the limits of its interval (Zou & Donner 2008)."""
    if one.interval is None or other.interval is None:
        return None
    below = one.estimate - one.interval[0], other.interval[1] - other.estimate
    above = one.interval[1] - one.estimate, other.estimate - other.interval[0]
    return _joined(below, correlation), _joined(above, correlation)


def _joined(distances: Range, correlation: float) -> float:
    """Return the distance from a difference of two shares to a limit of its interval."""
    one, other = distances
    return sqrt(max(0.0, one**2 + other**2 - 2 * correlation * one * other))
