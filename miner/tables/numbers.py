"""Estimate means, totals and quantiles of a number question, whose answers are intervals.

The bounds of a mean are the mean if every number is the lower end of its interval, and the mean if every number is the
upper end. The bounds of a total or a quantile are computed like those of a mean. The interval around the bounds
follows Imbens & Manski (2004). A single estimate assumes that numbers are spread evenly within each interval.

Of whole numbers, the interval from a to b holds a, a + 1, ..., b - 1, and a quantile is the smallest number up to which
enough people are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, inf

import numpy as np
from scipy.optimize import brentq  # type: ignore[import-untyped] # it brings no types
from scipy.special import ndtr  # type: ignore[import-untyped] # scipy brings no types

from collector.errors import QueryError
from collector.survey.question import Question
from collector.survey.screen import NUMBER
from collector.survey.survey import Survey
from miner.effects.midpoints import midpoints, number_ends
from miner.figures.estimate import FEWEST, Estimate
from miner.figures.partition import EVERYBODY, Boxes, Partition, joined
from miner.figures.sampled_figure import JointFigures, SampledFigure, sampled_figure
from miner.figures.score import level, normal_quantile, student
from miner.responses.condition import ValueSets
from miner.responses.responses import Data
from miner.tables.figures import (
    Bounds,
    FigureTable,
    GroupFigure,
    Groups,
    NumberEstimate,
    differences_of,
    in_units,
    notes_of,
)

FINE = 1e-4  # precision of a quantile's limit, as a share of the interval that contains it
EXACT = 1e-9  # rounding error of a quantile that is a whole number
End = float | None


def mean(
    responses: Data,
    question: str,
    *,
    by: str | Sequence[str] | None = None,
    among: ValueSets | str | None = None,
) -> FigureTable:
    """Estimate the mean of a number question in each group, among people who gave a number.

    Args:
        responses: Disguised responses, or a sample.
        question: Name of a number question.
        by: Name of the question, or names of the questions, whose values define the groups, or None for a single group.
        among: Condition that restricts the table to a subgroup, or None for everybody.

    Raises:
        QueryError: If there are no responses, the question is not a number question, open intervals have no midpoints,
            or an argument does not fit the survey.
    """
    return _summed(_Numbers.of(responses, question, by, among), f"mean of {question}", None)


def total(
    responses: Data,
    question: str,
    people: float,
    *,
    by: str | Sequence[str] | None = None,
    among: ValueSets | str | None = None,
) -> FigureTable:
    """Estimate the total of a number question over the people of each group in the population.

    People without a number count as 0.

    Args:
        responses: Disguised responses, or a sample.
        question: Name of a number question.
        people: Number of people in the population, all groups together.
        by: Name of the question, or names of the questions, whose values define the groups, or None for a single group.
        among: Condition that restricts the table to a subgroup, or None for everybody.

    Raises:
        QueryError: If `mean` would raise an error, or the number of people is not above 0.
    """
    if not 0 < people < inf:
        raise QueryError("total", "the number of people is not above 0", "give the size of the population")
    return _summed(_Numbers.of(responses, question, by, among), f"total of {question}", people)


def quantile(
    responses: Data,
    question: str,
    share: float,
    *,
    by: str | Sequence[str] | None = None,
    among: ValueSets | str | None = None,
) -> FigureTable:
    """Estimate a quantile of a number question in each group, among people who gave a number.

    Args:
        responses: Disguised responses, or a sample.
        question: Name of a number question.
        share: Share of people whose number is below the quantile, such as 0.5 for the median.
        by: Name of the question, or names of the questions, whose values define the groups, or None for a single group.
        among: Condition that restricts the table to a subgroup, or None for everybody.

    Raises:
        QueryError: If `mean` would raise an error, or the share is not between 0 and 1.
    """
    if not 0 < share < 1:
        raise QueryError("quantile", "the share is not between 0 and 1", "give 0.5 for the median")
    numbers = _Numbers.of(responses, question, by, among)
    figures = []
    for place, group in enumerate(numbers.groups.values):
        estimate, bounds = _Distribution(numbers, place).quantile(share)
        figures.append(GroupFigure(group, f"quantile {share:g} of {question}", estimate, bounds))
    spread = "whole numbers" if numbers.step else "answers"
    remarks = (f"the estimate supposes {spread} that are spread evenly within each interval", *numbers.left_out)
    remarks += notes_of(figures)
    return FigureTable(numbers.groups.names, tuple(figures), (), None, numbers.people, remarks)


@dataclass(frozen=True, eq=False)
class _Numbers:
    """Estimated numbers of people by group and by interval of a number question.

    Attributes:
        question: Number question.
        ends: Ends of the intervals, in ascending order, with None for an open end.
        step: By how much the largest number of an interval is below its upper end: 1 for whole numbers, otherwise 0.
        groups: Groups of people who gave a number.
        cells: Estimated numbers of people by interval and group.
        left_out: Sentence about people who give no number, or nothing.
    """

    question: Question
    ends: tuple[End, ...]
    step: float
    groups: Groups
    cells: Partition
    left_out: tuple[str, ...]

    @classmethod
    def of(
        cls,
        responses: Data,
        name: str,
        by: str | Sequence[str] | None,
        among: ValueSets | str | None,
    ) -> "_Numbers":
        question, (ends, step) = responses.survey.question(name), _ends(responses.survey, name)
        groups, count = Groups.of(responses.survey, by, among), len(question.base)
        left_out: tuple[str, ...] = ()
        if count < len(question.values):
            answered: Boxes = [{name: frozenset(range(count))}]
            groups = Groups(groups.names, groups.values, tuple(joined([each, answered]) for each in groups.boxes))
            left_out = (f'people without a number in "{name}" are left out',)
        answers: list[Boxes] = [[{name: frozenset({value})}] for value in range(count)]
        cells = Partition.of(responses, [answers, groups.boxes])
        return cls(question, ends, step, groups, cells, left_out)

    def figure(
        self, numbers: Sequence[float], group: int, *, whole: bool = False, share: bool = False
    ) -> SampledFigure | None:
        """Return the mean of numbers, one for each interval, in a group, or per person of all groups together."""
        people = {} if self.groups.boxes[group] is EVERYBODY else {1: group}
        added = [(number, {0: value} | people) for value, number in enumerate(numbers)]
        return sampled_figure(self.cells, added, {} if whole else people, share=share)

    @property
    def largest(self) -> tuple[End, ...]:
        """Largest number of each interval, with None for an open end."""
        return tuple(None if end is None else end - self.step for end in self.ends[1:])

    @property
    def people(self) -> int:
        """Number of responses."""
        return self.cells.found.people


def _ends(survey: Survey, name: str) -> tuple[tuple[End, ...], float]:
    """Return the ends of the intervals of a number question, as `number_ends` does.

    Raises:
        QueryError: If the question does not exist or is not a number question.
    """
    found = {
        each.name: number_ends(each.cuts, each.minimum, each.maximum, whole=each.whole)
        for each in survey.questions
        if each.kind == "number"
    }
    for screen in survey.screens:
        if screen.kind == NUMBER:
            low, high = (None if end is None else float(end) for end in (screen.minimum, screen.maximum))
            found[screen.questions[0]] = number_ends([*map(float, screen.cuts)], low, high, whole=screen.whole)
    if survey.question(name).name not in found:
        remedy = f"name a number, such as {next(iter(found))}" if found else "estimate the shares of its answers"
        raise QueryError(f'question "{name}"', "the answers of the question are not numbers", remedy)
    return found[name]


def _summed(numbers: _Numbers, term: str, people: float | None) -> FigureTable:
    """Return a table of the means, or of the population totals, of a number question."""
    question, ends, largest_numbers, groups = numbers.question, numbers.ends, numbers.largest, numbers.groups
    remedy = "estimate a quantile, or write its minimum and maximum in the next version"
    middles, remark = midpoints(question.name, question.values, ends, remedy, step=numbers.step)
    sides = [middles.tolist(), [0.0 if end is None else end for end in ends[:-1]]]
    sides.append([0.0 if end is None else end for end in largest_numbers])
    largest = max(abs(each) for side in sides for each in side) or 1.0
    scale, size = largest * (people or 1), len(groups.values)
    scaled = [[each / largest for each in side] for side in sides]
    joint = JointFigures(
        numbers.cells,
        [numbers.figure(side, group, whole=people is not None) for side in scaled for group in range(size)],
    )
    possible = _possible(ends[0], largest_numbers[-1], people)
    figures = []
    for place, group in enumerate(groups.values):
        middle, low, high = joint.figures[place::size]
        if middle is None or low is None or high is None:
            figures.append(GroupFigure(group, term, None))
            continue
        bounds = _bounds(None if ends[0] is None else low, None if ends[-1] is None else high, scale)
        figures.append(GroupFigure(group, term, in_units(middle.estimate, scale, possible), bounds))
    differences, test = differences_of(joint, [term], groups, scale)
    zero = (f'people without a number in "{question.name}" count 0',)
    remarks = (remark, *(numbers.left_out if people is None else numbers.left_out and zero))
    return FigureTable(groups.names, tuple(figures), differences, test, numbers.people, (*remarks, *notes_of(figures)))


def _possible(smallest: End, largest: End, people: float | None) -> tuple[float, float]:
    """Return the smallest and the largest possible mean or total of a number question."""
    low, high = -inf if smallest is None else smallest, inf if largest is None else largest
    return (low, high) if people is None else (min(0.0, low) * people, max(0.0, high) * people)


def _bounds(low: SampledFigure | None, high: SampledFigure | None, scale: float) -> Bounds:
    """Return bounds with the interval of Imbens & Manski (2004), which is one-sided if a bound is missing."""
    below, above = (None if each is None else each.value * scale for each in (low, high))
    some = low or high
    if some is None or some.n < FEWEST or some.estimate.interval is None:
        return Bounds(below, above, (None, None))
    errors = [0.0 if each is None else each.standard_error * scale for each in (low, high)]
    width = inf if below is None or above is None else max(0.0, above - below)
    reach = imbens_manski(width, max(errors)) * student(some.freedom) / normal_quantile()
    return Bounds(
        below,
        above,
        (None if below is None else below - reach * errors[0], None if above is None else above + reach * errors[1]),
    )


def imbens_manski(width: float, error: float) -> float:
    """Return how many standard errors an interval extends beyond two bounds (Imbens & Manski 2004).

    Args:
        width: Distance between the two bounds.
        error: Larger of the standard errors of the two bounds.
    """
    if error <= 0:
        return 0.0
    farthest, asked = max(3.0, normal_quantile() + 1), level.get()
    return float(brentq(lambda times: ndtr(times + width / error) - ndtr(-times) - asked, 0.0, farthest))


class _Distribution:
    """Distribution of a number question among the people of a group.

    Args:
        numbers: Estimated numbers of people by group and interval.
        group: Position of the group.
    """

    def __init__(self, numbers: _Numbers, group: int) -> None:
        self._numbers, self._group = numbers, group
        self._ends, self._count = numbers.ends, len(numbers.question.base)

    def _ratio(self, place: float) -> SampledFigure | None:
        """Return the share of people below a position among the intervals, such as 1.5 in the second interval."""
        filled = np.clip(place - np.arange(self._count), 0.0, 1.0)
        return self._numbers.figure(filled.tolist(), self._group, share=True)

    def quantile(self, share: float) -> tuple[Estimate | None, Bounds | None]:
        """Return the estimate of the quantile and its bounds, which are None for an empty group."""
        ratios = [self._ratio(place) for place in range(self._count + 1)]
        known = [each for each in ratios if each is not None]
        if len(known) < len(ratios):
            return None, None
        shares = [each.value for each in known]
        # the first interval at whose end so many are below; all of them are below the last end
        inside = next((place for place in range(self._count - 1) if shares[place + 1] >= share), self._count - 1)
        largest, above = self._numbers.largest, self._surely(known, share, above=True)
        lowest, highest = self._ends[self._surely(known, share)], largest[above - 1]
        bounded = known[-1].n >= FEWEST and known[0].estimate.interval is not None
        bounds = Bounds(self._ends[inside], largest[inside], (lowest, highest) if bounded else (None, None))
        gain = shares[inside + 1] - shares[inside]
        place = inside + (share - shares[inside]) / gain if gain > 0 else float(inside)
        middle = self._number(place)
        if middle is None:
            return None, bounds
        limits = [self._number(self._limit(place, share, side)) for side in (-1, 1)] if bounded else [None, None]
        low, high = limits
        if low is None or high is None:
            estimate = NumberEstimate(self._held(middle), None, None, known[0].n, note=known[0].estimate.note)
            return estimate, bounds
        error = (high - low) / (2 * student(known[inside].freedom))
        interval = self._held(low), self._held(high)
        return NumberEstimate(self._held(middle), error, interval, known[0].n, note=known[inside].note), bounds

    def _held(self, number: float) -> float:
        """Return the number that people have at a point between the ends of all intervals.

        Of whole numbers, k lies at the points above k, up to k + 1. All other numbers are the points.
        """
        if not self._numbers.step:
            return number
        held = float(ceil(number - EXACT) - 1)
        return held if self._ends[0] is None else max(held, self._ends[0])

    def _number(self, place: float) -> End:
        """Return the number at a position among the intervals, or None within an open interval."""
        inside = min(int(place), self._count - 1)
        low, high = self._ends[inside], self._ends[inside + 1]
        if place == inside:
            return low
        return (
            high
            if place == inside + 1
            else None
            if low is None or high is None
            else low + (place - inside) * (high - low)
        )

    def _surely(self, ratios: Sequence[SampledFigure], share: float, *, above: bool = False) -> int:
        """Return the position of the nearest interval end that is significantly below (or above) a quantile."""
        places = range(self._count + 1)
        order = list(reversed(places)) if above else list(places)
        farthest = order[0]
        for place in order[1:-1]:
            beyond = ratios[place].value > share if above else ratios[place].value < share
            if not beyond or ratios[place].room(share) >= 0:
                break
            farthest = place
        return farthest

    def _limit(self, start: float, share: float, side: int) -> float:
        """Return a limit of a quantile as a position, where 1.5 is the middle of the second interval."""
        outside = float(np.floor(start)) if side < 0 else float(np.ceil(start))
        inside = start
        while 0 < outside < self._count and self._room(outside, share) >= 0:
            inside, outside = outside, outside + side
        if self._room(outside, share) >= 0:  # the end of all numbers
            return outside
        return float(brentq(self._room, inside, outside, args=(share,), xtol=FINE))

    def _room(self, place: float, share: float) -> float:
        ratio = self._ratio(place)
        return -1.0 if ratio is None else ratio.room(share)
