"""Estimate ratios of two estimates, such as shares within a subgroup, precision or AUC. Ratios are not clipped.

The share of an event E in a subgroup C is the ratio of two estimates: of "E and C", and of C. The interval
(`MeanRatio`) contains every ratio r for which the interval of the mean of ``W(E and C) - r W(C)`` contains 0. At the
true ratio this mean is 0 (Fieller 1954, with the score interval of `miner.estimates.estimate` in place of the normal
interval). For undisguised responses the interval is nearly Wilson's interval within the subgroup. If the interval of a
mean holds at every look at the data, the interval of the ratio holds at every look, too.

To first order, other ratios are means of ``r + (numerator - r denominator) / mean denominator`` over responses (the
influence function). Their standard error and interval are therefore those of a mean. If the denominator does not differ
significantly from 0, no bounded interval contains the ratio, and the interval is None (Fieller 1954).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf, isfinite, sqrt
from typing import Any, ClassVar

import numpy as np

from collector.disclosure.false_responses import Shift
from collector.disclosure.precision import NORMAL_975
from miner.arrays import Floats
from miner.estimates.estimate import FEWEST, OUTSIDE, Estimate, Range, mean_estimate
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
        """Always False, because an amount is not a frequency."""
        return False

    @property
    def says_nothing(self) -> bool:
        """Always False, because the interval of an amount is always shown."""
        return False

    @property
    def outside_possible_range(self) -> bool:
        """Whether the estimate is outside its possible range."""
        return not self.model_based and not self.possible[0] <= self.estimate <= self.possible[1]

    @property
    def warning(self) -> str:
        """Explanation of an impossible estimate; an empty text for a possible one."""
        low, high = self.possible
        ends = f"{low:g} to {high:g}" if isfinite(high) else f"{low:g} and above"
        return OUTSIDE.format(ends) if self.outside_possible_range else ""

    @property
    def as_json(self) -> dict[str, Any]:
        """Plain JSON values: the `figures` and `outside_possible_range`."""
        return {**self.figures, "outside_possible_range": self.outside_possible_range}


@dataclass(frozen=True)
class Difference(Amount):
    """Estimated difference of two shares, or of two accuracies."""

    possible: ClassVar[Range] = (-1.0, 1.0)


@dataclass(frozen=True)
class ShareWithin(Estimate):
    """Estimated share within a subgroup, such as the respondents who were asked: a ratio of two estimates.

    Attributes:
        size: Estimated share of the subgroup among all respondents.
        ends: Pairs (numerator, denominator) whose convex hull contains every pair that a response can have.
    """

    size: float = field(default=1.0, repr=False, compare=False)
    ends: tuple[Range, ...] = field(default=(), repr=False, compare=False)

    def shift(self, false: int) -> Shift | None:
        """Return how far the share among true responses may differ from the estimate if some are false.

        The share among the true responses is a ratio of linear functions of the false codes. The ratio is most extreme
        if all false responses sent the same codes, at an extreme of the possible codes.

        Returns:
            The distances above and below, or None if there is no limit because the estimated size of the subgroup may
            be 0.
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
        """The attributes as plain JSON values."""
        found = super().figures
        return {key: value for key, value in found.items() if key not in {"size", "ends"}}


