"""Maximum likelihood estimates of the joint frequencies of the answers to a few questions.

Each candidate row behind a response (`miner.behind.rows`) has a probability P(sent | values). Under the complement
channel a response has two candidate rows: its codes and their complements. Under the uniform channel every combination
of codes is a candidate row. The random choice among several codes of one value counts as part of the channel.
`miner.estimates.extrapolated_em` finds the largest likelihood among frequencies that are at least 0 and add up to 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from miner.arrays import Floats, Indices
from miner.behind.rows import Rows, listed_rows
from miner.estimates.extrapolated_em import SMALLEST, maximum
from miner.responses.condition import ValueSets
from miner.responses.responses import Values
from miner.responses.source import Source
from miner.weights.events import with_conditions


@dataclass(frozen=True, eq=False)
class CellLikelihood:
    """Log-likelihood of the frequencies of cells, with its slopes.

    A cell is one distinct candidate row.

    Attributes:
        rows: Candidate rows from `listed_rows`, with one column of probabilities.
        cell: Position of each row's cell, shape (rows,).
        cells: Number of cells.
    """

    rows: Rows
    cell: Indices
    cells: int

    def slopes(self, shares: Floats) -> tuple[Floats, float]:
        """Return the derivatives of the log-likelihood by the cells' frequencies, and its value."""
        sent = np.maximum(self.rows.sent(shares[self.cell, None]), SMALLEST)
        weights = self.rows.chances[:, 0] * (self.rows.counts / sent)[self.rows.response]
        found = np.bincount(self.cell, weights, minlength=self.cells).astype(np.float64)
        return found, float(self.rows.counts @ np.log(sent))


@dataclass(frozen=True, eq=False)
class Frequencies:
    """Maximum likelihood frequencies: never below 0, adding up to 1, and hence not unbiased.

    Attributes:
        names: Names of the questions, followed by the questions of their `ask_if` conditions.
        cells: Combinations of value indices, shape (cells, questions). Any other combination has frequency 0.
        shares: Frequency of each cell, shape (cells,).
    """

    names: tuple[str, ...]
    cells: Values
    shares: Floats

    def share(self, condition: ValueSets) -> float:
        """Return the frequency of a condition on these questions."""
        holds = np.ones(len(self.cells), np.bool_)
        for name, values in condition.items():
            holds &= np.isin(self.cells[:, self.names.index(name)], list(values))
        return float(self.shares[holds].sum())


def likeliest_frequencies(responses: Source, names: Sequence[str]) -> Frequencies | None:
    """Return the constrained maximum-likelihood estimate of the joint frequencies of a few questions' values.

    If people who are not asked a question send drawn codes, the codes do not show how many people were asked. The
    estimate therefore includes the questions of the `ask_if` condition, and so does `Frequencies`.

    Returns:
        The frequencies, or None if there are too many combinations to list or EM does not converge.

    Raises:
        QueryError: If a question does not exist or is named twice, there are no responses, or no respondent was asked
            any of the questions.
    """
    conditions = (each for each in with_conditions(responses.survey, names) if each not in names)
    together = [*names, *conditions]
    rows = listed_rows(responses, together)
    if rows is None:
        return None
    cells, cell = rows.distinct([len(responses.survey.question(name).values) for name in together])
    shares = maximum(CellLikelihood(rows, cell, len(cells)), len(cells))
    return None if shares is None else Frequencies(tuple(together), cells, shares)
