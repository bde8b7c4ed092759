"""Figures of several groups in one table: intervals, the differences between all groups, and tests."""

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
    """An estimated mean, total or quantile of a number, or a difference of two.

    Attributes:
        ends: What it lies between, whoever answered.
    """

    ends: Range = field(default=(-inf, inf), repr=False, compare=False)

    @property
    def outside_possible_range(self) -> bool:
        """Whether the estimate is outside its possible range."""
        return not self.ends[0] <= self.estimate <= self.ends[1]

    @property
    def warning(self) -> str:
        """Remark on a figure that is impossible, and its meaning; empty for one that is possible."""
        low, high = self.ends
        return OUTSIDE.format(f"{low:g} to {high:g}") if self.outside_possible_range else ""

    @property
    def figures(self) -> dict[str, Any]:
        """The attributes as plain JSON values."""
        return {key: value for key, value in super().figures.items() if key != "ends"}


@dataclass(frozen=True)
class Bounds(JsonResult):
    """The bounds of a figure of numbers, if answers may be anywhere in their intervals.

    Attributes:
        low: The figure if every answer is the lower end of its interval; None if an interval has no lower end.
        high: Likewise for upper ends.
        interval: 95 % interval of the figure: it has the sampling error of both; None on a side that is not bounded.
    """

    low: float | None
    high: float | None
    interval: tuple[float | None, float | None]


@dataclass(frozen=True)
class GroupFigure:
    """A figure of one group.

    Attributes:
        group: The group's values, one for each question that the table is by.
        term: Name of the figure.
        estimate: None if the group is estimated to be empty, or the figure is not known.
        bounds: Of a figure of numbers; else None.
    """

    group: tuple[str, ...]
    term: str
    estimate: Estimate | None
    bounds: Bounds | None = None


@dataclass(frozen=True)
class GroupDifference:
    """The difference of a figure between two groups: the first minus the second.

    Attributes:
        term: Name of the figure.
        first: The first group's values.
        second: The second group's values.
        estimate: None if one of the groups is estimated to be empty.
        p_value: The chance of a difference as far from 0, if there were none; None if there is no interval.
        adjusted: The p value adjusted for the number of differences (Holm 1979).
    """

    term: str
    first: tuple[str, ...]
    second: tuple[str, ...]
    estimate: Estimate | None
    p_value: float | None
    adjusted: float | None


@dataclass(frozen=True, repr=False)
class FigureTable(TableResult):
    """Figures of all groups, estimated together.

    Attributes:
        by: Names of the questions whose values make the groups.
        figures: In the order of the groups.
        differences: Between all groups, of each figure; of a question of two values for the first alone.
        test: A test that no figure differs between the groups; None if there is no test.
        n: Number of responses.
        remarks: What is assumed or left out, as sentences.
    """

    by: tuple[str, ...]
    figures: tuple[GroupFigure, ...]
    differences: tuple[GroupDifference, ...]
    test: ChiSquare | None
    n: int
    remarks: tuple[str, ...] = ()

    @property
    def frame(self) -> pd.DataFrame:
        """One row for each figure, indexed by group and term."""
        return self.to_frame().set_index([*self.by, "term"])

    def to_frame(self) -> pd.DataFrame:
        """The figures with the column names of R's broom, a column for each question that the table is by."""
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
        """The differences with the column names of R's broom: `contrast` names the groups."""
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
        names: Names of the questions whose values make the groups.
        values: For each group its values, in words.
        boxes: For each group its condition.
    """

    names: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    boxes: tuple[Boxes, ...]

    @classmethod
    def of(cls, survey: Survey, by: str | Sequence[str] | None, among: ValueSets | str | None) -> "Groups":
        """The groups by the values of some questions, among people who meet a condition.

        Args:
            survey: The published design.
            by: Name of a question, or several; one group if None.
            among: The condition; everybody if None.

        Raises:
            QueryError: If a name is no question or comes twice, or the condition does not fit the survey.
        """
        names = (by,) if isinstance(by, str) else tuple(by or ())
        if len(set(names)) < len(names):
            raise QueryError("by", "a question is named twice", "name each once")
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
    """The differences between all groups, and the test that there are none.

    Args:
        joint: Ratios, those of one term after another, each for all groups.
        terms: Names of the figures to compare, which come first among the ratios.
        groups: The groups.
        scale: What ratios of numbers are multiplied by; None for shares.
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
    """An estimate times a number."""
    error = None if estimate.standard_error is None else estimate.standard_error * scale
    interval = None if estimate.interval is None else (estimate.interval[0] * scale, estimate.interval[1] * scale)
    return NumberEstimate(estimate.estimate * scale, error, interval, estimate.n, ends=ends)


def _bound_columns(bounds: Bounds) -> dict[str, float | None]:
    low, high = bounds.interval
    return {"lower": bounds.low, "upper": bounds.high, "lower.conf.low": low, "upper.conf.high": high}
