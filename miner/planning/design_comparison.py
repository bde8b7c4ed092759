"""Comparison of designs with the same epsilon per response: precision of estimates, and accuracy of models.

Precision is simulated (`miner.planning.simulated_precision`), accuracies are those of `miner plan`
(`miner.planning.forecast`). All designs use the same random numbers.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from collector.errors import QueryError
from collector.survey.survey import Survey
from miner.drawing.chart import Axis, Chart, Line, Point
from miner.drawing.notebook_table import TableResult
from miner.learners.modes import AUTO, LATENT
from miner.planning.designs import Design
from miner.planning.forecast import LEARNERS, Forecast, ForecastSettings, forecast
from miner.planning.simulated_precision import Population, Precision, precisions, typical
from miner.responses.responses import Values
from miner.weights.layout import uncountable

SEEDS = 2**32
WIDE = (10.5, 5.5)  # inches, for the names of designs


@dataclass(frozen=True)
class Trials:
    """Settings of the comparison.

    Attributes:
        respondents: Number of respondents, at least 2.
        surveys: Number of surveys simulated for precision, at least 1.
        rehearsals: Number of surveys simulated to train models: 0, or at least 2.
        mode: Of the models, as for ``miner train``.
        pilot: Value indices, shape (rows, questions); None to draw respondents from the priors.
    """

    respondents: int
    surveys: int
    rehearsals: int
    mode: str
    pilot: Values | None

    def steps(self, several: int) -> int:
        """The number of calls of `after_each` for this number of designs."""
        return several * (self.surveys + self.rehearsals * len(LEARNERS))


@dataclass(frozen=True)
class Tried:
    """The results for one design.

    Attributes:
        design: The design.
        tables: The precision of every share, and of the tables of two questions that are asked together.
        models: The accuracy of tree and forest; empty without rehearsals, and if the mode does not support the design.
    """

    design: Design
    tables: Mapping[tuple[str, ...], Precision]
    models: tuple[Forecast, ...]

    @property
    def shares(self) -> Precision:
        """Precision of the shares of all questions; all questions have equal weight."""
        return typical([each for names, each in self.tables.items() if len(names) == 1])

    @property
    def pairs(self) -> Precision | None:
        """Precision of the tables of two questions; None if no respondent is asked two of them."""
        pairs = [each for names, each in self.tables.items() if len(names) > 1]
        return typical(pairs) if pairs else None

    @property
    def as_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "design": self.design.words,
            "published": self.design.published,
            "coins": self.design.coins,
            "coding": self.design.coding,
            "ask": self.design.ask,
            "fingerprint": self.design.survey.fingerprint,
            "epsilon": self.design.epsilon,
            "shares": self.shares.as_json,
            "pairs": None if self.pairs is None else self.pairs.as_json,
            "tables": [{"questions": list(names), **each.as_json} for names, each in self.tables.items()],
            "models": [
                {
                    "kind": each.kind,
                    "accuracy": each.accuracy,
                    "interval": list(each.interval),
                    "baseline": each.baseline,
                }
                for each in self.models
            ],
        }


@dataclass(frozen=True, repr=False)
class DesignComparison(TableResult):
    """The results for all designs.

    Attributes:
        survey: The survey with the questions.
        epsilon: Of a complete response.
        respondents: Number of respondents.
        tried: Results; the published design first, if it keeps the epsilon.
    """

    survey: Survey
    epsilon: Fraction
    respondents: int
    tried: tuple[Tried, ...]

    @property
    def frame(self) -> pd.DataFrame:
        """One row per design, indexed by it in words."""
        rows = []
        for each in self.tried:
            pairs = each.pairs
            row: dict[str, Any] = {"design": each.design.words, "ask": each.design.ask, "epsilon": each.design.epsilon}
            row |= {"share_foretold": each.shares.foretold, "share_error": each.shares.came}
            row |= {"pair_printed": pairs and pairs.printed, "pair_error": pairs and pairs.came}
            rows.append(row | {f"{model.kind}_accuracy": model.accuracy for model in each.models})
        return pd.DataFrame(rows).set_index("design")

    @property
    def as_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "survey": self.survey.name,
            "fingerprint": self.survey.fingerprint,
            "epsilon": float(self.epsilon),
            "respondents": self.respondents,
            "designs": [each.as_json for each in self.tried],
        }

    @property
    def chart(self) -> Chart:
        """A marker for each design: the error of its shares, and its better model's accuracy; else its pairs' error.

        Raises:
            QueryError: If there are no models, and no design asks two questions of a person.
        """
        modelled = any(each.models for each in self.tried)
        shown = [each for each in self.tried if (each.models if modelled else each.pairs is not None)]
        if not shown:
            raise QueryError("plot", "no design asks two questions of a person", "ask more questions")
        best = min(shown, key=lambda each: each.shares.came)
        upright = "accuracy of the better of tree and forest" if modelled else "error of a share of two answers"
        return Chart(
            title=f"{self.survey.name}: what epsilon {float(self.epsilon):g} buys",
            description=(
                f"Each marker is a design for {self.respondents} respondents; further left is more precise. The least "
                f"error of a share, {best.shares.came:.3f}, is that of: {best.design.words}. In words, with the error "
                f"of a share and the {upright}: {'; '.join(_told(each) for each in shown)}."
            ),
            x=Axis("error of a share (root mean square)", logarithmic=True),
            y=Axis(upright, logarithmic=not modelled),
            lines=tuple(Line(_named(each), (_point(each),)) for each in shown),
            size=WIDE,
        )


def _named(tried: Tried) -> str:
    return f"{tried.design.words}{' (this survey)' * tried.design.published}"


def _point(tried: Tried) -> Point:
    if tried.models:
        better = max(tried.models, key=lambda each: each.accuracy)
        return Point(tried.shares.came, better.accuracy, better.interval)
    return Point(tried.shares.came, 0.0 if tried.pairs is None else tried.pairs.came)


def _told(tried: Tried) -> str:
    point = _point(tried)
    return f"{_named(tried)} {point.x:.3f} and {point.y:.3f}"


def tried(
    candidates: Sequence[Design], trials: Trials, rng: np.random.Generator, after_each: Callable[[], None]
) -> tuple[Tried, ...]:
    """Simulate each design; `after_each` is called `Trials.steps` times.

    Raises:
        QueryError: If the pilot has no row; if there are too few respondents or pilot rows to train models, or one
            rehearsal alone.
    """
    if trials.pilot is not None and not len(trials.pilot):
        raise QueryError("pilot", "it has no row to draw respondents from", "ask people, or leave it out")
    seeds: list[int] = rng.integers(SEEDS, size=2).tolist()
    return tuple(_tried(each, trials, seeds, after_each) for each in candidates)


def _tried(design: Design, trials: Trials, seeds: Sequence[int], after_each: Callable[[], None]) -> Tried:
    first, second = (np.random.default_rng(seed) for seed in seeds)
    people = Population(design.survey, trials.pilot, trials.respondents)
    tables = precisions(design.survey, people, trials.surveys, first, after_each)
    models: list[Forecast] = []
    learnable = trials.mode in {AUTO, LATENT} or uncountable(design.survey, design.survey.target or "") is None
    if trials.rehearsals and learnable and design.survey.target is not None:
        rehearsal = ForecastSettings(design.survey, trials.respondents, trials.mode, trials.rehearsals, trials.pilot)
        models = forecast(rehearsal, second, after_each)
    return Tried(design, tables, tuple(models))
