"""The joint table of two questions: every cell and margin with its interval, and a test of independence."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from collector.errors import QueryError
from collector.survey.question import Question
from miner.drawing.notebook_table import TableResult
from miner.estimates.estimate import FEWEST, Estimate, mean_of
from miner.estimates.frequencies import Frequencies, likeliest_frequencies
from miner.estimates.independence import Independence, independence
from miner.responses.condition import event_of
from miner.responses.source import Counted, Source, counted
from miner.weights.fitted_weights import FittedWeights
from miner.weights.weights import touched


@dataclass(frozen=True, repr=False)
class Crosstab(TableResult):
    """The estimated joint table of two questions.

    Attributes:
        row: Name of the question whose values are the rows.
        column: Name of the other.
        cells: For each (row value, column value), in the questions' order, its frequency. They add up to 1.
        rows: The frequency of each row value: the sum of its cells.
        columns: The frequency of each column value.
        likeliest: For each cell the constrained maximum-likelihood estimate: within [0, 1], and biased near 0 and
            1; None where it could not be found.
        independence: The test; None if the test does not apply.
    """

    row: str
    column: str
    cells: Mapping[tuple[str, str], Estimate]
    rows: Mapping[str, Estimate]
    columns: Mapping[str, Estimate]
    likeliest: Mapping[tuple[str, str], float | None]
    independence: Independence | None

    @property
    def frame(self) -> pd.DataFrame:
        """One row per cell, indexed by both values; ``frame["estimate"].unstack()`` is the two-way table.

        Columns: estimate, standard_error, lower, upper (None from few responses), n, outside_unit_interval,
        maximum_likelihood.
        """
        rows = []
        for values, cell in self.cells.items():
            lower, upper = cell.interval or (None, None)
            error = cell.standard_error if cell.varied else None
            figures = (cell.estimate, error, lower, upper, cell.n, cell.outside_unit_interval)
            rows.append((*figures, self.likeliest[values]))
        columns = ["estimate", "standard_error", "lower", "upper", "n", "outside_unit_interval", "maximum_likelihood"]
        index = pd.MultiIndex.from_tuples(list(self.cells), names=[self.row, self.column])
        return pd.DataFrame(rows, index=index, columns=columns)

    @property
    def as_json(self) -> dict[str, Any]:
        """Plain JSON values: lists of cells and margins, each an estimate with its values; and the test."""
        cells = [
            {"row": row, "column": column, **cell.as_json, "maximum_likelihood": self.likeliest[row, column]}
            for (row, column), cell in self.cells.items()
        ]
        return {
            "row": self.row,
            "column": self.column,
            "cells": cells,
            "rows": [{"value": value, **margin.as_json} for value, margin in self.rows.items()],
            "columns": [{"value": value, **margin.as_json} for value, margin in self.columns.items()],
            "independence": None if self.independence is None else self.independence.as_json,
        }


def crosstab(responses: Source, row: str, column: str) -> Crosstab:
    """Estimate the joint table of two questions; in a split questionnaire, among respondents who were asked both.

    The maximum likelihood estimate also uses respondents who were asked only one of them.

    Raises:
        QueryError: If a name is no question, both are the same, there are no responses, or no respondent was asked
            both.
    """
    first, second = responses.survey.question(row), responses.survey.question(column)
    if first == second:
        raise QueryError("crosstab", "rows and columns are the same question", "name two questions")
    (found,) = counted(responses, [touched(responses.survey, (row, column))])
    asked = found.among_asked((row, column))
    read = _Read(asked, (row, column))
    shape = len(first.values), len(second.values)
    cells = {pair: read.estimate({row: {pair[0]}, column: {pair[1]}}) for pair in np.ndindex(shape)}
    table = np.reshape([read.published(*pair) for pair in cells], shape)
    likeliest = likeliest_frequencies(responses, (row, column))
    return Crosstab(
        row,
        column,
        {_words(first, second, pair): cell for pair, cell in cells.items()},
        {value: read.estimate({row: {number}}) for number, value in enumerate(first.values)},
        {value: read.estimate({column: {number}}) for number, value in enumerate(second.values)},
        {_words(first, second, pair): _share(likeliest, pair) for pair in cells},
        independence(asked, (row, column), table) if asked.people >= FEWEST else None,
    )


class _Read:
    """Estimates from distinct responses."""

    def __init__(self, found: Counted, names: tuple[str, str]) -> None:
        self._survey, self._names = found.responses.survey, names
        self._weights = FittedWeights.among_asked(found, names)

    def estimate(self, values: Mapping[str, set[int]]) -> Estimate:
        """The frequency of these value indices."""
        return mean_of(self._weights, event_of(self._survey, values))

    def published(self, row: int, column: int) -> float:
        """The frequency of a cell, with the published inverse weights: the test uses their known variance."""
        event = event_of(self._survey, dict(zip(self._names, ({row}, {column}), strict=True)))
        return float(np.average(self._weights.published.of(event), weights=self._weights.counts))


def _words(first: Question, second: Question, pair: tuple[int, int]) -> tuple[str, str]:
    return first.values[pair[0]], second.values[pair[1]]


def _share(found: Frequencies | None, pair: tuple[int, int]) -> float | None:
    if found is None:
        return None
    first, second, *_ = found.names
    return found.share({first: frozenset({pair[0]}), second: frozenset({pair[1]})})
