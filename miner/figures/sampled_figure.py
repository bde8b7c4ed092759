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
from math import nan, sqrt
from typing import Literal

import numpy as np
from scipy.special import expit, stdtr  # type: ignore[import-untyped] # scipy brings no types
from scipy.special import logit as log_odds

from collector.survey.survey import Survey
from miner.arrays import Flags, Floats
from miner.figures.chi_square import ChiSquare, wald
from miner.figures.estimate import FEWEST, ONE_CLUSTER, Difference, Estimate, Range
from miner.figures.figure import ROUNDING, Figure, difference_of
from miner.figures.partition import Boxes, Choice, Partition
from miner.figures.sample import Sample
from miner.figures.score import normal_quantile, score_limit, student
from miner.responses.condition import events_of
from miner.responses.responses import Data
from miner.weights.possible_weights import possible_weights
from miner.weights.weights import ProductWeights

ENOUGH = 10  # clusters of equal size, and cases, from which the coverage of intervals was measured to be .93 or more
FEW_CLUSTERS = (
    "its clusters are worth {:.1f} of equal size: with fewer than 10, intervals may miss the truth more often"
)
FEW_CASES = "fewer than 10 cases in a sample of clusters: its interval may miss the truth more often"
MOST_STRETCH = 1.25  # largest factor of an interval for clusters of unequal size
Rule = Literal["logit", "t", "score", "fieller"]
Numbers = Sequence[tuple[float, Choice]]
"""Choices, each with the number that a person who meets it adds to a total. The numbers of one person add up."""


