"""Estimate ratios of two estimates, such as shares within a subgroup, precision or AUC.

The share of an event E in a subgroup C is the estimate of "E and C" divided by the estimate of C. The interval of a
ratio (`MeanRatio`) contains every r for which the mean of ``W(E and C) - r W(C)`` may be 0, where W are the weights of
the responses (Fieller 1954, with score intervals in place of normal intervals). For undisguised responses the interval
is nearly Wilson's interval within the subgroup.

Other ratios (`mean_ratio`) have the standard error and interval of the mean of their influence function, ``r +
(numerator - r denominator) / mean denominator``. If the denominator does not differ significantly from 0, the interval
of a ratio is None, because it would have no limits (Fieller 1954).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf, isfinite, sqrt
from typing import Any, ClassVar

import numpy as np

from collector.disclosure.false_responses import Shift
from collector.disclosure.precision import NORMAL_975
from miner.arrays import Floats
from miner.estimates.estimate import FEWEST, Estimate, Range, mean_estimate
from miner.estimates.score import score_limit

ROUNDING = 1e-9
FARTHEST = 1e3  # distance from the ratio beyond which no limit is searched for
HALVINGS = 36  # number of halvings of the distance to a limit, for eleven correct digits


@dataclass(frozen=True)
class Amount(Estimate):
    """Estimate of a quantity that may be above 1 but not below 0, such as a loss or a lift."""

    possible: ClassVar[Range] = (0.0, inf)

    @property
    def outside_unit_interval(self) -> bool:
        """Return False, because the quantity is not a share, so that it may be above 1."""
        return False

    @property
    def says_nothing(self) -> bool:
        """Return False, because the quantity is shown however wide its interval is."""
        return False

    @property
    def outside_possible_range(self) -> bool:
        """Whether the estimate is outside the possible range of the quantity."""
        return not self.model_based and not self.possible[0] <= self.estimate <= self.possible[1]

    @property
    def warning(self) -> str:
        """Explanation if the estimate is impossible; otherwise an empty text."""
        low, high = self.possible
        ends = f"{low:g} to {high:g}" if isfinite(high) else f"{low:g} and above"
        return self.impossible(self.possible, ends) if self.outside_possible_range else ""

    @property
    def as_json(self) -> dict[str, Any]:
        """The figures of the estimate as plain JSON values, with `outside_possible_range`."""
        return {**self.figures, "outside_possible_range": self.outside_possible_range}


@dataclass(frozen=True)
class Difference(Amount):
    """Estimated difference of two shares or of two accuracies."""

    possible: ClassVar[Range] = (-1.0, 1.0)


@dataclass(frozen=True)
class ShareWithin(Estimate):
    """Estimated share within a subgroup, which is a ratio of two estimates.

    Attributes:
        size: Estimated share of the subgroup among all respondents.
        ends: Pairs (numerator, denominator) whose convex hull contains all pairs of weights that a response can have.
    """

    size: float = field(default=1.0, repr=False, compare=False)
    ends: tuple[Range, ...] = field(default=(), repr=False, compare=False)

    def shift(self, false: int) -> Shift | None:
        """Return how far the share among true responses may differ from the estimate if some responses are false.

        Returns:
            Largest distances above and below the estimate, or None if the subgroup may be empty.
        """
        if false >= self.n:
            return None
        whole, part = self.n * self.size, self.n * self.size * self.estimate
        others = [(part - false * numerator, whole - false * denominator) for numerator, denominator in self.ends]
        if not others or min(denominator for _, denominator in others) <= 0:
            return None
        shares = [numerator / denominator for numerator, denominator in others]
        return Shift(max(0.0, self.estimate - min(shares)), max(0.0, max(shares) - self.estimate))

    @property
    def figures(self) -> dict[str, Any]:
        """The figures of the estimate as plain JSON values."""
        found = super().figures
        return {key: value for key, value in found.items() if key not in {"size", "ends"}}


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


def ratio(numerator: Floats, denominator: Floats, counts: Floats) -> Estimate | None:
    """Estimate the ratio of two means over responses (see `mean_ratio`)."""
    return mean_ratio([(numerator, denominator)], counts)


def mean_ratio(parts: Sequence[tuple[Floats, Floats]], counts: Floats) -> Estimate | None:
    """Estimate the mean of several ratios, each of which is a ratio of two means over responses.

    Args:
        parts: Pairs (numerator, denominator) of arrays of shape (rows,).
        counts: Number of responses that each row stands for, shape (rows,).

    Returns:
        Mean ratio, or None if a denominator is not estimated above 0. The estimate has no interval if a denominator is
        less than 1.96 standard errors above 0.
    """
    n = round(float(counts.sum()))
    terms, are_clear, reach = np.zeros(len(counts)), True, 0.0
    for numerator, denominator in parts:
        below = float(counts @ denominator) / n
        if below <= 0:
            return None
        value = float(counts @ numerator) / n / below
        terms += (value + (numerator - value * denominator) / below) / len(parts)
        reach += float(denominator.max()) / below / len(parts)
        squares = float(counts @ (denominator - below) ** 2)
        are_clear = are_clear and below**2 * n * max(1, n - 1) > NORMAL_975**2 * squares
    found = mean_estimate(terms, _extremes(terms, reach), counts)
    return found if are_clear or n < FEWEST else replace(found, interval=None)


def weighted_sum(parts: Sequence[tuple[float, Estimate]], n: int, start: float = 0.0) -> Estimate:
    """Return a constant plus a weighted sum of independent estimates, with an interval by Zou & Donner (2008).

    If an estimate has no interval, the sum has neither a standard error nor an interval.
    """
    value, low, high, error = sum((times * each.estimate for times, each in parts), start), 0.0, 0.0, 0.0
    for times, each in parts:
        if each.interval is None or each.standard_error is None:
            return Estimate(value, None, None, n)
        below, above = sorted(times * (limit - each.estimate) for limit in each.interval)
        low, high, error = low + below**2, high + above**2, error + (times * each.standard_error) ** 2
    return Estimate(value, sqrt(error), (value - sqrt(low), value + sqrt(high)), n)


def of_variance(found: Estimate, variance: float) -> Estimate:
    """Return an estimate with another variance, and with the interval scaled in proportion."""
    if not found.standard_error:
        return found
    error = sqrt(variance)
    times = error / found.standard_error
    limits = None
    if found.interval is not None:
        low, high = (found.estimate + times * (limit - found.estimate) for limit in found.interval)
        limits = low, high
    return replace(found, standard_error=error, interval=limits)


def _extremes(terms: Floats, reach: float) -> Range:
    """Return the smallest and largest of some terms, further apart if all terms are equal.

    If all numbers are equal, as for a share of 0 or 1, the range includes the number of one imaginary response.
    """
    least, most = float(terms.min()), float(terms.max())
    if most - least > ROUNDING:
        return least, most
    return least - abs(least) * reach, most + abs(1 - most) * reach