@dataclass(frozen=True, eq=False)
class MeanRatio:
    """Ratio of two means over responses, such as of an event within a subgroup and of the subgroup.

    Attributes:
        numerator: Term of each pattern of codes in the numerator, shape (patterns,).
        denominator: Term of each pattern of codes in the denominator, shape (patterns,). Its mean over responses is
            above 0.
        counts: Number of responses with each pattern, shape (patterns,).
        possible: Pairs (numerator, denominator) that a response could have, shape (combinations, 2). If there are too
            many, only the observed pairs.
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
        """Ratio of the means."""
        return float(self.counts @ self.numerator) / self.n / self.size

    @cached_property
    def influence(self) -> Floats:
        """The first-order influence of each response on the ratio. The mean influence is 0."""
        terms: Floats = self.numerator - self.value * self.denominator
        return terms / self.size

    def covariance(self, first: Floats, second: Floats) -> float:
        """Return the mean product of two terms of each response. Each term has mean 0, so this is their covariance."""
        return float(self.counts @ (first * second)) / self.n

    @cached_property
    def estimate(self) -> ShareWithin:
        """The ratio with its interval for a single look at the data."""
        return self.at(1.0)

    def at(self, times: float) -> ShareWithin:
        """Return the ratio. Its interval comes from intervals of means, lengthened by the factor `times`.

        If the denominator does not differ significantly from 0, the interval is None.
        """
        ends = tuple((float(one), float(two)) for one, two in self.ends)
        found = ShareWithin(self.value, None, None, self.n, size=self.size, ends=ends)
        if self.n < FEWEST:
            return found
        error = sqrt(self.covariance(self.influence, self.influence) / (self.n - 1))
        low, high = (self._limit(side, times) for side in (-1, 1))
        interval = None if low is None or high is None or self._maybe_nobody(times) else (low, high)
        return replace(found, standard_error=error, interval=interval)

    def _maybe_nobody(self, times: float) -> bool:
        """Return whether the denominator does not differ significantly from 0."""
        spread = self.covariance(self.denominator - self.size, self.denominator - self.size)
        return self.size**2 * (self.n - 1) <= (times * NORMAL_975) ** 2 * spread

    @cached_property
    def _moments(self) -> tuple[list[float], list[float]]:
        """Coefficients by powers of r of the second and third central moments of ``numerator - r denominator``."""
        one, two = self.numerator - self.value * self.size, self.denominator - self.size
        second = [self.covariance(one, one), -2 * self.covariance(one, two), self.covariance(two, two)]
        squares = one * one, two * two
        mixed = [-3 * self.covariance(squares[0], two), 3 * self.covariance(squares[1], one)]
        return second, [self.covariance(squares[0], one), *mixed, -self.covariance(squares[1], two)]

    def holds(self, ratio: float, times: float = 1.0) -> bool:
        """Return whether the mean of ``numerator - ratio * denominator`` may be 0, for a given ratio."""
        mean, (second, third) = self.size * (self.value - ratio), self._moments
        variance = max(0.0, second[0] + ratio * (second[1] + ratio * second[2]))  # below 0 by rounding only
        skew = third[0] + ratio * (third[1] + ratio * (third[2] + ratio * third[3]))
        possible = self.possible[:, 0] - ratio * self.possible[:, 1]
        if mean > 0:
            return mean <= times * score_limit(mean - float(possible.min()), variance, -skew, self.n)
        return -mean <= times * score_limit(float(possible.max()) - mean, variance, skew, self.n)

    def _limit(self, side: int, times: float) -> float | None:
        """Return the limit of the interval on one side, or None if there is no limit."""
        start, reach = self.value, 2.0**-6
        while self.holds(start + side * reach, times):
            reach *= 2
            if reach > FARTHEST:
                return None
        inside, outside = start, start + side * reach
        for _ in range(HALVINGS):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if self.holds(middle, times) else (inside, middle)
        return inside


def ratio(numerator: Floats, denominator: Floats, counts: Floats) -> Estimate | None:
    """Estimate the ratio of the means of two terms of each response. See `mean_ratio`."""
    return mean_ratio([(numerator, denominator)], counts)


def mean_ratio(parts: Sequence[tuple[Floats, Floats]], counts: Floats) -> Estimate | None:
    """Estimate the mean of several ratios, each of the means of two terms of each response.

    Args:
        parts: Pairs (numerator, denominator) of arrays of shape (rows,).
        counts: Number of responses with the terms of each row, shape (rows,).

    Returns:
        The mean ratio, or None if the estimate of a denominator is not above 0. If a denominator is less than 1.96
        standard errors above 0, the estimate has no interval.
    """
    n = round(float(counts.sum()))
    terms, told, reach = np.zeros(len(counts)), True, 0.0
    for numerator, denominator in parts:
        below = float(counts @ denominator) / n
        if below <= 0:
            return None
        value = float(counts @ numerator) / n / below
        terms += (value + (numerator - value * denominator) / below) / len(parts)
        reach += float(denominator.max()) / below / len(parts)
        squares = float(counts @ (denominator - below) ** 2)
        told = told and below**2 * n * max(1, n - 1) > NORMAL_975**2 * squares
    found = mean_estimate(terms, _extremes(terms, reach), counts)
    return found if told or n < FEWEST else replace(found, interval=None)


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
    """Return a copy of an estimate with another variance. The interval is scaled in proportion."""
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
    """Return the smallest and the largest observed term.

    Possible extremes would double the width of an interval of an AUC.

    If all terms are equal, as for a share of 0 or 1, the observed extremes would give an interval without width. In
    this case the extremes include an imaginary response with the largest denominator, and a numerator of 0 or of the
    same size.
    """
    least, most = float(terms.min()), float(terms.max())
    if most - least > ROUNDING:
        return least, most
    return least - abs(least) * reach, most + abs(1 - most) * reach
