"""Estimate ratios of two means over responses, such as shares within a subgroup, with intervals and differences.

The share of an event E in a subgroup C is the estimate of "E and C" divided by the estimate of C. The interval of a
`Figure` contains every r for which the mean of ``W(E and C) - r W(C)`` may be 0, where W are the weights of the
responses (Fieller 1954, with score intervals in place of normal intervals). For undisguised responses the interval is
nearly Wilson's interval within the subgroup. The interval of a difference combines the distances from both figures to
their limits (Zou & Donner 2008), and includes the correlation of both, which come from the same responses.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from math import sqrt

from miner.arrays import Floats
from miner.figures.estimate import FEWEST, Difference, Estimate, Range, ShareWithin
from miner.figures.score import normal_quantile, score_limit

ROUNDING = 1e-9
FARTHEST = 1e3  # distance from the ratio beyond which no limit is searched for
HALVINGS = 36  # number of halvings of the distance to a limit, for eleven correct digits


@dataclass(frozen=True, eq=False)
class Figure:
    """Ratio of two means over the responses of a simple random sample.

    Attributes:
        numerator: What a response with each pattern of codes adds to the numerator, shape (patterns,).
        denominator: What a response with each pattern of codes adds to the denominator, shape (patterns,).
        masses: Number of people whom the responses with each pattern stand for, shape (patterns,).
        possible: Pairs (numerator, denominator) that a response could have, or the observed pairs if there are too
            many, shape (combinations, 2).
        ends: Pairs whose convex hull contains every possible pair, shape (pairs, 2), or none if they are not known.
    """

    numerator: Floats
    denominator: Floats
    masses: Floats
    possible: Floats
    ends: Floats

    @cached_property
    def n(self) -> int:
        """Number of responses."""
        return round(float(self.masses.sum()))

    @cached_property
    def mass(self) -> float:
        """Number of people whom the responses stand for."""
        return self.n

    @cached_property
    def size(self) -> float:
        """Mean of the denominator over people."""
        return float(self.masses @ self.denominator) / self.mass

    @cached_property
    def value(self) -> float:
        """Mean of the numerator divided by the mean of the denominator."""
        return float(self.masses @ self.numerator) / self.mass / self.size

    @cached_property
    def influence(self) -> Floats:
        """Influence of each response on the ratio (first-order approximation)."""
        terms: Floats = self.numerator - self.value * self.denominator
        return terms / self.size

    def moment(self, first: Floats, second: Floats) -> float:
        """Return the mean over people of the product of two variables."""
        return float(self.masses @ (first * second)) / self.mass

    def covariance(self, first: Floats, second: Floats) -> float:
        """Return the covariance of two means times `left`, given the influence of each response on each of them."""
        return self.moment(first, second)

    @property
    def left(self) -> int:
        """Divisor of `covariance`."""
        return self.n - 1

    @cached_property
    def standard_error(self) -> float:
        """Standard error by linearisation."""
        return sqrt(max(0.0, self.covariance(self.influence, self.influence) / self.left))

    @cached_property
    def estimate(self) -> Estimate:
        """Ratio with its interval."""
        return self.at(1.0)

    def at(self, times: float) -> ShareWithin:
        """Return the ratio with an interval that comes from intervals of means, made longer by the factor `times`.

        A ratio has no interval if its denominator does not differ significantly from 0.
        """
        ends = tuple((float(one), float(two)) for one, two in self.ends)
        found = ShareWithin(self.value, None, None, self.n, size=self.size, ends=ends)
        if self.n < FEWEST:
            return found
        return replace(found, standard_error=self.standard_error, interval=self.fieller(times))

    def fieller(self, times: float = 1.0) -> Range | None:
        """Return the limits of the interval, or None if the denominator may be 0 or a limit is unbounded."""
        spread = self.covariance(self.influence_on_size, self.influence_on_size)
        if self.size**2 * self.left <= (times * self.quantile) ** 2 * spread:
            return None
        low, high = (limit_of(lambda ratio: self.room(ratio, times) >= 0, self.value, side) for side in (-1, 1))
        return None if low is None or high is None else (low, high)

    @property
    def quantile(self) -> float:
        """Quantile of the distribution of an estimate divided by its standard error, for the level of intervals."""
        return normal_quantile()

    @property
    def influence_on_size(self) -> Floats:
        """Influence of each response on the mean of the denominator."""
        return self.denominator - self.size

    @cached_property
    def _moments(self) -> tuple[list[float], list[float]]:
        """Second and third central moments of ``numerator - r denominator``, as coefficients of the powers of r."""
        one, two = self.numerator - self.value * self.size, self.denominator - self.size
        second = [self.moment(one, one), -2 * self.moment(one, two), self.moment(two, two)]
        squares = one * one, two * two
        mixed = [-3 * self.moment(squares[0], two), 3 * self.moment(squares[1], one)]
        return second, [self.moment(squares[0], one), *mixed, -self.moment(squares[1], two)]

    def variance_at(self, ratio: float) -> float:
        """Return the variance over people of ``numerator - ratio * denominator``."""
        second, _ = self._moments
        return max(0.0, second[0] + ratio * (second[1] + ratio * second[2]))  # below 0 by rounding only

    def room(self, ratio: float, times: float = 1.0) -> float:
        """Return how far a ratio is inside the interval, in units of the mean of ``numerator - ratio denominator``."""
        mean = self.size * (self.value - ratio)
        return times * self.reach(ratio, -1 if mean > 0 else 1) - abs(mean)

    def reach(self, ratio: float, side: int) -> float:
        """Return how far below or above 0 the mean of ``numerator - ratio * denominator`` may be.

        Args:
            ratio: Ratio.
            side: -1 if the estimated mean is above 0, so that its lower limit counts, and otherwise 1.
        """
        mean, (_, third) = self.size * (self.value - ratio), self._moments
        skew = side * (third[0] + ratio * (third[1] + ratio * (third[2] + ratio * third[3])))
        possible = self.possible[:, 0] - ratio * self.possible[:, 1]
        return self.limit(ratio, mean - float(possible.min()) if side < 0 else float(possible.max()) - mean, skew)

    def limit(self, ratio: float, room: float, skew: float) -> float:
        """Return the distance from the mean of ``numerator - ratio * denominator`` to its limit (`score_limit`)."""
        return score_limit(room, self.variance_at(ratio), skew, self.n)

    def minus(self, other: "Figure") -> Difference:
        """Return this figure minus another figure of the same responses."""
        if self.estimate.standard_error is None or other.estimate.standard_error is None:
            return Difference(self.value - other.value, None, None, self.n)
        gaps = self.influence - other.influence
        error = sqrt(max(0.0, self.covariance(gaps, gaps) / self.left))
        spreads = self.covariance(self.influence, self.influence) * self.covariance(other.influence, other.influence)
        together = self.covariance(self.influence, other.influence) / sqrt(spreads) if spreads > 0 else 0.0
        return difference_of(self.estimate, other.estimate, self.n, error, together)


def difference_of(one: Estimate, other: Estimate, n: int, error: float | None, correlation: float) -> Difference:
    """Return the difference of two estimates, with an interval by Zou & Donner (2008).

    Args:
        one: First estimate.
        other: Estimate that is subtracted.
        n: Number of responses.
        error: Standard error of the difference, or None if it is not known.
        correlation: Correlation of the two estimates.
    """
    value = one.estimate - other.estimate
    if error is None or one.interval is None or other.interval is None:
        return Difference(value, error, None, n)
    below = _joined(one.estimate - one.interval[0], other.interval[1] - other.estimate, correlation)
    above = _joined(one.interval[1] - one.estimate, other.estimate - other.interval[0], correlation)
    return Difference(value, error, (value - below, value + above), n)


def _joined(one: float, other: float, correlation: float) -> float:
    """Return the distance from a difference to a limit of its interval, from the distances of two estimates."""
    return sqrt(max(0.0, one**2 + other**2 - 2 * correlation * one * other))


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