@dataclass(frozen=True, eq=False)
class SampledFigure(Figure):
    """Ratio of two estimated totals of a sample.

    The influence of a figure is what a person in each part of the partition adds to it, shape (parts,).

    Attributes:
        cells: Estimated numbers of people in the cells of a partition.
        truth: What a person in each part adds to numerator and denominator, shape (parts, 2).
        inside: Whether each response may be in the denominator, shape (responses,).
        rule: How the interval is computed: ``logit`` for undisguised shares of clusters, ``t`` for other undisguised
            ratios of clusters, ``score`` if the denominator is undisguised, and otherwise ``fieller``.
        plain: Whether nothing in the numerator is disguised.
        share: Whether the ratio is between 0 and 1.
    """

    cells: Partition
    truth: Floats
    inside: Flags
    rule: Rule
    plain: bool
    share: bool

    @cached_property
    def n(self) -> int:
        """Number of responses."""
        return self.cells.found.people

    @cached_property
    def mass(self) -> float:
        """Number of people whom the responses that may be in the denominator stand for."""
        return float(self.masses.sum())

    @cached_property
    def influence(self) -> Floats:
        """What a person in each part adds to the ratio, by linearisation, shape (parts,)."""
        return np.asarray(self.truth @ np.array([1.0, -self.value])) / (self.size * self.mass)

    @property
    def influence_on_size(self) -> Floats:
        """What a person in each part adds to the mean of the denominator, shape (parts,)."""
        return self.truth[:, 1] / self.mass

    def covariance(self, first: Floats, second: Floats) -> float:
        """Return the covariance of two means, given what a person in each part adds to each of them."""
        return float(self.cells.covariance(np.stack([first, second], axis=1))[0, 1])

    @property
    def left(self) -> int:
        """Divisor of `covariance`."""
        return 1

    @cached_property
    def _totals(self) -> Floats:
        """Covariance of the means of numerator and denominator, shape (2, 2)."""
        return self.cells.covariance(self.truth) / self.mass**2

    def error_at(self, ratio: float) -> float:
        """Return the variance of the mean of ``numerator - ratio * denominator``."""
        slope = np.array([1.0, -ratio])
        return max(0.0, float(slope @ self._totals @ slope))

    @cached_property
    def standard_error(self) -> float:
        """Standard error by linearisation."""
        return sqrt(self.error_at(self.value)) / self.size

    @cached_property
    def freedom(self) -> float:
        """Degrees of freedom of the covariance."""
        return self.cells.units.freedom_of(self._residuals, self.inside)

    @property
    def quantile(self) -> float:
        """Quantile of Student's t distribution for the level of intervals."""
        return student(self.freedom)

    @cached_property
    def known(self) -> bool:
        """Whether margins that were raked by, strata or a census determine the ratio."""
        cells, units = self.cells, self.cells.units
        if self.plain and self.rule != "fieller" and units.is_census(self.inside):
            return True
        if not (self.plain or cells.design.margins):
            return False  # codes that happen to be equal determine nothing
        terms = np.stack([self.numerator, self.denominator], axis=1)
        varied = np.ptp((self.numerator - self.value * self.denominator)[self.inside]) > ROUNDING
        most = float(np.abs(cells.weights[:, None] * terms).max())
        return bool(varied) and not units.varies_within(self._residuals, most)

    @cached_property
    def _residuals(self) -> Floats:
        return self.cells.residuals(self.truth @ np.array([1.0, -self.value]))

    @cached_property
    def stretch(self) -> float:
        """Factor of the interval of undisguised clusters of unequal size, from 1 to `MOST_STRETCH`."""
        units, left = self.cells.units, self._residuals
        if self.rule not in {"logit", "t"} or np.ptp(left) <= ROUNDING or units.is_census(self.inside):
            return 1.0
        return min(MOST_STRETCH, units.stretch(left, self.inside, self.cells.weights))

    @property
    def note(self) -> str:
        """Warning about few clusters or few cases in a sample of clusters, or an empty text."""
        cells, share = self.cells, self.value if self.share else None
        cases = float(cells.found.counts[self.inside].sum()) * (1 if share is None else min(share, 1 - share))
        few = FEW_CASES if cells.units.cluster is not None and cases < ENOUGH else ""
        return few_clusters(cells, self.inside) or few

    @cached_property
    def estimate(self) -> Estimate:
        """Ratio with its interval, or without an interval if the denominator may be 0."""
        found = Estimate(self.value, None, None, self.n)
        if self.n < FEWEST:
            return found
        if self.known:
            return replace(found, standard_error=0.0, interval=(self.value, self.value))
        if self.freedom <= 0:
            return replace(found, note=ONE_CLUSTER)
        interval = self.fieller() if self.rule == "fieller" else self._limits
        return replace(found, standard_error=self.standard_error, note=self.note, interval=interval)

    @cached_property
    def _limits(self) -> Range:
        """Limits of the interval if the denominator is undisguised."""
        value, error, reach = self.value, self.standard_error, self.quantile
        if self.variance_at(value) > ROUNDING**2 and error > ROUNDING:
            if self.rule == "t":
                return value - self.stretch * reach * error, value + self.stretch * reach * error
            if self.rule == "logit" and 0 < value < 1:
                apart = (
                    reach * error / (value * (1 - value)) * np.array([[-1.0], [1.0]]) * np.array([1.0, self.stretch])
                )
                (low, longer_low), (high, longer_high) = expit(log_odds(value) + apart).tolist()
                times = min(1.0, MOST_STRETCH * (high - low) / (longer_high - longer_low))
                return value - times * (value - longer_low), value + times * (longer_high - value)
        below, above = (self.reach(value, side) / self.size for side in (-1, 1))
        return value - below, value + above

    def room(self, ratio: float, times: float = 1.0) -> float:
        """Return how far a ratio is inside the interval, in units of the mean of ``numerator - ratio denominator``."""
        if self.rule == "fieller":
            return super().room(ratio, times)
        low, high = (self.value, self.value) if self.known or self.freedom <= 0 else self._limits
        return high - ratio if ratio > self.value else ratio - low

    def limit(self, ratio: float, room: float, skew: float) -> float:
        """Return the distance from the mean of ``numerator - ratio * denominator`` to its limit (`score_limit`)."""
        variance, error, units = self.variance_at(ratio), self.error_at(ratio), self.cells.units
        if error > (ROUNDING * self.size) ** 2 and variance > ROUNDING**2:
            return self.quantile / normal_quantile() * score_limit(room, variance, skew, variance / error)
        clusters = units.clusters_in(self.inside, self.cells.weights)  # none differs: each counts as one draw
        if self.rule in {"logit", "t"}:
            return score_limit(room, variance, skew, clusters, self.quantile)
        return self.quantile / normal_quantile() * score_limit(room, variance, skew, clusters)


