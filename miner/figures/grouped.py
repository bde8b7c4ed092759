"""Estimate shares or means in several groups of people, with their joint covariance.

A share or a mean in a group is a ratio of two totals (`miner.figures.sampled_ratio`). Differences and tests use the
joint covariance of all totals, which is due to the sampling and the disguise.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import nan, sqrt
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr  # type: ignore[import-untyped] # scipy brings no types

from miner.arrays import Floats
from miner.figures.cells import EVERYBODY, Boxes, Part, SampledCells, SampledRows, joined
from miner.figures.chi_square import ChiSquare, wald
from miner.figures.estimate import Difference
from miner.figures.figure import ROUNDING
from miner.figures.sample_design import SampleDesign
from miner.figures.sampled_ratio import SampledRatio, difference_of
from miner.responses.responses import Data


class GroupRatio(NamedTuple):
    """Ratio to estimate, such as the share or the mean of a group.

    Attributes:
        numbers: What a person with each of the answers adds to the numerator.
        group: Position of the group whose people are in the numerator.
        whole: Whether the denominator is the number of all people instead of the group's people.
        share: Whether the ratio is between 0 and 1.
    """

    numbers: Sequence[float]
    group: int
    whole: bool = False
    share: bool = True


@dataclass(frozen=True, eq=False)
class GroupedCells:
    """Estimated numbers of people with each answer in each group.

    Attributes:
        cells: Estimated numbers of people by answer and group, with further cells for people who have no listed answer
            or group.
        answers: Condition of each answer; the conditions exclude each other.
        groups: Condition of each group; the conditions exclude each other.
    """

    cells: SampledCells
    answers: Sequence[Boxes]
    groups: Sequence[Boxes]

    @classmethod
    def of(
        cls, source: Data, design: SampleDesign, answers: Sequence[Boxes], groups: Sequence[Boxes]
    ) -> "GroupedCells":
        """Estimate the number of people with each answer in each group.

        Raises:
            QueryError: If the numbers cannot be estimated (see `SampledRows.of` and `SampledRows.cells`).
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
        return SampledRatio.of(self.cells, truth, numbers, among, share=wanted.share)

    def _truth(self, wanted: GroupRatio) -> Floats:
        """Return what a person in each part adds to the numerator and to the denominator, shape (parts, 2)."""
        shape = len(self.answers) + 1, len(self.groups)
        one, other = np.zeros(shape), np.zeros(shape)
        one[:-1, wanted.group] = wanted.numbers
        other[:, wanted.group] = 1.0
        rest = 1.0 if wanted.whole else 0.0
        below = np.ones(shape) if wanted.whole else other
        return np.stack([np.append(one, 0.0), np.append(below, rest)], axis=1)


@dataclass(frozen=True, eq=False)
class JointRatios:
    """Ratios of totals, with their joint covariance.

    Attributes:
        cells: Estimated numbers of people in the cells of a partition.
        truth: What a person in each part adds to each numerator and denominator, shape (parts, 2 * ratios).
        ratios: Ratios, with None for a denominator that is not estimated above 0.
        totals: Covariance of all numerators and denominators, shape (2 * ratios, 2 * ratios).
    """

    cells: SampledCells
    truth: Floats
    ratios: tuple[SampledRatio | None, ...]
    totals: Floats

    @cached_property
    def slopes(self) -> Floats:
        """Return the derivatives of the ratios by numerators and denominators, shape (ratios, 2 * ratios)."""
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
        """Return one ratio minus another ratio, or None if either ratio is unknown."""
        first, second = self.ratios[one], self.ratios[other]
        if first is None or second is None:
            return None
        return difference_of(first, second, self.totals[2 * one : 2 * one + 2, 2 * other : 2 * other + 2])

    def p_value(self, contrast: Floats) -> float:
        """Return the p value of the Wald test that a weighted sum of ratios is 0, or NaN without a variance.

        Args:
            contrast: Factor of each ratio in the sum, shape (ratios,).
        """
        value = sum(float(times) * ratio.value for times, ratio in zip(contrast, self.ratios, strict=True) if ratio)
        error = sqrt(max(0.0, float(contrast @ self.covariance @ contrast)))
        if error <= ROUNDING:
            return nan
        freedom = self._freedom(contrast)
        return 2 * float(stdtr(freedom, -abs(value) / error))

    def _freedom(self, contrast: Floats) -> float:
        """Return the degrees of freedom of a weighted sum of ratios (Welch 1947)."""
        used = [(each, number) for number, each in enumerate(self.ratios) if each is not None and contrast[number]]
        parts = np.array([contrast[number] ** 2 * self.covariance[number, number] for _, number in used])
        degrees = np.array([each.freedom for each, _ in used])
        inside = np.any([each.inside for each, _ in used], axis=0)
        together = self.cells.freedom(self.truth @ (contrast @ self.slopes), inside)
        below = float((parts**2 / np.maximum(degrees, ROUNDING)).sum())
        return min(together, float(parts.sum()) ** 2 / below) if below > 0 else together

    def test(self, contrasts: Floats) -> ChiSquare | None:
        """Test whether several weighted sums of ratios are all 0, or return None if a ratio has no interval.

        Args:
            contrasts: Factor of each ratio in each sum, shape (sums, ratios).
        """
        used = [ratio for ratio, factors in zip(self.ratios, contrasts.T, strict=True) if factors.any()]
        if any(each is None or each.estimate.interval is None for each in used):
            return None
        values = np.array([0.0 if each is None else each.value for each in self.ratios])
        inside = np.any([each.inside for each in used if each is not None], axis=0)
        freedom = self.cells.rows.units.freedom_in(inside)
        return wald(contrasts @ values, contrasts @ self.covariance @ contrasts.T, freedom)
