"""Collect the figures of several groups in a table: intervals, differences between all groups, and tests."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from math import inf, isnan, nan
from typing import Any

import numpy as np
import pandas as pd

from collector.errors import QueryError
from collector.survey.survey import Survey
from miner.arrays import Floats
from miner.drawing.notebook_table import TableResult
from miner.estimates.estimate import BROOM, OUTSIDE, Estimate, Range
from miner.estimates.independence import ChiSquare
from miner.estimates.ratios import Amount, Difference
from miner.json_values import JsonResult
from miner.responses.condition import ValueSets, read_condition
from miner.sampling.cells import EVERYBODY, Boxes, joined
from miner.sampling.grouped import JointRatios, holm

UNKNOWN = dict.fromkeys(BROOM, nan)


@dataclass(frozen=True)
class NumberEstimate(Amount):
    """Estimated mean, total or quantile of a number, or a difference of two such figures.

    Attributes:
        ends: Smallest and largest possible value of the figure, whoever answered.
    """

    ends: Range = field(default=(-inf, inf), repr=False, compare=False)

    @property
    def outside_possible_range(self) -> bool:
        """Whether the estimate is outside its possible range."""
        return not self.ends[0] <= self.estimate <= self.ends[1]

    @property
    def warning(self) -> str:
        """Explanation of an impossible estimate; an empty text for a possible one."""
        low, high = self.ends
        return OUTSIDE.format(f"{low:g} to {high:g}") if self.outside_possible_range else ""

    @property
    def figures(self) -> dict[str, Any]:
        """The attributes as plain JSON values."""
        return {key: value for key, value in super().figures.items() if key != "ends"}


@dataclass(frozen=True)
class Bounds(JsonResult):
    """Bounds of a mean, total or quantile, if each number may be anywhere in the interval that was answered.

    Attributes:
        low: Figure if every number is the lower end of its interval, or None if an interval has no lower end.
        high: Figure if every number is the upper end of its interval, or None if an interval has no upper end.
        interval: 95 % interval of the figure, with the sampling error of both bounds. None on an unbounded side.
    """

    low: float | None
    high: float | None
    interval: tuple[float | None, float | None]


@dataclass(frozen=True)
class GroupFigure:
    """Figure of one group.

    Attributes:
        group: Values that define the group, one for each question of `by`.
        term: Name of the figure.
        estimate: Estimate of the figure, or None if the group is estimated to be empty or the figure is not known.
        bounds: Bounds of a mean, total or quantile; None for a share.
    """

    group: tuple[str, ...]
    term: str
    estimate: Estimate | None
    bounds: Bounds | None = None


@dataclass(frozen=True)
class GroupDifference:
    """Difference of a figure between two groups: the first group minus the second.

    Attributes:
        term: Name of the figure.
        first: Values that define the first group.
        second: Values that define the second group.
        estimate: Estimated difference, or None if one of the groups is estimated to be empty.
        p_value: P value of the test that the difference is 0, or None if the difference has no interval.
        adjusted: P value adjusted for the number of differences (Holm 1979).
    """

    term: str
    first: tuple[str, ...]
    second: tuple[str, ...]
    estimate: Estimate | None
    p_value: float | None
    adjusted: float | None


@dataclass(frozen=True, repr=False)
class FigureTable(TableResult):
    """Figures of all groups, estimated jointly.

    Attributes:
        by: Names of the questions whose values define the groups.
        figures: Figures, in the order of the groups.
        differences: Differences of each figure between all pairs of groups. For a question with two values, only those
            of the first value.
        test: Test that no figure differs between the groups, or None if no test is possible.
        n: Number of responses.
        remarks: Sentences about what is assumed or left out.
    """

    by: tuple[str, ...]
    figures: tuple[GroupFigure, ...]
    differences: tuple[GroupDifference, ...]
    test: ChiSquare | None
    n: int
    remarks: tuple[str, ...] = ()

    @property
    def frame(self) -> pd.DataFrame:
        """Frame with one row for each figure, indexed by group and term."""
        return self.to_frame().set_index([*self.by, "term"])

    def to_frame(self) -> pd.DataFrame:
        """Return the figures with the column names of R's broom, and a column for each question of `by`."""
        rows = [
            {
                **dict(zip(self.by, each.group, strict=True)),
                "term": each.term,
                **(UNKNOWN if each.estimate is None else each.estimate.broom()),
                **({} if each.bounds is None else _bound_columns(each.bounds)),
            }
            for each in self.figures
        ]
        return pd.DataFrame(rows)

    def differences_frame(self) -> pd.DataFrame:
        """Return the differences with the column names of R's broom. The column `contrast` names the two groups."""
        rows = [
            {
                "term": each.term,
                "contrast": f"{' '.join(each.first)} - {' '.join(each.second)}",
                **(UNKNOWN if each.estimate is None else each.estimate.broom(each.p_value)),
                "adj.p.value": each.adjusted,
            }
            for each in self.differences
        ]
        return pd.DataFrame(rows, columns=["term", "contrast", *BROOM, "adj.p.value"])

    @property
    def as_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "n": self.n,
            "by": list(self.by),
            "figures": [
                {
                    "group": dict(zip(self.by, each.group, strict=True)),
                    "term": each.term,
                    "estimate": None if each.estimate is None else each.estimate.as_json,
                    **({} if each.bounds is None else {"bounds": each.bounds.as_json}),
                }
                for each in self.figures
            ],
            "differences": [
                {
                    "term": each.term,
                    "first": dict(zip(self.by, each.first, strict=True)),
                    "second": dict(zip(self.by, each.second, strict=True)),
                    "difference": None if each.estimate is None else each.estimate.as_json,
                    "p_value": each.p_value,
                    "adjusted_p_value": each.adjusted,
                }
                for each in self.differences
            ],
            "test": None if self.test is None else self.test.as_json,
            "remarks": list(self.remarks),
        }


