"""Tilting a mixture to the unbiased tables: the least that must change for question and class to agree with them.

Rows x are drawn from the mixture, and ``P(y | x) ~ exp(intercept_y + sum_j main_j[x_j, y])`` is fitted so that the
rows' tables of every question and the class are the unbiased ones: maximum entropy with relaxed constraints (Dudik,
Phillips & Schapire 2007, with squared slack). Each effect is penalised by the noise of its table: with V the variance
of the entry and h the curvature of the objective there, by ``V / (h tau^2) effect^2 / 2``, as if effects had a normal
prior of standard deviation tau and tables normal errors. What a table says of the question alone is left aside: the
mixture knows it better, and only the shares of the classes *given* the value are matched.
"""

from __future__ import annotations

import numpy as np

from miner.latent.kernels import Floats
from miner.latent.logit import Effects, Frame, Logit, log_shares
from miner.latent.moments import ClassTables
from miner.responses import Values

TAU = 0.5  # standard deviation of an effect before the tables are seen
STEPS = 100
INTERCEPT_PENALTY = 1e-6
LEAST_SHARE = 1e-9


def tilted(frame: Frame, pairs: int, rows: Values, tables: ClassTables, expected: Floats) -> Logit:
    """The logit with main effects whose tables over these rows are the unbiased ones, up to their noise.

    Args:
        frame: Where effects stand.
        pairs: How many pair effects there are; they stay 0.
        rows: Shape (rows, questions): drawn from the mixture.
        tables: The unbiased tables.
        expected: Shape (values of all questions, classes): P(value, class) as a mixture has it; it decides how the
            noise of a value's own share is left aside, and what the class's share is.
    """
    from scipy.optimize import minimize  # type: ignore[import-untyped] # noqa: PLC0415 - slow to import, seldom used

    moments = _Moments(frame, rows, tables, expected)
    classes = expected.shape[1]
    found = minimize(
        lambda each: moments.objective(each.reshape(-1, classes)),
        np.zeros((len(expected) + 1) * classes),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": STEPS},
    ).x.reshape(-1, classes)
    return Logit(frame, Effects(found[-1].copy(), found[:-1].copy(), np.zeros((pairs, classes))))


class _Moments:
    """The moments to match, their penalties, and the dual of the problem. The intercept's row comes last."""

    def __init__(self, frame: Frame, rows: Values, tables: ClassTables, expected: Floats) -> None:
        self.frame, self.rows = frame, rows
        shares = expected.sum(axis=1, keepdims=True)
        given = expected / np.maximum(shares, LEAST_SHARE)
        prior = expected[frame.places[frame.target] : frame.places[frame.target + 1]].sum(axis=0)
        own = self._shares_of_values()[:, np.newaxis]
        known = np.isfinite(tables.variance)
        variance = np.where(known, tables.variance, 1.0)
        whole = tables.likely.sum(axis=1, keepdims=True)
        rest = variance.sum(axis=1, keepdims=True) - variance
        self.wanted = np.vstack([own * given + np.where(known, tables.likely - whole * given, 0.0), prior])
        noise = variance * (1 - given) ** 2 + rest * given**2
        curvature = own * prior * (1 - prior) + LEAST_SHARE
        self.penalty = np.vstack([noise / (curvature * TAU**2), np.full(len(prior), INTERCEPT_PENALTY)])
        blank = slice(*frame.places[frame.target : frame.target + 2])
        self.wanted[blank] = 0.0

    def _shares_of_values(self) -> Floats:
        """Shape (values of all questions,): how often each occurs in the rows."""
        places, count = self.frame.places, len(self.rows)
        parts = [
            np.bincount(self.rows[:, column], minlength=places[column + 1] - places[column]) / count
            for column in range(len(places) - 1)
        ]
        return np.concatenate(parts)

    def objective(self, effects: Floats) -> tuple[float, Floats]:
        """The dual, to be made small, and its gradient."""
        whole = Effects(effects[-1].copy(), effects[:-1].copy(), np.zeros((0, effects.shape[1])))
        # the log-partition of a row is minus the log share of class 0 given effects relative to it
        logs = log_shares(self.rows, whole, self.frame)
        partition = float((self._first_scores(effects) - logs[:, 0]).mean())
        found = self._tables(np.exp(logs))
        value = partition - float((self.wanted * effects).sum()) + float((self.penalty * effects**2).sum()) / 2
        return value, (found - self.wanted + self.penalty * effects).ravel()

    def _first_scores(self, effects: Floats) -> Floats:
        """Shape (rows,): the exponent of the first class."""
        features = self.frame.features
        places = self.frame.places[features] + self.rows[:, features]
        return np.asarray(effects[-1, 0] + effects[:-1, 0][places].sum(axis=1), np.float64)

    def _tables(self, shares: Floats) -> Floats:
        """The rows' tables of every question and the class, and below them the shares of the classes."""
        places, count = self.frame.places, len(self.rows)
        tables = np.zeros(self.wanted.shape)
        for column in self.frame.features.tolist():
            for y in range(shares.shape[1]):
                found = np.bincount(self.rows[:, column], shares[:, y], places[column + 1] - places[column])
                tables[places[column] : places[column + 1], y] = found / count
        tables[-1] = shares.mean(axis=0)
        return tables
