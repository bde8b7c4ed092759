"""Estimate trends: the share of a condition in several waves of a survey, its slope, and a test of change.

With groups, each group has a trend of its own.

Each wave has different respondents, so the shares of the waves are independent. The trend is the straight line that
fits the shares best, weighted by the numbers of responses. Weights that were inverse estimated variances would pull the
line towards shares that are small by chance.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pandas as pd
from scipy.special import stdtr  # type: ignore[import-untyped] # scipy brings no types

from collector.errors import QueryError
from miner.arrays import Floats
from miner.drawing.chart import Axis, Chart, Line, Point
from miner.drawing.notebook_table import TableResult
from miner.figures.chi_square import ChiSquare, wald
from miner.figures.estimate import Difference, Estimate
from miner.figures.means import weighted_sum
from miner.figures.partition import EVERYBODY, Partition
from miner.figures.sampled_figure import SampledFigure, sampled_figure
from miner.figures.score import interval_name
from miner.responses.condition import read_condition
from miner.responses.responses import Data
from miner.tables.figures import Groups

FEWEST_WAVES = 2
Waves = Mapping[int, Data] | Mapping[float, Data] | Mapping[float, Sequence[Data]]
"""Responses of different people by the time of the wave, or several sources of one wave, such as its versions."""
Ratios = dict[float, list[SampledFigure | None]]
"""Share of each source of a wave, or None if the group is estimated to be empty, by the time of the wave."""
OF_ALL = ("condition", "among", "unit")  # what JSON says once for the trends of all groups
APART = 0.01  # distance between the bars of two groups in a chart, as a share of the time between first and last wave


@dataclass(frozen=True, repr=False)
class Trend(TableResult):
    """Share of a condition in several waves of a survey, with a straight line through the shares.

    Attributes:
        condition: Condition whose share is estimated.
        among: Condition of the subgroup, or None for everybody.
        waves: Share in each wave, or None if the subgroup is estimated to be empty, by the time of the wave.
        share: Share over all waves, which is the height of the straight line at the mean time.
        slope: Change of the share in one unit of time, along the straight line.
        p_value: P value of the test that the slope is 0, or None without a variance.
        change: Test that the share is equal in all waves, or None if no test is possible.
        remarks: Sentences about waves that the estimate leaves out.
        unit: Unit of time, such as wave or year.
    """

    condition: str
    among: str | None
    waves: Mapping[float, Estimate | None]
    share: Estimate
    slope: Difference
    p_value: float | None
    change: ChiSquare | None
    remarks: tuple[str, ...]
    unit: str = "wave"

    @property
    def frame(self) -> pd.DataFrame:
        """Frame with a row for each wave, a row for the share over all waves, and a row for the change per wave."""
        return self.to_frame().set_index("term")

    def to_frame(self) -> pd.DataFrame:
        """Return the shares and their change per wave as a frame with the column names of R's broom."""
        rows: list[dict[str, Any]] = [
            {"term": f"{self.unit} {wave:g}", **share.broom()}
            for wave, share in self.waves.items()
            if share is not None
        ]
        rows += [
            {"term": "all waves", **self.share.broom()},
            {"term": f"change per {self.unit}", **self.slope.broom(self.p_value)},
        ]
        return pd.DataFrame(rows)

    @property
    def as_json(self) -> dict[str, Any]:
        """The trend as plain JSON values."""
        return {
            "condition": self.condition,
            "among": self.among,
            "unit": self.unit,
            "waves": [
                {"wave": wave, "share": None if share is None else share.as_json} for wave, share in self.waves.items()
            ],
            "share": self.share.as_json,
            "slope": self.slope.as_json,
            "p_value": self.p_value,
            "change": None if self.change is None else self.change.as_json,
            "remarks": list(self.remarks),
        }

    @property
    def chart(self) -> Chart:
        """Return a chart of the shares in all waves, with their intervals and a straight line."""
        points, title = self.points(), self.title
        return Chart(
            title=title,
            description=f"The share of {title} in {len(points)} waves, estimated from disguised "
            f"responses, with {interval_name()}s. It changes by {self.slope.estimate:z.3f} per {self.unit}.",
            x=Axis(self.unit.capitalize(), whole=True),
            y=Axis("Share"),
            lines=(
                Line(f"share with {interval_name()}", points, path=()),
                Line("straight line by the numbers of responses", self.line, marked=frozenset()),
            ),
        )

    @property
    def title(self) -> str:
        """Return the condition and its subgroup, in words."""
        return self.condition if self.among is None else f"{self.condition} among {self.among}"

    def points(self, aside: float = 0.0) -> tuple[Point, ...]:
        """Return the shares of the waves with their intervals, moved aside by some time."""
        known = ((wave, share) for wave, share in self.waves.items() if share is not None)
        return tuple(Point(wave + aside, share.estimate, share.interval) for wave, share in known)

    @property
    def line(self) -> tuple[Point, Point]:
        """Return the two ends of the straight line."""
        known = ((wave, share) for wave, share in self.waves.items() if share is not None)
        sizes = {wave: share.n for wave, share in known if share.interval is not None}
        middle = sum(wave * size for wave, size in sizes.items()) / sum(sizes.values())
        first, last = (
            Point(wave, self.share.estimate + self.slope.estimate * (wave - middle))
            for wave in (min(sizes), max(sizes))
        )
        return first, last


