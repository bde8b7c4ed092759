"""Estimate trends: the share of a condition in several waves of a survey, its slope, and a test of change.

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
from miner.figures.partition import Partition
from miner.figures.sampled_figure import SampledFigure, sampled_figure
from miner.figures.score import interval_name
from miner.responses.condition import read_condition
from miner.responses.responses import Data

FEWEST_WAVES = 2
Waves = Mapping[int, Data] | Mapping[float, Data] | Mapping[float, Sequence[Data]]
"""Responses of different people by the time of the wave, or several sources of one wave, such as its versions."""


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
        known = {wave: share for wave, share in self.waves.items() if share is not None}
        points = tuple(Point(wave, share.estimate, share.interval) for wave, share in known.items())
        sizes = {wave: share.n for wave, share in known.items() if share.interval is not None}
        middle = sum(wave * size for wave, size in sizes.items()) / sum(sizes.values())
        line = tuple(
            Point(wave, self.share.estimate + self.slope.estimate * (wave - middle))
            for wave in (min(sizes), max(sizes))
        )
        where = "" if self.among is None else f" among {self.among}"
        return Chart(
            title=f"{self.condition}{where}",
            description=f"The share of {self.condition}{where} in {len(known)} waves, estimated from disguised "
            f"responses, with {interval_name()}s. It changes by {self.slope.estimate:z.3f} per {self.unit}.",
            x=Axis(self.unit.capitalize(), whole=True),
            y=Axis("Share"),
            lines=(
                Line(f"share with {interval_name()}", points, path=()),
                Line("straight line by the numbers of responses", line, marked=frozenset()),
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
    ratios: dict[float, list[SampledFigure | None]] = {}
    remarks: list[str] = []
    refused: QueryError | None = None
    for wave, sources in sorted(waves.items(), key=lambda each: each[0]):
        for responses in cast("Sequence[Data]", sources if isinstance(sources, Sequence) else (sources,)):
            try:
                ratios.setdefault(wave, []).append(_ratio(responses, condition, among))
            except QueryError as error:
                refused = error
                remarks.append(f"{unit} {wave:g} is left out: {error.place}: {error.problem}")
    ratios = {wave: parts for wave, parts in ratios.items() if parts}
    if not ratios and refused is not None:
        raise refused
    parts = {wave: _Wave([ratio for ratio in every if ratio is not None]) for wave, every in ratios.items()}
    shares = {wave: part.share if part.ratios else None for wave, part in parts.items()}
    known = {wave: part for wave, part in parts.items() if part.ratios and part.share.interval is not None}
    remarks += [
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
        tuple(remarks),
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


def _ratio(wave: Data, condition: str, among: str | None) -> SampledFigure | None:
    families = [[read_condition(wave.survey, each)] for each in (condition, among) if each is not None]
    group = {} if among is None else {1: 0}
    return sampled_figure(Partition.of(wave, families), [(1.0, {0: 0} | group)], group)


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
