"""Ratios of two estimates, such as a share among some, precision or AUC: signed like their parts, never clipped.

A share among some respondents is a ratio of two estimates, E and C to C. Its interval (`MeanRatio`) holds every ratio r
for which the mean of ``W(E and C) - r W(C)``, which is 0 at the true one, has 0 in its own interval (Fieller 1954, with
the score interval of `miner.estimates.estimate` in place of the normal one). Without disguise this is nearly Wilson's
interval among these respondents. If the interval of the mean holds at every look, so does that of the ratio.

Of other measures a ratio is, to first order, a mean of terms, ``r + (numerator - r denominator) / mean denominator`` of
each response (its influence function), and so has the standard error and the interval of a mean. Where the denominator
itself cannot be distinguished from 0 no interval holds the ratio, and there is none (Fieller 1954).
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
FARTHEST = 1e3  # a ratio beyond it is no share: there is no limit on that side
HALVINGS = 36  # of the distance to a limit: its first eleven digits


@dataclass(frozen=True)
class Amount(Estimate):
    """An estimate of something that may well be above 1, such as a loss or a lift, but not below 0."""

    possible: ClassVar[Range] = (0.0, inf)

    @property
    def outside_unit_interval(self) -> bool:
        """Never: it is no frequency."""
        return False

    @property
    def says_nothing(self) -> bool:
        """Never: an interval of amounts is written out."""
        return False

    @property
    def outside_possible_range(self) -> bool:
        """Whether the estimate is outside its possible range."""
        return not self.model_based and not self.possible[0] <= self.estimate <= self.possible[1]

    @property
    def warning(self) -> str:
        """Remark on a figure that is impossible, and its meaning; empty for one that is possible."""
        low, high = self.possible
        ends = f"{low:g} to {high:g}" if isfinite(high) else f"{low:g} and above"
        return OUTSIDE.format(ends) if self.outside_possible_range else ""

    @property
    def as_json(self) -> dict[str, Any]:
        """Plain JSON values: `figures`, and `outside_possible_range`."""
        return {**self.figures, "outside_possible_range": self.outside_possible_range}


@dataclass(frozen=True)
class Difference(Amount):
    """An estimated difference of two shares, or of two accuracies."""

    possible: ClassVar[Range] = (-1.0, 1.0)


@dataclass(frozen=True)
class ShareWithin(Estimate):
    """An estimated share among some respondents, such as those who were asked: a ratio of two estimates.

    Attributes:
        size: Estimated share of these respondents among all.
        ends: Pairs of terms whose convex hull has every pair that a response can have.
    """

    size: float = field(default=1.0, repr=False, compare=False)
    ends: tuple[Range, ...] = field(default=(), repr=False, compare=False)

    def shift(self, false: int) -> Shift | None:
        """Largest distance above and below the share among the other responses, if so many of them were false.

        The share among the others is a ratio of linear functions of what the false ones sent, so that it is farthest
        away where all of them sent the same, at an end of what can be sent.

        Returns:
            None if there is no limit: the others may be estimated at nobody.
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
    """A ratio of the means of two terms of each response: of those of whom both hold, and of some respondents.

    Attributes:
        numerator: Shape (patterns,).
        denominator: Shape (patterns,); its mean over responses is above 0.
        counts: Shape (patterns,): number of responses with these terms.
        possible: Shape (combinations, 2): pairs of terms that a response could have; those seen where there are too
            many.
        ends: Shape (pairs, 2): pairs whose convex hull has every pair that a response can have.
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
        """Mean of the denominator."""
        return float(self.counts @ self.denominator) / self.n

    @cached_property
    def value(self) -> float:
        """Ratio of the means."""
        return float(self.counts @ self.numerator) / self.n / self.size

    @cached_property
    def influence(self) -> Floats:
        """The first-order influence of each response on the ratio; its mean is 0."""
        terms: Floats = self.numerator - self.value * self.denominator
        return terms / self.size

    def covariance(self, first: Floats, second: Floats) -> float:
        """Covariance of the means of two terms of each response; the terms themselves have mean 0."""
        return float(self.counts @ (first * second)) / self.n

    @cached_property
    def estimate(self) -> ShareWithin:
        """The ratio with its interval for one look."""
        return self.at(1.0)

    def at(self, times: float) -> ShareWithin:
        """The ratio with an interval made of intervals of means that are so many times as long as those for one look.

        There is no interval where the denominator cannot be told from 0 by such an interval: the ratio is not known.
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
        """Whether the size of the denominator does not differ significantly from 0."""
        spread = self.covariance(self.denominator - self.size, self.denominator - self.size)
        return self.size**2 * (self.n - 1) <= (times * NORMAL_975) ** 2 * spread

    @cached_property
    def _moments(self) -> tuple[list[float], list[float]]:
        """Coefficients of the second and third central moment of the terms at a ratio r, by powers of r."""
        one, two = self.numerator - self.value * self.size, self.denominator - self.size
        second = [self.covariance(one, one), -2 * self.covariance(one, two), self.covariance(two, two)]
        squares = one * one, two * two
        mixed = [-3 * self.covariance(squares[0], two), 3 * self.covariance(squares[1], one)]
        return second, [self.covariance(squares[0], one), *mixed, -self.covariance(squares[1], two)]

    def holds(self, ratio: float, times: float = 1.0) -> bool:
        """Whether the mean of the numerator less so many times the denominator may be 0."""
        mean, (second, third) = self.size * (self.value - ratio), self._moments
        variance = max(0.0, second[0] + ratio * (second[1] + ratio * second[2]))  # below 0 by rounding only
        skew = third[0] + ratio * (third[1] + ratio * (third[2] + ratio * third[3]))
        possible = self.possible[:, 0] - ratio * self.possible[:, 1]
        if mean > 0:
            return mean <= times * score_limit(mean - float(possible.min()), variance, -skew, self.n)
        return -mean <= times * score_limit(float(possible.max()) - mean, variance, skew, self.n)

    def _limit(self, side: int, times: float) -> float | None:
        """The limit of the interval on one side; None if there is none."""
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
    """The ratio of the means of two terms of each response; as for `mean_ratio`."""
    return mean_ratio([(numerator, denominator)], counts)