@dataclass(frozen=True, repr=False)
class TrendTable(TableResult):
    """Trends of a condition in several groups.

    Attributes:
        by: Names of the questions whose values define the groups.
        trends: Trend of each group that has one, by the values that define the group.
        remarks: Sentences about waves and groups that the estimates leave out.
    """

    by: tuple[str, ...]
    trends: Mapping[tuple[str, ...], Trend]
    remarks: tuple[str, ...] = ()

    @property
    def frame(self) -> pd.DataFrame:
        """Frame with the rows of each group's trend, indexed by group and name."""
        return self.to_frame().set_index([*self.by, "term"])

    def to_frame(self) -> pd.DataFrame:
        """Return the trends as a frame with columns for the group and the column names of R's broom."""
        frames = [
            each.to_frame().assign(**dict(zip(self.by, group, strict=True))) for group, each in self.trends.items()
        ]
        whole = pd.concat(frames, ignore_index=True)
        return whole[[*self.by, *(name for name in whole if name not in self.by)]]

    @property
    def as_json(self) -> dict[str, Any]:
        """The trends as plain JSON values, with an entry for each group."""
        found = {group: each.as_json for group, each in self.trends.items()}
        some = next(iter(found.values()))
        return {
            **{key: some[key] for key in OF_ALL},
            "by": list(self.by),
            "trends": [
                {
                    "group": dict(zip(self.by, group, strict=True)),
                    **{key: value for key, value in each.items() if key not in OF_ALL},
                }
                for group, each in found.items()
            ],
            "remarks": list(self.remarks),
        }

    @property
    def chart(self) -> Chart:
        """Return a chart with a straight line for each group, and the shares with their intervals beside each other."""
        some, named = next(iter(self.trends.values())), {" ".join(group): each for group, each in self.trends.items()}
        times = [wave for each in named.values() for wave in each.waves]
        step = APART * (max(times) - min(times))
        slopes = ", ".join(f"{each.slope.estimate:z.3f} ({name})" for name, each in named.items())
        return Chart(
            title=f"{some.title}, by {', '.join(self.by)}",
            description=f"The share of {some.title} in each group of {', '.join(self.by)} over the waves, estimated "
            f"from disguised responses, with {interval_name()}s. It changes per {some.unit} by {slopes}.",
            x=some.chart.x,
            y=some.chart.y,
            lines=tuple(
                Line(name, each.points(step * (place - (len(named) - 1) / 2)), path=each.line)
                for place, (name, each) in enumerate(named.items())
            ),
        )