@dataclass(frozen=True)
class Groups:
    """Groups of people to compare.

    Attributes:
        names: Names of the questions whose values define the groups.
        values: Values of each group, in words.
        boxes: Condition that defines each group.
    """

    names: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    boxes: tuple[Boxes, ...]

    @classmethod
    def of(cls, survey: Survey, by: str | Sequence[str] | None, among: ValueSets | str | None) -> "Groups":
        """Return the groups defined by the values of some questions, within a subgroup.

        Args:
            survey: The published design.
            by: Name of the question whose values define the groups, or several names. None for a single group.
            among: Condition of the subgroup, or None for everybody.

        Raises:
            QueryError: If a question does not exist or is named twice, or the condition does not fit the survey.
        """
        names = (by,) if isinstance(by, str) else tuple(by or ())
        if len(set(names)) < len(names):
            raise QueryError("by", "a question is named twice", "name each question once")
        among_boxes = EVERYBODY if among is None else read_condition(survey, among)
        questions = [survey.question(name) for name in names]
        indices = list(product(*(range(len(each.values)) for each in questions)))
        words = tuple(
            tuple(each.values[value] for each, value in zip(questions, some, strict=True)) for some in indices
        )
        if not names:
            return cls((), ((),), (among_boxes,))
        boxes = ({name: frozenset({value}) for name, value in zip(names, some, strict=True)} for some in indices)
        return cls(names, words, tuple(joined([[box], among_boxes]) for box in boxes))


def differences_of(
    joint: JointRatios, terms: Sequence[str], groups: Groups, scale: float | None = None
) -> tuple[tuple[GroupDifference, ...], ChiSquare | None]:
    """Return the differences between all pairs of groups, and the test that all differences are 0.

    Args:
        joint: Ratios of all groups for the first term, then of all groups for the next term, and so on.
        terms: Names of the figures to compare, in the order of the ratios.
        groups: Groups to compare.
        scale: Factor that converts ratios into numbers, or None for shares.
    """
    size = len(groups.values)
    found: list[tuple[str, int, int, Difference | None, float]] = []
    contrasts: list[Floats] = []
    for term, name in enumerate(terms):
        start = term * size
        known = [group for group in range(size) if joint.ratios[start + group] is not None]
        for one, other in combinations(range(size), 2):
            contrast = np.zeros(len(joint.ratios))
            contrast[[start + one, start + other]] = 1.0, -1.0
            estimate = joint.difference(start + one, start + other)
            unknown = estimate is None or estimate.interval is None
            found.append((name, one, other, estimate, nan if unknown else joint.p_value(contrast)))
            if estimate is not None and one == known[0]:
                contrasts.append(contrast)
    differences = []
    for (name, one, other, estimate, p_value), adjusted in zip(found, holm([each[-1] for each in found]), strict=True):
        scaled = estimate if scale is None or estimate is None else in_units(estimate, scale)
        p_values = (None, None) if isnan(p_value) else (p_value, adjusted)
        differences.append(GroupDifference(name, groups.values[one], groups.values[other], scaled, *p_values))
    return tuple(differences), joint.test(np.array(contrasts)) if contrasts else None


def in_units(estimate: Estimate, scale: float, ends: Range = (-inf, inf)) -> NumberEstimate:
    """Return an estimate times a number."""
    error = None if estimate.standard_error is None else estimate.standard_error * scale
    interval = None if estimate.interval is None else (estimate.interval[0] * scale, estimate.interval[1] * scale)
    return NumberEstimate(estimate.estimate * scale, error, interval, estimate.n, ends=ends)


def _bound_columns(bounds: Bounds) -> dict[str, float | None]:
    low, high = bounds.interval
    return {"lower": bounds.low, "upper": bounds.high, "lower.conf.low": low, "upper.conf.high": high}
