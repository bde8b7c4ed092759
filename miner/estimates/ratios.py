"""Ratios of two estimates, such as precision, confidence or AUC: signed like their parts, never clipped.

To first order a ratio is a mean of terms, ``r + (numerator - r denominator) / mean denominator`` of each response (its
influence function), and so has the standard error and the interval of a mean. Where the denominator itself cannot be
distinguished from 0 no interval holds the ratio, and there is none (Fieller 1954).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite, sqrt
from typing import Any, ClassVar

import numpy as np

from miner.arrays import Floats
from miner.estimates.estimate import FEWEST, NORMAL_975, OUTSIDE, Estimate, Range, mean_estimate

ROUNDING = 1e-9


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
