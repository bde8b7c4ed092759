"""Estimate the joint table of two or three questions, with intervals and a test of independence."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from collector.errors import QueryError
from collector.survey.question import Question
from collector.survey.survey import Survey
from miner.drawing.notebook_table import TableResult
from miner.estimates.estimate import mean_of
from miner.estimates.frequencies import Frequencies, likeliest_frequencies
from miner.estimates.independence import MOST_CELLS, Independence, independence, sampled_independence
from miner.figures.estimate import FEWEST, Estimate
from miner.figures.partition import Partition
from miner.figures.sample import Sample
from miner.figures.sampled_figure import sampled_shares
from miner.responses.condition import ValueSets, event_of
from miner.responses.responses import Counted, Data
from miner.weights.fitted_weights import FittedWeights
from miner.weights.weights import touched

PAIR = 2  # number of questions of a table without layers


@dataclass(frozen=True, repr=False)
class Crosstab(TableResult):
    """Estimated joint table of two or three questions.

    Attributes:
        row: Name of the question whose values are the rows.
        column: Name of the question whose values are the columns.
        cells: Frequency of each (row value, column value) or, with a third question, each (row value, column value,
            layer value).
        rows: Frequency of each row value, the sum of the cells in the row.
        columns: Frequency of each column value, the sum of the cells in the column.
        likeliest: Constrained maximum-likelihood estimate of each cell, in [0, 1] and biased near 0 and 1. A cell whose
            estimate could not be computed is None.
        independence: Test of independence of two questions, or None if the test does not apply.
        layer: Name of the third question, whose values are the layers, or None for a table of two questions.
        layers: Frequency of each layer value.
    """

    row: str
    column: str
    cells: Mapping[tuple[str, ...], Estimate]
    rows: Mapping[str, Estimate]
    columns: Mapping[str, Estimate]
    likeliest: Mapping[tuple[str, ...], float | None]
    independence: Independence | None
    layer: str | None = None
    layers: Mapping[str, Estimate] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """Names of the table's questions."""
        return [self.row, self.column, *([] if self.layer is None else [self.layer])]

    @property
    def frame(self) -> pd.DataFrame:
        """Frame with a row for each cell of the table, indexed by the cell's values.

        Use ``frame["estimate"].unstack()`` for a two-way table.
        """
        rows = []
        for values, cell in self.cells.items():
            lower, upper = cell.interval or (None, None)
            error = cell.standard_error if cell.varied else None
            figures = (cell.estimate, error, lower, upper, cell.n, cell.outside_unit_interval)
            rows.append((*figures, self.likeliest[values]))
        columns = ["estimate", "standard_error", "lower", "upper", "n", "outside_unit_interval", "maximum_likelihood"]
        index = pd.MultiIndex.from_tuples(list(self.cells), names=self.names)
        return pd.DataFrame(rows, index=index, columns=columns)

    def to_frame(self) -> pd.DataFrame:
        """Return the cells as a frame with a column for each question and the column names of R's package broom."""
        rows = [
            {**dict(zip(self.names, values, strict=True)), "term": "share", **cell.broom()}
            for values, cell in self.cells.items()
        ]
        return pd.DataFrame(rows)

    @property
    def as_json(self) -> dict[str, Any]:
        """Plain JSON values: a list of cells, lists of margins, and the test of independence."""
        places = [place for place, _ in zip(("row", "column", "layer"), self.names, strict=False)]
        cells = [
            {
                **dict(zip(places, values, strict=True)),
                **cell.as_json,
                "maximum_likelihood": self.likeliest[values],
            }
            for values, cell in self.cells.items()
        ]
        layers = [{"value": value, **margin.as_json} for value, margin in self.layers.items()]
        return {
            **dict(zip(places, self.names, strict=True)),
            "cells": cells,
            "rows": [{"value": value, **margin.as_json} for value, margin in self.rows.items()],
            "columns": [{"value": value, **margin.as_json} for value, margin in self.columns.items()],
            **({} if self.layer is None else {"layers": layers}),
            "independence": None if self.independence is None else self.independence.as_json,
        }


