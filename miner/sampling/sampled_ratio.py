"""Estimate a ratio of two totals of a sample, such as a share, with its interval.

The interval of a ratio contains each r for which the total of ``numerator - r denominator`` may be 0 (Fieller 1954).
Score intervals (`miner.estimates.score`) with the effective sample size decide which totals may be 0 (Kish 1965; Korn &
Graubard 1998), and Student's t quantile replaces the normal quantile.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import sqrt

import numpy as np

from collector.disclosure.precision import NORMAL_975
from miner.arrays import Floats
from miner.estimates.comparison import distances_to_limits
from miner.estimates.estimate import FEWEST, Estimate
from miner.estimates.ratios import FARTHEST, HALVINGS, ROUNDING, Difference, ShareWithin
from miner.estimates.score import score_limit, student
from miner.responses.condition import events_of
from miner.sampling.cells import Boxes, SampledCells
from miner.weights.possible_weights import possible_weights
from miner.weights.weights import ProductWeights


@dataclass(frozen=True, eq=False)
class SampledRatio:
    """Ratio of two estimated totals, with their covariance.

    Attributes:
        totals: Numerator and denominator, shape (2,).
        covariance: Covariance of the two totals, shape (2, 2).
        terms: What each response adds to numerator and denominator, without its sampling weight, shape (responses, 2).
        masses: Sum of the sampling weights of the people with each distinct response, shape (responses,).
        possible: Pairs of numbers that a response could add to numerator and denominator, shape (combinations, 2).
        people: Number of responses.
        freedom: Degrees of freedom of the covariance.
        whole: Whether the denominator counts everybody, not a subgroup.
    """

    totals: Floats
    covariance: Floats
    terms: Floats
    masses: Floats
    possible: Floats
    people: int
    freedom: float
    whole: bool

    @classmethod
    def of(cls, cells: SampledCells, truth: Floats, possible: Floats, *, whole: bool) -> "SampledRatio":
        """Return the ratio of two totals over the cells of a partition.

        Args:
            cells: Estimated numbers of people in the cells of a partition.
            truth: What a person in each part adds to numerator and denominator, shape (parts, 2).
            possible: Pairs of numbers that a response could add to numerator and denominator (`possible_pairs`), shape
                (pairs, 2).
            whole: Whether the denominator counts everybody, not a subgroup.
        """
        rows, totals, terms = cells.rows, cells.totals(truth), cells.terms(truth)
        return cls(
            totals,
            cells.covariance(truth),
            terms,
            rows.found.counts * rows.weights,
            different(np.concatenate([possible, terms])),
            rows.found.people,
            cells.freedom(truth @ np.array([1.0, -totals[0] / totals[1]])),
            whole=whole,
        )

    @property
    def value(self) -> float:
        """Return the numerator divided by the denominator."""
        return float(self.totals[0] / self.totals[1])

    def variance(self, ratio: float) -> float:
        """Return the variance of the total of ``numerator - ratio * denominator``."""
        slope = np.array([1.0, -ratio])
        return max(0.0, float(slope @ self.covariance @ slope))

    @property
    def standard_error(self) -> float:
        """Return the standard error of the ratio by linearisation."""
        return sqrt(self.variance(self.value)) / float(self.totals[1])

    @cached_property
    def estimate(self) -> Estimate:
        """Return the ratio with its interval, or without an interval if the denominator may be 0."""
        size = float(self.totals[1] / self.masses.sum())
        found = (
            Estimate(self.value, None, None, self.people)
            if self.whole
            else ShareWithin(self.value, None, None, self.people, size=size)
        )
        if self.people < FEWEST:
            return found
        if self.standard_error <= ROUNDING and self._spread > ROUNDING**2:
            known = (self.value, self.value)  # by the margins raked by, or by the strata
            return replace(found, standard_error=0.0, interval=known)
        nobody = float(self.totals[1]) ** 2 <= student(self.freedom) ** 2 * float(self.covariance[1, 1])
        low, high = (None, None) if nobody else (self._limit(side) for side in (-1, 1))
        interval = None if low is None or high is None else (low, high)
        return replace(found, standard_error=self.standard_error, interval=interval)

    @cached_property
    def _mass(self) -> float:
        return float(self.masses.sum())

    @cached_property
    def _moments(self) -> tuple[Floats, Floats]:
        """Return two central moments of ``numerator - r denominator``, as coefficients of powers of r."""
        one, two = (self.terms - self.masses @ self.terms / self._mass).T
        products = np.stack([one * one, -2 * one * two, two * two])
        shares = self.masses / self._mass
        third = np.stack([products[0] * one, -3 * products[0] * two, 3 * products[2] * one, -products[2] * two])
        return products @ shares, third @ shares

    @property
    def _spread(self) -> float:
        """Return the variance of ``numerator - ratio * denominator`` among people."""
        return float(self._moments[0] @ self.value ** np.arange(3))

    def holds(self, ratio: float) -> bool:
        """Return whether the total of ``numerator - ratio * denominator`` may be 0."""
        return self.room(ratio) >= 0

    def room(self, ratio: float) -> float:
        """Return how far the mean of ``numerator - ratio * denominator`` is inside its interval around 0."""
        second, third_powers = self._moments
        mean = float(self.totals[0] - ratio * self.totals[1]) / self._mass
        variance = max(0.0, float(second @ ratio ** np.arange(3)))  # below 0 by rounding only
        third = float(third_powers @ ratio ** np.arange(4))
        error = self.variance(ratio) / self._mass**2
        alike: float = self.people  # where nobody differs: as if they were a simple sample
        if variance > ROUNDING**2:
            alike = variance / max(error, ROUNDING**2 * variance)
        possible = self.possible @ np.array([1.0, -ratio])
        room, skew = (mean - float(possible.min()), -third) if mean > 0 else (float(possible.max()) - mean, third)
        return self._longer * score_limit(room, variance, skew, alike) - abs(mean)

    @cached_property
    def _longer(self) -> float:
        """Return Student's t quantile divided by the normal quantile."""
        return student(self.freedom) / NORMAL_975

    def _limit(self, side: int) -> float | None:
        """Return the lower or upper limit of the interval of the ratio, or None if the interval is unbounded."""
        start, reach = self.value, 2.0**-6
        while self.holds(start + side * reach):
            reach *= 2
            if reach > FARTHEST:
                return None
        inside, outside = start, start + side * reach
        for _ in range(HALVINGS):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if self.holds(middle) else (inside, middle)
        return inside


