"""The frequencies of the answers to a few questions that make what was sent likeliest.

The rows behind a response (`miner.behind.rows`) have P(sent | values) each: under the complement channel these are two
(the codes as they are, and their complements); under the uniform channel every combination. The drawing among several
codes of one value is part of the channel. The largest likelihood among frequencies that are frequencies at all is found
by `miner.estimates.extrapolated_em`.
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
    """The log-likelihood of frequencies of cells, with its slopes.

    A cell is one of the different rows.

    Attributes:
        rows: Rows of `listed_rows`, with one column of chances.
        cell: Shape (rows,): the cell of each.
        cells: Number of cells.
    """

    rows: Rows
    cell: Indices
    cells: int

    def slopes(self, shares: Floats) -> tuple[Floats, float]:
        """Derivatives of the log-likelihood by the cells' frequencies, shape (cells,); and its value."""
        sent = np.maximum(self.rows.sent(shares[self.cell, None]), SMALLEST)
        weights = self.rows.chances[:, 0] * (self.rows.counts / sent)[self.rows.response]
        found = np.bincount(self.cell, weights, minlength=self.cells).astype(np.float64)
        return found, float(self.rows.counts @ np.log(sent))


@dataclass(frozen=True, eq=False)
class Frequencies:
    """The frequencies that make what was sent likeliest: never below 0, adding up to 1, and hence not unbiased.

    Attributes:
        names: Names of the questions, those of their conditions last.
        cells: Shape (cells, questions): combinations of value indices; any other has frequency 0.
        shares: Shape (cells,).
    """

    names: tuple[str, ...]
    cells: Values
    shares: Floats

    def share(self, condition: ValueSets) -> float:
        """The frequency of a condition on these questions."""
        holds = np.ones(len(self.cells), np.bool_)
        for name, values in condition.items():
            holds &= np.isin(self.cells[:, self.names.index(name)], list(values))
        return float(self.shares[holds].sum())


def likeliest_frequencies(responses: Source, names: Sequence[str]) -> Frequencies | None:
    """The constrained maximum-likelihood estimate of the joint frequencies of a few questions' values.

    Where those who are not asked a question send drawn codes, its codes alone do not say how many were asked: whoever
    was not asked looks like a random sample of those who were. The questions of its conditions are therefore explained
    together with it, and `Frequencies` has them too.

    Returns:
        None if there is too much to write out, or the top is not reached.

    Raises:
        QueryError: If a name is no question or comes twice, or there are no responses, or no one was asked any.
    """
    conditions = (each for each in with_conditions(responses.survey, names) if each not in names)
    together = [*names, *conditions]
    rows = listed_rows(responses, together)
    if rows is None:
        return None
    cells, cell = rows.distinct([len(responses.survey.question(name).values) for name in together])
    shares = maximum(CellLikelihood(rows, cell, len(cells)), len(cells))
    return None if shares is None else Frequencies(tuple(together), cells, shares)