def trend(
    waves: Waves,
    condition: str,
    *,
    among: str | None = None,
    unit: str = "wave",
) -> Trend:
    """Estimate the share of a condition in several waves of a survey, and the change of the share.

    Args:
        waves: Responses or samples of different people, by the time of the wave, such as its number or a year. Several
            sources of one wave, such as its versions, count by their numbers of responses.
        condition: Condition whose share is estimated, as text.
        among: Condition of the subgroup, or None for everybody.
        unit: Unit of time of the keys of `waves`, such as wave or year.

    Raises:
        QueryError: If fewer than two waves have a share with an interval, or a condition fits the survey of no wave.
    """
    every, remarks = _ratios(waves, condition, None, among, unit)
    return _trend_of(every[()], condition, among, unit, remarks)


def trends(
    waves: Waves, condition: str, *, by: str | Sequence[str], among: str | None = None, unit: str = "wave"
) -> TrendTable:
    """Estimate the trend of a condition in each group of people.

    The groups may be disguised. Each interval and each p value is for its group alone.

    Args:
        waves: Responses or samples by the time of the wave, as `trend` takes them.
        condition: Condition whose share is estimated, as text.
        by: Name of the question, or names of the questions, whose values define the groups.
        among: Condition that restricts the groups, or None for everybody.
        unit: Unit of time of the keys of `waves`, such as wave or year.

    Raises:
        QueryError: If no group has two waves with an interval, or a condition or question fits the survey of no wave.
    """
    every, remarks = _ratios(waves, condition, by, among, unit)
    times = {wave for ratios in every.values() for wave in ratios}
    found: dict[tuple[str, ...], Trend] = {}
    refused: QueryError | None = None
    for group, ratios in every.items():
        missing = [f"{unit} {wave:g} is left out: it has no such group" for wave in sorted(times - ratios.keys())]
        try:
            found[group] = _trend_of(ratios, condition, among, unit, missing)
        except QueryError as error:
            refused = error
            remarks.append(f"{' '.join(group)} is left out: {error.problem}")
    if not found and refused is not None:
        raise refused
    return TrendTable((by,) if isinstance(by, str) else tuple(by), found, tuple(remarks))


def _ratios(
    waves: Waves, condition: str, by: str | Sequence[str] | None, among: str | None, unit: str
) -> tuple[dict[tuple[str, ...], Ratios], list[str]]:
    """Return the shares of each group in each wave that the conditions fit, and remarks about the other waves."""
    found: dict[tuple[str, ...], Ratios] = {}
    remarks: list[str] = []
    refused: QueryError | None = None
    for wave, sources in sorted(waves.items(), key=lambda each: each[0]):
        for responses in cast("Sequence[Data]", sources if isinstance(sources, Sequence) else (sources,)):
            try:
                groups = _ratio_by_group(responses, condition, by, among)
            except QueryError as error:
                refused = error
                remarks.append(f"{unit} {wave:g} is left out: {error.place}: {error.problem}")
                continue
            for group, ratio in groups.items():
                found.setdefault(group, {}).setdefault(wave, []).append(ratio)
    if not found and refused is not None:
        raise refused
    return found, remarks