def possible_pairs(cells: SampledCells, numbers: Sequence[tuple[float, Boxes]], among: Boxes) -> Floats:
    """Return the pairs of numbers that a response could add to numerator and denominator, shape (pairs, 2).

    Args:
        cells: Estimated numbers of people in the cells of a partition.
        numbers: Conditions that exclude each other, and the number that a person who meets the condition adds to the
            numerator.
        among: Condition of the denominator.
    """
    survey = cells.rows.survey
    counting = [(number, events_of(survey, boxes)) for number, boxes in numbers if number and boxes]
    below = events_of(survey, among)
    possible = possible_weights(survey, [*(event for _, event in counting), below])
    if possible is None:
        signed = ProductWeights(cells.rows.found.responses)
        ends = [sorted(number * end for end in signed.range(event)) for number, event in counting]
        numerator = sum(low for low, _ in ends), sum(high for _, high in ends)
        pairs = np.array(list(product(numerator, signed.range(below))), np.float64)
    else:
        factors = np.array([number for number, _ in counting])
        pairs = different(np.stack([possible[:, :-1] @ factors, possible[:, -1]], axis=1))
    return pairs * float(cells.factors.max())


def different(pairs: Floats) -> Floats:
    """Return the distinct pairs of numbers, shape (pairs, 2)."""
    numbers = np.unique(pairs[:, 0] + 1j * pairs[:, 1])
    return np.stack([numbers.real, numbers.imag], axis=1)


def difference_of(first: SampledRatio, second: SampledRatio, between: Floats) -> Difference:
    """Return the first ratio minus the second ratio, with an interval.

    Args:
        first: First ratio.
        second: Second ratio.
        between: Covariance of the totals of the first ratio with the totals of the second ratio, shape (2, 2).
    """
    value, n = first.value - second.value, first.people
    if n < FEWEST:
        return Difference(value, None, None, n)
    shared, errors = covariance_of(first, second, between), (first.standard_error, second.standard_error)
    variance = errors[0] ** 2 + errors[1] ** 2 - 2 * shared
    correlation = shared / (errors[0] * errors[1]) if min(errors) > 0 else 0.0
    reach = distances_to_limits(first.estimate, second.estimate, correlation)
    return Difference(
        value, sqrt(max(0.0, variance)), None if reach is None else (value - reach[0], value + reach[1]), n
    )


def covariance_of(first: SampledRatio, second: SampledRatio, between: Floats) -> float:
    """Return the covariance of two ratios by linearisation.

    Args:
        first: First ratio.
        second: Second ratio.
        between: Covariance of the totals of the first ratio with the totals of the second ratio, shape (2, 2).
    """
    slopes = [np.array([1.0, -each.value]) / each.totals[1] for each in (first, second)]
    return float(slopes[0] @ between @ slopes[1])
