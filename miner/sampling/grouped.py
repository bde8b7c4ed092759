"""Estimate ratios of totals in several groups of people, with their joint covariance.

A share or a mean in a group is a ratio of two totals (`miner.sampling.sampled_ratio`). All totals of a table are sums
over the same cells. Differences and tests therefore use the covariance of all totals, due to sample and coins.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isnan, nan, sqrt
from typing import NamedTuple

import numpy as np
from scipy.special import fdtrc, stdtr  # type: ignore[import-untyped] # scipy brings no types

from miner.arrays import Floats
from miner.estimates.independence import ChiSquare, chi_square
from miner.estimates.ratios import ROUNDING, Difference
from miner.responses.source import Source
from miner.sampling.cells import EVERYBODY, Boxes, Part, SampledCells, SampledRows, joined
from miner.sampling.design import SampleDesign
from miner.sampling.sampled_ratio import SampledRatio, difference_of, possible_pairs


class GroupRatio(NamedTuple):
    """Ratio to estimate: the total of a number that each answer counts, divided by a number of people.

    Attributes:
        numbers: Number that each of the answers counts. All remaining answers count 0.
        group: Position of the group whose people give these answers.
        whole: Whether the denominator is the number of all people, not of the group.
    """

    numbers: Sequence[float]
    group: int
    whole: bool = False


@dataclass(frozen=True, eq=False)
class GroupedCells:
    """Totals over the answers of each group.

    Attributes:
        cells: Totals of the answers and of all remaining answers, each by group. People of no group come last.
        answers: Conditions of the answers, which exclude each other.
        groups: Conditions of the groups, which exclude each other.
    """

    cells: SampledCells
    answers: Sequence[Boxes]
    groups: Sequence[Boxes]

    @classmethod
    def of(
        cls, source: Source, design: SampleDesign, answers: Sequence[Boxes], groups: Sequence[Boxes]
    ) -> "GroupedCells":
        """Return the totals of responses over answers and groups.

        Raises:
            QueryError: If the totals cannot be computed (see `SampledRows.of` and `SampledRows.cells`).
        """
        names = dict.fromkeys(name for boxes in (*answers, *groups) for box in boxes for name in box)
        rest: Part = [(1, EVERYBODY), *((-1, boxes) for boxes in answers)]
        parts: list[Part] = [*([(1, boxes)] for boxes in answers), rest]
        partition = [[(sign, joined([boxes, group])) for sign, boxes in part] for part in parts for group in groups]
        nowhere = [(1, EVERYBODY), *((-1, group) for group in groups)]
        rows = SampledRows.of(source, design, list(names))
        return cls(rows.cells([*partition, nowhere]), answers, groups)

    def ratios(self, wanted: Sequence[GroupRatio]) -> "JointRatios":
        """Return several ratios with their joint covariance."""
        truth = np.concatenate([self._truth(each) for each in wanted], axis=1)
        return JointRatios(self.cells, truth, tuple(map(self.ratio, wanted)), self.cells.covariance(truth))

    def ratio(self, wanted: GroupRatio) -> SampledRatio | None:
        """Return one ratio, or None if its denominator is not estimated above 0."""
        truth = self._truth(wanted)
        if self.cells.totals(truth)[1] <= ROUNDING * float(np.abs(self.cells.people).sum()):
            return None
        group = self.groups[wanted.group]
        numbers = [(each, joined([boxes, group])) for each, boxes in zip(wanted.numbers, self.answers, strict=True)]
        among = EVERYBODY if wanted.whole else group
        return SampledRatio.of(self.cells, truth, possible_pairs(self.cells, numbers, among), whole=among is EVERYBODY)

    def _truth(self, wanted: GroupRatio) -> Floats:
        """Return the numbers that answers in each part count in numerator and denominator, shape (parts, 2)."""
        shape = len(self.answers) + 1, len(self.groups)
        one, other = np.zeros(shape), np.zeros(shape)
        one[:-1, wanted.group] = wanted.numbers
        other[:, wanted.group] = 1.0
        rest = 1.0 if wanted.whole else 0.0
        below = np.ones(shape) if wanted.whole else other
        return np.stack([np.append(one, 0.0), np.append(below, rest)], axis=1)


@dataclass(frozen=True, eq=False)
class JointRatios:
    """Ratios of totals over the same cells.

    Attributes:
        cells: Totals over the cells.
        truth: Numbers that the parts count in each numerator and denominator, shape (parts, 2 ratios).
        ratios: Ratios, with None if the denominator is not estimated above 0.
        totals: Covariance of all numerators and denominators, shape (2 ratios, 2 ratios).
    """

    cells: SampledCells
    truth: Floats
    ratios: tuple[SampledRatio | None, ...]
    totals: Floats

    @cached_property
    def slopes(self) -> Floats:
        """Return the derivatives of the ratios by the totals, shape (ratios, 2 ratios).

        An unknown ratio has derivatives of 0.
        """
        found = np.zeros((len(self.ratios), 2 * len(self.ratios)))
        for number, ratio in enumerate(self.ratios):
            if ratio is not None:
                found[number, 2 * number : 2 * number + 2] = np.array([1.0, -ratio.value]) / ratio.totals[1]
        return found

    @cached_property
    def covariance(self) -> Floats:
        """Return the covariance of the ratios by linearisation, shape (ratios, ratios)."""
        return self.slopes @ self.totals @ self.slopes.T

    def difference(self, one: int, other: int) -> Difference | None:
        """Return one ratio minus another, or None if one of them is unknown."""
        first, second = self.ratios[one], self.ratios[other]
        if first is None or second is None:
            return None
        return difference_of(first, second, self.totals[2 * one : 2 * one + 2, 2 * other : 2 * other + 2])

    def p_value(self, contrast: Floats) -> float:
        """Return the p-value of the test that a sum of ratios is 0 (Wald, Student's t).

        Without a variance the p-value is NaN.

        Args:
            contrast: Factor of each ratio in the sum, shape (ratios,).
        """
        value = sum(float(times) * ratio.value for times, ratio in zip(contrast, self.ratios, strict=True) if ratio)
        error = sqrt(max(0.0, float(contrast @ self.covariance @ contrast)))
        if error <= ROUNDING:
            return nan
        freedom = self.cells.freedom(self.truth @ (contrast @ self.slopes))
        return 2 * float(stdtr(freedom, -abs(value) / error))

    def test(self, contrasts: Floats) -> ChiSquare | None:
        """Test whether several sums of ratios are all 0. The result is None if one of these ratios has no interval.

        Args:
            contrasts: Factors of the ratios in each sum, shape (sums, ratios).
        """
        used = [ratio for ratio, factors in zip(self.ratios, contrasts.T, strict=True) if factors.any()]
        if any(each is None or each.estimate.interval is None for each in used):
            return None
        values = np.array([0.0 if each is None else each.value for each in self.ratios])
        return wald(contrasts @ values, contrasts @ self.covariance @ contrasts.T, self.cells.rows.units.freedom)


def wald(gaps: Floats, spread: Floats, freedom: float) -> ChiSquare | None:
    """Return Wald's test that some estimates are all 0, with a p-value from the F distribution.

    The result is None if there are too few degrees of freedom.

    Args:
        gaps: Estimates that are tested, shape (estimates,).
        spread: Covariance of the estimates.
        freedom: Degrees of freedom of the covariance.
    """
    statistic, rank = chi_square(gaps, spread)
    left = freedom - rank + 1
    if not rank or left < 1:
        return None
    ratio = statistic * left / (rank * freedom)
    return ChiSquare(statistic, rank, float(fdtrc(rank, left, ratio)))


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for their number (Holm 1979). A p-value of NaN stays NaN, and does not count as a test."""
    tests = sorted((value, place) for place, value in enumerate(p_values) if not isnan(value))
    found, largest = list(p_values), 0.0
    for rank, (value, place) in enumerate(tests):
        largest = max(largest, min(1.0, (len(tests) - rank) * value))
        found[place] = largest
    return found