def mean_ratio(parts: Sequence[tuple[Floats, Floats]], counts: Floats) -> Estimate | None:
    """The mean of several ratios of the means of two terms of each response.

    Args:
        parts: Numerators and denominators, each of shape (rows,).
        counts: Shape (rows,): how many responses have these terms.

    Returns:
        None if a denominator is estimated at 0 or below: there is nothing to have a share of. The interval is None
        where one is not distinguishable from 0, being less than 1.96 standard errors above it.
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
    """A constant plus independent estimates, each times a number, by the distances to their limits (Zou & Donner 2008).

    Standard error and interval are None if one of the estimates has none.
    """
    value, low, high, error = sum((times * each.estimate for times, each in parts), start), 0.0, 0.0, 0.0
    for times, each in parts:
        if each.interval is None or each.standard_error is None:
            return Estimate(value, None, None, n)
        below, above = sorted(times * (limit - each.estimate) for limit in each.interval)
        low, high, error = low + below**2, high + above**2, error + (times * each.standard_error) ** 2
    return Estimate(value, sqrt(error), (value - sqrt(low), value + sqrt(high)), n)


def of_variance(found: Estimate, variance: float) -> Estimate:
    """Copy of an estimate with this variance in place of that of its terms; the interval is scaled in proportion."""
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
    """The smallest and the largest term: those seen, for possible ones make the interval of an AUC twice too cautious.

    Where all terms are the same, a share of none or of all, seen ones would leave an interval no width. There a
    response is imagined that has the largest denominator and a numerator of 0, or one just as large.
    """
    least, most = float(terms.min()), float(terms.max())
    if most - least > ROUNDING:
        return least, most
    return least - abs(least) * reach, most + abs(1 - most) * reach
