"""Estimate a ratio of two totals of a sample, such as a share, with its interval.

If the denominator may be disguised, the interval of a ratio contains each r for which the total of ``numerator - r
denominator`` may be 0 (Fieller 1954). Score intervals (`miner.figures.score`) with the effective sample size decide
which totals may be 0 (Kish 1965; Korn & Graubard 1998), and Student's t quantile replaces the normal quantile.

If the denominator is undisguised, the interval is the score interval of the ratio's linearised mean in the *domain*,
the people in the denominator. In a sample of clusters, the interval of an undisguised share is symmetric in the log
odds, and the interval of another undisguised figure is symmetric (both by Student's t). If clusters differ in size,
these intervals are up to `MOST_STRETCH` times as wide (`Units.stretch`). The degrees of freedom are
those of the domain (`Units.freedom_in`). If no cluster of the domain differs from another, each cluster counts as one
draw.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import sqrt
from typing import Literal

import numpy as np
from scipy.special import expit  # type: ignore[import-untyped] # scipy brings no types
from scipy.special import logit as log_odds

from collector.disclosure.precision import NORMAL_975
from collector.survey.survey import Survey
from miner.arrays import Flags, Floats
from miner.figures.cells import EVERYBODY, Boxes, SampledCells, SampledRows
from miner.figures.estimate import FEWEST, ONE_CLUSTER, Difference, Estimate, Range, ShareWithin
from miner.figures.figure import ROUNDING, distances_to_limits, limit_of
from miner.figures.score import score_limit, student
from miner.responses.condition import events_of
from miner.weights.possible_weights import possible_weights
from miner.weights.weights import ProductWeights

ENOUGH = 10  # clusters of equal size, and cases, from which the coverage of intervals was measured to be .93 or more
FEW_CLUSTERS = (
    "its clusters are worth {:.1f} of equal size: with fewer than 10, intervals may miss the truth more often"
)
FEW_CASES = "fewer than 10 cases in a sample of clusters: its interval may miss the truth more often"
MOST_STRETCH = 1.25  # largest factor of an interval for clusters of unequal size
Rule = Literal["logit", "t", "score", "fieller"]


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
        inside: Whether each response may be in the denominator, shape (responses,).
        freedom: Degrees of freedom of the covariance.
        clusters: Number of clusters in the denominator (`Units.clusters_in`).
        stretch: Factor of the interval of undisguised clusters of unequal size, from 1 to `MOST_STRETCH`.
        rule: How the interval is computed: ``logit`` for undisguised shares of clusters, ``t`` for other undisguised
            ratios of clusters, ``score`` if the denominator is undisguised, and otherwise ``fieller``.
        known: Whether margins that were raked by, strata or a census determine the ratio.
        note: Warning about few clusters or few cases, or an empty text.
        whole: Whether the denominator counts everybody, not a subgroup.
    """

    totals: Floats
    covariance: Floats
    terms: Floats
    masses: Floats
    possible: Floats
    people: int
    inside: Flags
    freedom: float
    clusters: float
    stretch: float
    rule: Rule
    known: bool
    note: str
    whole: bool

    @classmethod
    def of(
        cls,
        cells: SampledCells,
        truth: Floats,
        numbers: Sequence[tuple[float, Boxes]],
        among: Boxes,
        *,
        share: bool = True,
    ) -> "SampledRatio":
        """Return the ratio of two totals over the cells of a partition.

        Args:
            cells: Estimated numbers of people in the cells of a partition.
            truth: What a person in each part adds to numerator and denominator, shape (parts, 2).
            numbers: Conditions that exclude each other, and the number that a person who meets the condition adds to
                the numerator.
            among: Condition of the denominator, or `EVERYBODY`.
            share: Whether the ratio is between 0 and 1.
        """
        rows, totals, terms = cells.rows, cells.totals(truth), cells.terms(truth)
        units, inside = rows.units, np.abs(terms[:, 1]) > ROUNDING
        possible = different(np.concatenate([possible_pairs(cells, numbers, among), terms]))
        along = truth @ np.array([1.0, -totals[0] / totals[1]])
        below = [name for box in among for name in box] + [*rows.design.margins]
        plain = not any(may_be_drawn(rows.survey, name) for _, boxes in numbers for box in boxes for name in box)
        rule: Rule = "fieller"
        if not any(may_be_drawn(rows.survey, name) for name in below):
            rule = "score" if units.cluster is None or not plain else "logit" if share else "t"
        stretch, left = 1.0, rows.weights * cells.residuals(along)
        if rule in {"logit", "t"} and np.ptp(left) > ROUNDING and not units.is_census(inside):
            stretch = min(MOST_STRETCH, units.stretch(left, inside, rows.weights))
        varied = np.ptp(terms[inside] @ np.array([totals[1], -totals[0]])) > ROUNDING * totals[1]
        most = float(np.abs(rows.weights[:, None] * terms).max())
        fixed = plain or bool(rows.design.margins)  # codes that happen to be equal determine nothing
        alone = fixed and varied and not units.varies_within(left, most)
        return cls(
            totals,
            cells.covariance(truth),
            terms,
            rows.found.counts * rows.weights,
            possible,
            rows.found.people,
            inside,
            cells.freedom(along, inside),
            units.clusters_in(inside, rows.weights),
            stretch,
            rule,
            known=alone or (plain and rule != "fieller" and units.is_census(inside)),
            note=_note(cells, inside, float(totals[0] / totals[1]) if share else None),
            whole=among is EVERYBODY,
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
        if self.known:
            return replace(found, standard_error=0.0, interval=(self.value, self.value))
        if self.freedom <= 0:
            return replace(found, note=ONE_CLUSTER)
        found = replace(found, standard_error=self.standard_error, note=self.note)
        return replace(found, interval=self._fieller if self.rule == "fieller" else self._limits)

    @cached_property
    def _limits(self) -> Range:
        """Return the limits of the interval if the denominator is undisguised."""
        value, error, reach = self.value, self.standard_error, student(self.freedom)
        second, _ = self._moments
        varied = float(second @ value ** np.arange(3)) > ROUNDING**2
        if varied and error > ROUNDING and self.rule == "t":
            return value - self.stretch * reach * error, value + self.stretch * reach * error
        if varied and error > ROUNDING and self.rule == "logit" and 0 < value < 1:
            apart = reach * error / (value * (1 - value)) * np.array([[-1.0], [1.0]]) * np.array([1.0, self.stretch])
            (low, longer_low), (high, longer_high) = expit(log_odds(value) + apart).tolist()
            times = min(1.0, MOST_STRETCH * (high - low) / (longer_high - longer_low))
            return value - times * (value - longer_low), value + times * (longer_high - value)
        low, high = (self._reach(value, side) / float(self.totals[1] / self._mass) for side in (-1, 1))
        return value - low, value + high

    @cached_property
    def _fieller(self) -> Range | None:
        """Return the limits of Fieller's interval, or None if the denominator may be 0 or a limit is unbounded."""
        if float(self.totals[1]) ** 2 <= student(self.freedom) ** 2 * float(self.covariance[1, 1]):
            return None
        low, high = (limit_of(self.holds, self.value, side) for side in (-1, 1))
        return None if low is None or high is None else (low, high)

    @cached_property
    def _masses(self) -> Floats:
        """Return the sampling weights of the people in the denominator, if it is undisguised."""
        return self.masses if self.rule == "fieller" else self.masses * self.inside

    @cached_property
    def _mass(self) -> float:
        return float(self._masses.sum())

    @cached_property
    def _moments(self) -> tuple[Floats, Floats]:
        """Return two central moments of ``numerator - r denominator``, as coefficients of powers of r."""
        one, two = (self.terms - self._masses @ self.terms / self._mass).T
        products = np.stack([one * one, -2 * one * two, two * two])
        shares = self._masses / self._mass
        third = np.stack([products[0] * one, -3 * products[0] * two, 3 * products[2] * one, -products[2] * two])
        return products @ shares, third @ shares

    def holds(self, ratio: float) -> bool:
        """Return whether the total of ``numerator - ratio * denominator`` may be 0."""
        return self.room(ratio) >= 0

    def room(self, ratio: float) -> float:
        """Return how far a ratio is inside the interval, in units of the mean of ``numerator - ratio denominator``."""
        if self.rule == "fieller":
            mean = float(self.totals[0] - ratio * self.totals[1]) / self._mass
            return self._reach(ratio, -1 if mean > 0 else 1) - abs(mean)
        low, high = (self.value, self.value) if self.known or self.freedom <= 0 else self._limits
        return high - ratio if ratio > self.value else ratio - low

    def _reach(self, ratio: float, side: int) -> float:
        """Return how far below or above 0 the mean of ``numerator - ratio * denominator`` may be.

        Args:
            ratio: Ratio.
            side: -1 if the estimated mean is above 0, so that its lower limit counts, and otherwise 1.
        """
        second, third_powers = self._moments
        mean = float(self.totals[0] - ratio * self.totals[1]) / self._mass
        variance = max(0.0, float(second @ ratio ** np.arange(3)))  # below 0 by rounding only
        skew = side * float(third_powers @ ratio ** np.arange(4))
        error = self.variance(ratio) / self._mass**2
        possible = self.possible @ np.array([1.0, -ratio])
        room = mean - float(possible.min()) if side < 0 else float(possible.max()) - mean
        if error > (ROUNDING * abs(float(self.totals[1])) / self._mass) ** 2 and variance > ROUNDING**2:
            return student(self.freedom) / NORMAL_975 * score_limit(room, variance, skew, variance / error)
        # no cluster differs from another: each counts as one draw
        if self.rule in {"logit", "t"}:
            return score_limit(room, variance, skew, self.clusters, student(self.freedom))
        return student(self.freedom) / NORMAL_975 * score_limit(room, variance, skew, self.clusters)


def may_be_drawn(survey: Survey, name: str) -> bool:
    """Return whether a response may have a drawn code for a question, or a code that several answers share."""
    coding = survey.question(name).coding
    return survey.is_disguised(name) or coding.shared or coding.routed


def _note(cells: SampledCells, inside: Flags, share: float | None) -> str:
    """Return a warning about few clusters or few cases in a sample of clusters, or an empty text."""
    rows = cells.rows
    cases = float(rows.found.counts[inside].sum()) * (1 if share is None else min(share, 1 - share))
    few = FEW_CASES if rows.units.cluster is not None and cases < ENOUGH else ""
    return few_clusters(rows, inside) or few


def few_clusters(rows: SampledRows, inside: Flags) -> str:
    """Return a warning if people are in clusters worth fewer than `ENOUGH` of equal size, or an empty text."""
    if rows.units.cluster is None:
        return ""
    equal = rows.units.equal_clusters(inside, rows.weights)
    return FEW_CLUSTERS.format(equal) if equal < ENOUGH else ""


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
    if n < FEWEST or first.estimate.standard_error is None or second.estimate.standard_error is None:
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