def sampled_figure(
    cells: Partition, numbers: Numbers, among: Choice | None = None, *, less: Numbers = (), share: bool = True
) -> SampledFigure | None:
    """Return the ratio of two totals, or None if the denominator is not estimated above 0.

    Args:
        cells: Estimated numbers of people in the cells of a partition.
        numbers: What people add to the numerator.
        among: Choice of conditions that the people in the denominator meet, or None for everybody.
        less: What people add to the denominator besides, such as numbers below 0 for the careless.
        share: Whether the ratio is between 0 and 1.
    """
    added = [numbers, [(1.0, among or {}), *less]]
    truth = np.stack([sum(number * cells.held(choice) for number, choice in each) for each in added], axis=1)
    if cells.totals(truth)[1] <= ROUNDING * float(np.abs(cells.people).sum()):
        return None
    terms = np.asarray(cells.table @ cells.spread_out(truth))
    inside = np.abs(terms[:, 1]) > ROUNDING
    events, below = ([(number, cells.boxes(choice)) for number, choice in each] for each in added)
    possible = _different(np.concatenate([possible_pairs(cells, events, below), terms]))
    plain, certain = (
        not any(may_be_drawn(cells.survey, name) for _, boxes in each for box in boxes for name in box)
        for each in (events, [*below, *((1.0, [{name: frozenset()}]) for name in cells.design.margins)])
    )
    rule: Rule = "score" if cells.units.cluster is None or not plain else "logit" if share else "t"
    if less or not certain:
        rule = "fieller"
    masses = cells.masses if rule == "fieller" else cells.masses * inside
    columns = terms[:, 0], terms[:, 1], masses, possible, np.zeros((0, 2))
    return SampledFigure(*columns, cells, truth, inside, rule, plain, share)


def sampled_shares(cells: Partition, choices: Sequence[Sequence[Choice]]) -> list[Estimate]:
    """Return the shares of all people who meet one of several choices that exclude each other, for each sequence."""
    figures = [sampled_figure(cells, [(1.0, choice) for choice in every]) for every in choices]
    return [each.estimate for each in figures if each is not None]  # everybody is never nobody


def may_be_drawn(survey: Survey, name: str) -> bool:
    """Return whether a response may have a drawn code for a question, or a code that several answers share."""
    coding = survey.question(name).coding
    return survey.is_disguised(name) or coding.shared or coding.routed


def people_line(data: Data, n: int) -> str:
    """Return a line of text about n responses or, of a sample, about its responses, strata and clusters."""
    if not isinstance(data, Sample):
        return f"{n} responses"
    cells = Partition.of(data)
    masses, units, margins = cells.masses, cells.units, data.design.margins
    kish = masses.sum() ** 2 / float(masses @ cells.weights)
    strata = int((units.number > 0).sum())
    clusters = "" if units.cluster is None else f", {units.number.sum():.0f} clusters"
    raked = f", raked by {', '.join(margins)}" if margins else ""
    kinds = f"{strata} {'stratum' if strata == 1 else 'strata'}{clusters}"
    warning = few_clusters(cells, np.ones(len(masses), np.bool_))
    few = f"; {warning}" if warning else ""
    return f"{cells.found.people} responses, by sampling weights worth {kish:.0f} equal ones; {kinds}{raked}{few}"


def few_clusters(cells: Partition, inside: Flags) -> str:
    """Return a warning if people are in clusters worth fewer than `ENOUGH` of equal size, or an empty text."""
    if cells.units.cluster is None:
        return ""
    equal = cells.units.equal_clusters(inside, cells.weights)
    return FEW_CLUSTERS.format(equal) if equal < ENOUGH else ""


def possible_pairs(cells: Partition, *added: Sequence[tuple[float, Boxes]]) -> Floats:
    """Return the pairs of numbers that a response could add to numerator and denominator, shape (pairs, 2).

    Args:
        cells: Estimated numbers of people in the cells of a partition.
        added: For the numerator and for the denominator, conditions and the number that a person who meets the
            condition adds. The numbers of a person who meets several conditions add up.
    """
    survey = cells.survey
    counting = [[(number, events_of(survey, boxes)) for number, boxes in each if number and boxes] for each in added]
    possible = possible_weights(survey, [event for each in counting for _, event in each])
    if possible is None:
        signed = ProductWeights(cells.found.responses)
        ends = [[sorted(number * end for end in signed.range(event)) for number, event in each] for each in counting]
        corners = ((sum(low for low, _ in each), sum(high for _, high in each)) for each in ends)
        pairs = np.array(list(product(*corners)), np.float64)
    else:
        above = len(counting[0])
        sides = np.split(possible * [number for each in counting for number, _ in each], [above], axis=1)
        pairs = _different(np.stack([each.sum(axis=1) for each in sides], axis=1))
    return pairs * float(cells.factors.max())


