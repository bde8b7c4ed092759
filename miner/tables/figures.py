"""Collect estimates for several groups in a table, with differences between all groups, and tests."""

from collections.abc import Iterable, Sequence
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
from miner.figures.chi_square import ChiSquare, holm
from miner.figures.estimate import BROOM, Amount, Difference, Estimate, Range
from miner.figures.partition import EVERYBODY, Boxes, joined
from miner.figures.sampled_figure import JointFigures
from miner.json_values import JsonResult
from miner.responses.condition import ValueSets, read_condition

UNKNOWN = dict.fromkeys(BROOM, nan)


@dataclass(frozen=True)
class NumberEstimate(Amount):
    """Estimated mean, total or quantile of a number, or a difference of two such estimates.

    Attributes:
        ends: Smallest and largest possible value of the estimated quantity.
    """

    ends: Range = field(default=(-inf, inf), repr=False, compare=False)

    @property
    def outside_possible_range(self) -> bool:
        """Whether the estimate is outside its possible range."""
        return not self.ends[0] <= self.estimate <= self.ends[1]

    @property
    def warning(self) -> str:
        """Explanation if the estimate is impossible; otherwise an empty text."""
        low, high = self.ends
        return self.impossible(self.ends, f"{low:g} to {high:g}") if self.outside_possible_range else ""

    @property
    def figures(self) -> dict[str, Any]:
        """The figures of the estimate as plain JSON values."""
        return {key: value for key, value in super().figures.items() if key != "ends"}


@dataclass(frozen=True)
class Bounds(JsonResult):
    """Bounds of a mean, total or quantile of numbers that are known only as intervals.

    Attributes:
        low: Estimate if every number is the lower end of its interval, or None if an interval has no lower end.
        high: Estimate if every number is the upper end of its interval, or None if an interval has no upper end.
        interval: Interval around both bounds, with None on an unbounded side.
    """

    low: float | None
    high: float | None
    interval: tuple[float | None, float | None]


@dataclass(frozen=True)
class GroupFigure:
    """Estimate for one group of a table.

    Attributes:
        group: Values that define the group.
        term: Name of the estimated quantity.
        estimate: Estimate, or None if the group is estimated to be empty or the quantity is not known.
        bounds: Bounds of a mean, total or quantile, or None for a share.
    """

    group: tuple[str, ...]
    term: str
    estimate: Estimate | None
    bounds: Bounds | None = None


@dataclass(frozen=True)
class GroupDifference:
    """Estimate for one group minus the estimate for another group.

    Attributes:
        term: Name of the estimated quantity.
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
    """Table of estimates for several groups.

    Attributes:
        by: Names of the questions whose values define the groups.
        figures: Estimates, in the order of the groups.
        differences: Differences between all pairs of groups (for a question with two values, of the first value's share
            only).
        test: Test that all differences between groups are 0, or None if no test is possible.
        n: Number of responses.
        remarks: Sentences about what the estimates assume or leave out.
        few: Groups of fewer than 10 people, by undisguised answers alone, who may be recognised.
    """

    by: tuple[str, ...]
    figures: tuple[GroupFigure, ...]
    differences: tuple[GroupDifference, ...]
    test: ChiSquare | None
    n: int
    remarks: tuple[str, ...] = ()
    few: tuple[tuple[str, ...], ...] = ()

    @property
    def frame(self) -> pd.DataFrame:
        """Frame with one row for each estimate, indexed by group and name."""
        return self.to_frame().set_index([*self.by, "term"])

    def to_frame(self) -> pd.DataFrame:
        """Return the estimates as a frame with the column names of R's package broom."""
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
        """Return the differences between groups as a frame with the column names of R's package broom."""
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
        """The table as plain JSON values."""
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
            "few": [dict(zip(self.by, group, strict=True)) for group in self.few],
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
            survey: Published survey.
            by: Name of the question, or names of the questions, whose values define the groups, or None for a single
                group.
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
    joint: JointFigures, terms: Sequence[str], groups: Groups, scale: float | None = None
) -> tuple[tuple[GroupDifference, ...], ChiSquare | None]:
    """Return the differences between all pairs of groups, and the test that all of them are 0.

    Args:
        joint: Figures of all groups for the first of `terms`, then figures of all groups for the next, and so on.
        terms: Names of the quantities to compare.
        groups: Groups to compare.
        scale: Factor by which ratios are multiplied, or None for shares.
    """
    size = len(groups.values)
    found: list[tuple[str, int, int, Difference | None, float]] = []
    contrasts: list[Floats] = []
    for term, name in enumerate(terms):
        start = term * size
        known = [group for group in range(size) if joint.figures[start + group] is not None]
        for one, other in combinations(range(size), 2):
            contrast = np.zeros(len(joint.figures))
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
    return NumberEstimate(estimate.estimate * scale, error, interval, estimate.n, note=estimate.note, ends=ends)


def notes_of(figures: Iterable[GroupFigure]) -> tuple[str, ...]:
    """Return the warnings of estimates, each with its groups."""
    found: dict[str, list[str]] = {}
    for each in figures:
        if each.estimate is not None and each.estimate.note:
            found.setdefault(each.estimate.note, []).append(" ".join([*each.group, each.term]))
    return tuple(f"{', '.join(names)}: {note}" for note, names in found.items())


def _bound_columns(bounds: Bounds) -> dict[str, float | None]:
    low, high = bounds.interval
    return {"lower": bounds.low, "upper": bounds.high, "lower.conf.low": low, "upper.conf.high": high}