def _trend_of(ratios: Ratios, condition: str, among: str | None, unit: str, remarks: Sequence[str]) -> Trend:
    """Return the straight line through the shares of the waves.

    Raises:
        QueryError: If fewer than two waves have a share with an interval.
    """
    parts = {wave: _Wave([ratio for ratio in every if ratio is not None]) for wave, every in ratios.items()}
    shares = {wave: part.share if part.ratios else None for wave, part in parts.items()}
    known = {wave: part for wave, part in parts.items() if part.ratios and part.share.interval is not None}
    outside = [
        f"{unit} {wave:g} is not in the line and the tests: its share has no interval"
        for wave in ratios
        if wave not in known
    ]
    if len(known) < FEWEST_WAVES:
        problem = "fewer than two waves have a share with an interval"
        raise QueryError("trend", problem, "collect more responses, or estimate the share of one wave")
    numbers, sizes = np.array([*known]), np.array([part.people for part in known.values()], np.float64)
    gaps = numbers - np.average(numbers, weights=sizes)
    factors = sizes * gaps / float(sizes @ gaps**2)
    estimates, people = [part.share for part in known.values()], round(float(sizes.sum()))
    level = weighted_sum(list(zip((sizes / sizes.sum()).tolist(), estimates, strict=True)), people)
    line = weighted_sum(list(zip(factors.tolist(), estimates, strict=True)), people)
    slope = Difference(line.estimate, line.standard_error, line.interval, people)
    return Trend(
        condition,
        among,
        shares,
        level,
        slope,
        _p_value(slope, factors, [*known.values()]),
        _change([*known.values()]),
        (*remarks, *outside),
        unit,
    )


class _Wave:
    """Share of one wave, over one or more sources of responses, weighted by their numbers of people."""

    def __init__(self, ratios: Sequence[SampledFigure]) -> None:
        self.ratios, self.people = ratios, sum(ratio.n for ratio in ratios)
        self.weights = np.array([ratio.n for ratio in ratios]) / max(1, self.people)
        self._variances = self.weights**2 * np.array([ratio.standard_error**2 for ratio in ratios])

    @property
    def share(self) -> Estimate:
        if len(self.ratios) == 1:
            return self.ratios[0].estimate
        estimates = [ratio.estimate for ratio in self.ratios]
        return weighted_sum(list(zip(self.weights.tolist(), estimates, strict=True)), self.people)

    @property
    def value(self) -> float:
        return float(self.weights @ [ratio.value for ratio in self.ratios])

    @property
    def variance(self) -> float:
        return float(self._variances.sum())

    @property
    def freedom(self) -> float:
        """Return the degrees of freedom of the variance by Satterthwaite (1946)."""
        if len(self.ratios) == 1 or not self.variance:
            return float(sum(ratio.freedom for ratio in self.ratios))
        return self.variance**2 / float((self._variances**2 / [ratio.freedom for ratio in self.ratios]).sum())


def _ratio_by_group(
    wave: Data, condition: str, by: str | Sequence[str] | None, among: str | None
) -> dict[tuple[str, ...], SampledFigure | None]:
    """Return the share of a condition in each group of one wave, or in the only group without questions."""
    groups = Groups.of(wave.survey, by, among)
    everybody = groups.boxes == (EVERYBODY,)
    cells = Partition.of(wave, [[read_condition(wave.survey, condition)], *([] if everybody else [groups.boxes])])
    people: list[dict[int, int]] = [{} if everybody else {1: group} for group in range(len(groups.boxes))]
    ratios = (sampled_figure(cells, [(1.0, {0: 0} | each)], each) for each in people)
    return dict(zip(groups.values, ratios, strict=True))


def _p_value(slope: Difference, factors: Floats, waves: Sequence[_Wave]) -> float | None:
    """Return the p value of the t test that the slope is 0, with degrees of freedom by Satterthwaite (1946)."""
    if not slope.standard_error:
        return None
    variances = np.array([wave.variance for wave in waves]) * factors**2
    freedom = variances.sum() ** 2 / (variances**2 / np.array([wave.freedom for wave in waves])).sum()
    return 2 * float(stdtr(freedom, -abs(slope.estimate) / slope.standard_error))


def _change(waves: Sequence[_Wave]) -> ChiSquare | None:
    """Return the Wald test that the shares of all waves are equal."""
    values = np.array([wave.value for wave in waves])
    variances = np.array([wave.variance for wave in waves])
    spread = np.diag(variances[1:]) + variances[0]
    return wald(values[1:] - values[0], spread, float(sum(wave.freedom for wave in waves)))