def crosstab(responses: Data, row: str, column: str, layer: str | None = None) -> Crosstab:
    """Estimate the joint table of two or three questions among respondents who were asked all of these questions.

    The maximum likelihood estimates also use respondents who were asked only some of the questions.

    Args:
        responses: Disguised responses.
        row: Name of the question whose values are the rows.
        column: Name of the question whose values are the columns.
        layer: Name of a third question, or None for a table of two questions.

    Raises:
        QueryError: If a question does not exist or is named twice, there are no responses, or no respondent was asked
            all questions.
    """
    names = table_names(responses.survey, row, column, layer)
    questions = [responses.survey.question(name) for name in names]
    places = list(np.ndindex(*(len(each.values) for each in questions)))
    if isinstance(responses, Sample):
        return _of_sample(responses, questions, places)
    (found,) = responses.on([touched(responses.survey, names)])
    asked = found.among_asked(names)
    read = _Read(asked, names)
    likeliest = likeliest_frequencies(responses, names)
    test = None
    if layer is None and asked.people >= FEWEST:
        table = np.reshape([read.published(place) for place in places], [len(each.values) for each in questions])
        test = independence(asked, (row, column), table)
    return table_of(
        questions,
        read.estimate,
        {place: _share(likeliest, names, place) for place in places},
        test,
    )


def _of_sample(sample: Sample, questions: Sequence[Question], places: Sequence[tuple[int, ...]]) -> Crosstab:
    """Estimate the joint table of a sample, with a Wald test of independence for two questions."""
    names = [each.name for each in questions]
    cells = Partition.of(
        sample, [[[{each.name: frozenset({v})}] for v in range(len(each.values))] for each in questions]
    )

    def share(wanted: ValueSets) -> Estimate:
        return sampled_shares(cells, [[{names.index(name): value for name, (value,) in wanted.items()}]])[0]

    test = None
    if len(questions) == PAIR and cells.found.people >= FEWEST and len(places) <= MOST_CELLS:
        held = np.stack([cells.held(dict(enumerate(place))) for place in places], axis=1)
        shape = len(questions[0].values), len(questions[1].values)
        test = sampled_independence(cells.totals(held), cells.covariance(held), shape, cells.units.freedom)
    return table_of(questions, share, dict.fromkeys(places), test)


def table_names(survey: Survey, row: str, column: str, layer: str | None) -> list[str]:
    """Return the names of the questions of a table, after checking them.

    Raises:
        QueryError: If a question does not exist or is named twice.
    """
    names = [row, column, *([] if layer is None else [layer])]
    if len({survey.question(name).name for name in names}) < len(names):
        raise QueryError("crosstab", "a question is named twice", "name two or three questions, each once")
    return names


def table_of(
    questions: Sequence[Question],
    estimate: Callable[[ValueSets], Estimate],
    likeliest: Mapping[tuple[int, ...], float | None],
    test: Independence | None,
) -> Crosstab:
    """Return a crosstab with all its cells and margins.

    Args:
        questions: Two or three questions of the table.
        estimate: Function that estimates the frequency of a combination of value indices.
        likeliest: Maximum likelihood frequency of each combination of value indices.
        test: Test of independence.
    """
    words = {
        place: tuple(each.values[value] for each, value in zip(questions, place, strict=True)) for place in likeliest
    }
    margins = [
        {value: estimate({each.name: frozenset({number})}) for number, value in enumerate(each.values)}
        for each in questions
    ]
    names = [each.name for each in questions]
    return Crosstab(
        names[0],
        names[1],
        {
            words[place]: estimate({name: frozenset({value}) for name, value in zip(names, place, strict=True)})
            for place in likeliest
        },
        margins[0],
        margins[1],
        {words[place]: share for place, share in likeliest.items()},
        test,
        names[2] if len(names) > PAIR else None,
        margins[2] if len(names) > PAIR else {},
    )


class _Read:
    """Estimator of the frequency of each combination of answers in a table."""

    def __init__(self, found: Counted, names: Sequence[str]) -> None:
        self._survey, self._names = found.responses.survey, names
        self._weights = FittedWeights.among_asked(found, names)

    def estimate(self, values: ValueSets) -> Estimate:
        """Return the estimated frequency of a combination of value indices."""
        return mean_of(self._weights, event_of(self._survey, values))

    def published(self, place: Sequence[int]) -> float:
        """Return the estimated frequency of a cell of the table, with weights that do not depend on estimates."""
        event = event_of(self._survey, {name: {value} for name, value in zip(self._names, place, strict=True)})
        return float(np.average(self._weights.published.of(event), weights=self._weights.counts))


def _share(found: Frequencies | None, names: Sequence[str], place: Sequence[int]) -> float | None:
    if found is None:
        return None
    return found.share({name: frozenset({value}) for name, value in zip(names, place, strict=True)})