def _different(pairs: Floats) -> Floats:
    """Return the distinct pairs of numbers, shape (pairs, 2)."""
    numbers = np.unique(pairs[:, 0] + 1j * pairs[:, 1])
    return np.stack([numbers.real, numbers.imag], axis=1)


@dataclass(frozen=True, eq=False)
class JointFigures:
    """Figures of one sample, with their joint covariance.

    Attributes:
        cells: Estimated numbers of people in the cells of a partition.
        figures: Figures, with None for a denominator that is not estimated above 0.
    """

    cells: Partition
    figures: Sequence[SampledFigure | None]

    @cached_property
    def _influences(self) -> Floats:
        """What a person in each part adds to each figure, shape (parts, figures)."""
        nothing = np.zeros(len(self.cells.held({})))
        return np.stack([nothing if each is None else each.influence for each in self.figures], axis=1)

    @cached_property
    def covariance(self) -> Floats:
        """Covariance of the figures by linearisation, shape (figures, figures)."""
        return self.cells.covariance(self._influences)

    def difference(self, one: int, other: int) -> Difference | None:
        """Return one figure minus another figure, or None if either figure is unknown."""
        first, second = self.figures[one], self.figures[other]
        if first is None or second is None:
            return None
        pair = self.covariance[np.ix_([one, other], [one, other])]
        error, spreads = sqrt(max(0.0, float(np.array([1, -1]) @ pair @ np.array([1, -1])))), pair[0, 0] * pair[1, 1]
        known = first.estimate.standard_error is not None and second.estimate.standard_error is not None
        together = float(pair[0, 1]) / sqrt(spreads) if spreads > 0 else 0.0
        return difference_of(first.estimate, second.estimate, first.n, error if known else None, together)

    def p_value(self, contrast: Floats) -> float:
        """Return the p value of the Wald test that a weighted sum of figures is 0, or NaN without a variance.

        Args:
            contrast: Factor of each figure in the sum, shape (figures,).
        """
        value = sum(float(times) * each.value for times, each in zip(contrast, self.figures, strict=True) if each)
        error = sqrt(max(0.0, float(contrast @ self.covariance @ contrast)))
        return nan if error <= ROUNDING else 2 * float(stdtr(self._freedom(contrast), -abs(value) / error))

    def _freedom(self, contrast: Floats) -> float:
        """Return the degrees of freedom of a weighted sum of figures (Welch 1947)."""
        used = [(each, number) for number, each in enumerate(self.figures) if each is not None and contrast[number]]
        parts = np.array([contrast[number] ** 2 * self.covariance[number, number] for _, number in used])
        degrees = np.array([each.freedom for each, _ in used])
        inside = np.any([each.inside for each, _ in used], axis=0)
        together = self.cells.freedom(self._influences @ contrast, inside)
        below = float((parts**2 / np.maximum(degrees, ROUNDING)).sum())
        return min(together, float(parts.sum()) ** 2 / below) if below > 0 else together

    def test(self, contrasts: Floats) -> ChiSquare | None:
        """Test whether several weighted sums of figures are all 0, or return None if a figure has no interval.

        Args:
            contrasts: Factor of each figure in each sum, shape (sums, figures).
        """
        used = [each for each, factors in zip(self.figures, contrasts.T, strict=True) if factors.any()]
        if any(each is None or each.estimate.interval is None for each in used):
            return None
        values = np.array([0.0 if each is None else each.value for each in self.figures])
        inside = np.any([each.inside for each in used if each is not None], axis=0)
        spread = contrasts @ self.covariance @ contrasts.T
        return wald(contrasts @ values, spread, self.cells.units.freedom_in(inside))
