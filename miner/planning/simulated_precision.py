"""Precision of a design's estimates: many simulated surveys, compared with the formula.

Respondents are drawn from a pilot's rows with replacement, or from the priors, with independent answers. Their answers
are disguised, and frequencies are estimated as by ``miner estimate``.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise, product
from math import sqrt

import numpy as np

from collector.disclosure.precision import response_variance
from collector.survey.question import Question
from collector.survey.survey import Survey
from miner.arrays import Floats
from miner.estimates.estimate import estimates
from miner.json_values import JsonResult
from miner.responses.condition import event_of
from miner.responses.responses import Responses, Values
from miner.simulation.simulation import simulate

Cell = tuple[int, ...]
"""Value indices of the questions of a table."""


@dataclass(frozen=True)
class Precision(JsonResult):
    """Precision of the estimates of some tables: root mean squares over their cells.

    Attributes:
        foretold: Standard error by formula, exact if the priors are correct; None for tables of two questions.
        printed: Standard error that the estimates report.
        came: Observed error of the estimates.
    """

    foretold: float | None
    printed: float
    came: float


@dataclass(frozen=True, eq=False)
class Population:
    """The population that respondents are drawn from.

    Attributes:
        survey: The survey with the questions; sampling and channels are ignored.
        pilot: Value indices, shape (rows, questions); None to draw from the priors.
        respondents: Number drawn for each simulated survey.
    """

    survey: Survey
    pilot: Values | None
    respondents: int

    def drawn(self, rng: np.random.Generator) -> Values:
        """True values of the respondents of one survey: shape (respondents, questions)."""
        if self.pilot is not None:
            return self.pilot[rng.integers(len(self.pilot), size=self.respondents)]
        return drawn_by_priors(self.survey, self.respondents, rng)

    def share(self, cell: Mapping[str, int]) -> float:
        """The joint frequency of these value indices."""
        columns = {self.survey.column(name): value for name, value in cell.items()}
        if self.pilot is None:
            return float(np.prod([_floats(self.survey.questions[column])[value] for column, value in columns.items()]))
        return float((self.pilot[:, list(columns)] == list(columns.values())).all(axis=1).mean())

    def prior(self, question: Question) -> tuple[Fraction, ...]:
        """The prior of a question: as published, or from the pilot, all above 0."""
        if self.pilot is None:
            return question.prior
        column = self.survey.column(question.name)
        counts = np.bincount(self.pilot[:, column], minlength=len(question.values)).tolist()
        return tuple(Fraction(2 * count + 1, 2 * len(self.pilot) + len(counts)) for count in counts)


def drawn_by_priors(survey: Survey, rows: int, rng: np.random.Generator) -> Values:
    """True values drawn independently from the priors: shape (rows, questions)."""
    columns = [rng.choice(len(each.values), rows, p=_floats(each)) for each in survey.questions]
    return np.stack(columns, axis=1).astype(np.int16)


def _floats(question: Question) -> Floats:
    return np.array([float(share) for share in question.prior])


def tables_of_two(survey: Survey) -> list[tuple[str, str]]:
    """The pairs of questions to evaluate: each with the target; without a target, each with the next."""
    names = [question.name for question in survey.questions]
    if survey.target is None:
        return [*pairwise(names)]
    return [(name, survey.target) for name in names if name != survey.target]


def precisions(
    survey: Survey, population: Population, times: int, rng: np.random.Generator, after_each: Callable[[], None]
) -> dict[tuple[str, ...], Precision]:
    """Simulate a survey, and estimate all shares and all cells of `tables_of_two`.

    Args:
        survey: The design, of the population's questions.
        population: The population of respondents.
        times: Number of simulated surveys, at least 1.
        rng: Makes the result reproducible.
        after_each: Called after each of them.

    Returns:
        For each table, named by its questions; no table of two questions that no respondent is asked together.
    """
    tables = [(question.name,) for question in survey.questions] + tables_of_two(survey)
    found: dict[tuple[str, ...], list[tuple[float, float]]] = {
        table: [] for table in tables if survey.asking_probability(table)
    }
    for _ in range(times):
        sent = simulate(survey, population.drawn(rng), rng)
        for table, results in found.items():
            results.extend(_results(sent, population, table))
        after_each()
    return {
        table: Precision(_foretold(survey, population, table), *_rooted(results)) for table, results in found.items()
    }


def _results(sent: Responses, population: Population, table: tuple[str, ...]) -> Iterator[tuple[float, float]]:
    """Squared standard error and squared error of each cell; none if fewer than two were asked."""
    if sent.asked_all(table).sum() > 1:
        sizes = (range(len(sent.survey.question(name).values)) for name in table)
        cells = [dict(zip(table, cell, strict=True)) for cell in product(*sizes)]
        events = [event_of(sent.survey, {name: frozenset({value}) for name, value in cell.items()}) for cell in cells]
        for cell, one in zip(cells, estimates(sent, events), strict=True):
            yield (one.standard_error or 0.0) ** 2, (one.estimate - population.share(cell)) ** 2


def _rooted(results: list[tuple[float, float]]) -> tuple[float, float]:
    printed, came = np.sqrt(np.mean(results, axis=0)) if results else (0.0, 0.0)
    return float(printed), float(came)


def _foretold(survey: Survey, population: Population, table: tuple[str, ...]) -> float | None:
    if len(table) > 1:
        return None
    question = survey.question(table[0])
    expected = replace(question, prior=population.prior(question))
    variances = [response_variance(survey, expected, value) for value in range(len(question.values))]
    return sqrt(sum(variances) / len(variances) / population.respondents)


def typical(found: Sequence[Precision]) -> Precision:
    """The precision of several tables together (at least one), with equal weights."""
    foretold = [each.foretold for each in found if each.foretold is not None]
    return Precision(
        _quadratic_mean(foretold) if foretold else None,
        _quadratic_mean([each.printed for each in found]),
        _quadratic_mean([each.came for each in found]),
    )


def _quadratic_mean(figures: list[float]) -> float:
    return sqrt(sum(figure**2 for figure in figures) / len(figures))
