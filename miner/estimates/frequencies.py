"""Maximum likelihood estimates of the joint frequencies of the answers to a few questions.

The likelihood of a response is a sum over the combinations of answers that may be behind it (`miner.behind.rows`).
`miner.estimates.extrapolated_em` maximises the likelihood over frequencies that are at least 0 and add up to 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from miner.arrays import Floats, Indices
from miner.behind.rows import Rows, listed_rows
from miner.estimates.extrapolated_em import SMALLEST, maximum
from miner.responses.condition import ValueSets
from miner.responses.responses import Data, Values
from miner.weights.events import with_conditions


@dataclass(frozen=True, eq=False)
class CellLikelihood:
    """Log-likelihood of the frequencies of combinations of answers (cells), with its slopes.

    Attributes:
        rows: Candidate rows from `listed_rows`, with one column of probabilities.
        cell: Position of the cell (the combination of answers) of each row, shape (rows,).
        cells: Number of cells.
    """

    rows: Rows
    cell: Indices
    cells: int

    def slopes(self, shares: Floats) -> tuple[Floats, float]:
        """Return the derivatives of the log-likelihood by the cells' frequencies, and the log-likelihood."""
        sent = np.maximum(self.rows.sent(shares[self.cell, None]), SMALLEST)
        weights = self.rows.chances[:, 0] * (self.rows.counts / sent)[self.rows.response]
        found = np.bincount(self.cell, weights, minlength=self.cells).astype(np.float64)
        return found, float(self.rows.counts @ np.log(sent))


@dataclass(frozen=True, eq=False)
class Frequencies:
    """Maximum likelihood frequencies of combinations of answers, which add up to 1 and are not unbiased.

    Attributes:
        names: Names of the questions, including those of `ask_if` conditions.
        cells: Combinations of value indices with a frequency above 0, shape (cells, questions).
        shares: Frequency of each cell, shape (cells,).
    """

    names: tuple[str, ...]
    cells: Values
    shares: Floats

    def share(self, condition: ValueSets) -> float:
        """Return the frequency of a condition."""
        holds = np.ones(len(self.cells), np.bool_)
        for name, values in condition.items():
            holds &= np.isin(self.cells[:, self.names.index(name)], list(values))
        return float(self.shares[holds].sum())


def likeliest_frequencies(responses: Data, names: Sequence[str]) -> Frequencies | None:
    """Return the constrained maximum-likelihood estimate of the joint frequencies of a few questions' values.

    People who are not asked a question may send drawn codes, so the joint frequencies include the questions of `ask_if`
    conditions.

    Returns:
        Maximum likelihood frequencies, or None if there are too many combinations of answers or EM does not converge.

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
