"""Maximum likelihood of a logistic regression with disguised outcome and predictors.

The model: a response's predictors x have some distribution p(x), any at all, and its outcome has value v with a
probability proportional to exp(x beta_v), beta of the reference value being 0. What was sent then has probability
``sum over (x, v) of P(sent | x, v) p(v | x; beta) p(x)``, with the channel's P(sent | x, v) known exactly
(`miner.behind.rows`). With two outcome values and undisguised predictors this is the likelihood of
randomized-response logistic regression (Maddala 1983, ch. 2.14; Scheers & Dayton 1988); undisguised it is the ordinary
one.

Expectation and maximisation never makes the likelihood fall but is slow under much disguise; Newton's steps, with the
observed information by Louis's formula (1982), are quick but may fall. So a step of Newton's is taken where it climbs,
and else one of EM.
"""

from dataclasses import dataclass, replace

import numpy as np

from collector.errors import QueryError
from miner.arrays import Floats, Indices
from miner.behind.kernels import softmax
from miner.behind.rows import Rows

MOST_STEPS = 500
FIRST_STEPS = 5  # of EM, before Newton's are tried
CLOSE = 1e-10  # what half of a further step would still add to the log-likelihood
NOBODY = 1e-7  # cells of predictors with a smaller share of the responses are taken for empty
FARTHEST = 15.0  # of a coefficient: odds of 3,000,000 to 1 say that an answer decides the outcome
WIDEST = 100.0  # standard error of a coefficient: beyond, the likelihood is flat and the odds may be anything


@dataclass(frozen=True, eq=False)
class RegressionData:
    """A regression's data.

    Attributes:
        rows: Behind the responses, of predictors; the classes are the outcome's values, the reference first.
        x: Shape (predictor cells, terms): the predictors' values as numbers, a column of ones for the intercept.
        cell: Shape (rows,): row of `x` of each.
        hidden: Whether some predictor is disguised, so that p(x) matters.
    """

    rows: Rows
    x: Floats
    cell: Indices
    hidden: bool

    @property
    def values(self) -> int:
        """Number of the outcome's values."""
        return int(self.rows.chances.shape[1])

    def tallied(self, shares: Floats) -> Floats:
        """Sums over people of what each row has of each class: shape (predictor cells, values)."""
        found = np.zeros((len(self.x), self.values))
        np.add.at(found, self.cell, shares * self.rows.counts[self.rows.response, None])
        return found


@dataclass(frozen=True, eq=False)
class LogisticFit:
    """Maximum of the likelihood.

    Attributes:
        beta: Shape (values - 1, terms).
        shares: Shape (predictor cells,): p(x).
        log_likelihood: Log likelihood of the responses; of outcomes given predictors where no predictor is disguised.
        covariance: Shape (coefficients, coefficients), of `beta` row by row: the inverse of the observed information.
    """

    beta: Floats
    shares: Floats
    log_likelihood: float
    covariance: Floats

    def posterior(self, design: RegressionData) -> Floats:
        """P(predictors, outcome | r), shape (rows, values)."""
        return _State.at(design, self.beta, self.shares).posterior


def maximised(design: RegressionData) -> LogisticFit:
    """Fit a regression.

    Raises:
        QueryError: If the likelihood has no top that can be found, in words.
    """
    state = _State.first(design)
    for step in range(MOST_STEPS):
        if step >= FIRST_STEPS:
            moved, left = state.newton()
            if left < CLOSE and moved is not None:
                return _finished(moved)
            state = moved if moved is not None else state.em()
        else:
            state = state.em()
        if np.abs(state.beta).max() > FARTHEST:
            raise EndlessError(*divmod(int(np.abs(state.beta).argmax()), state.beta.shape[1]))
    raise _no_top("the steps towards the largest likelihood do not end")


class EndlessError(QueryError):
    """A coefficient grows without limit: its answer seems to decide the outcome.

    Args:
        row: The outcome value of the coefficient.
        column: The predictor's value.
    """

    def __init__(self, row: int, column: int) -> None:
        problem = "an answer seems to decide the outcome, and its coefficient grows without limit"
        super().__init__("regression", problem, "leave out a predictor, collect more responses, or disguise less")
        self.row, self.column = row, column


def _no_top(problem: str) -> QueryError:
    return QueryError("regression", problem, "leave out a predictor, collect more responses, or disguise less")


@dataclass(frozen=True, eq=False)
class _State:
    """Coefficients and predictor shares on the way up, with what follows from them.

    Attributes:
        design: The data.
        beta: Shape (values - 1, terms).
        shares: Shape (predictor cells,): p(x).
        log_likelihood: Log likelihood of the responses.
        slopes: Shape (rows, values): of one person's log-likelihood, along the log odds.
        posterior: Shape (rows, values).
        chances: Shape (predictor cells, values): p(v | x).
    """

    design: RegressionData
    beta: Floats
    shares: Floats
    log_likelihood: float
    slopes: Floats
    posterior: Floats
    chances: Floats

    @classmethod
    def first(cls, design: RegressionData) -> "_State":
        cells = len(design.x)
        return cls.at(design, np.zeros((design.values - 1, design.x.shape[1])), np.full(cells, 1 / cells))

    @classmethod
    def at(cls, design: RegressionData, beta: Floats, shares: Floats) -> "_State":
        rows, scores = design.rows, np.column_stack([np.zeros(len(design.x)), design.x @ beta.T])
        if design.hidden:
            rows = replace(rows, chances=rows.chances * shares[design.cell, None])
        height, slopes = rows.slopes(scores[design.cell])
        chances = softmax(scores)
        return cls(design, beta, shares, height, slopes, rows.posterior(chances[design.cell])[1], chances)

    def em(self) -> "_State":
        """One step of EM, its maximisation by one step of Newton's, halved until it climbs."""
        here = self.design.tallied(self.posterior).sum(axis=1)
        shares = here / here.sum()
        step = np.linalg.pinv(self._complete(here)) @ self._slope()
        for _ in range(30):
            moved = self.at(self.design, self.beta + step.reshape(self.beta.shape), shares)
            if moved.log_likelihood >= self.log_likelihood - 1e-9:
                return moved
            step = step / 2
        return self.at(self.design, self.beta, shares)

    def newton(self) -> tuple["_State | None", float]:
        """A step of Newton's, None where it does not climb; and what half of it is expected to add."""
        information, slope, kept = self.information()
        try:
            lower = np.linalg.cholesky(information)
        except np.linalg.LinAlgError:
            return None, np.inf
        step = np.linalg.solve(lower.T, np.linalg.solve(lower, slope))
        beta = self.beta + step[: self.beta.size].reshape(self.beta.shape)
        shares = self.shares
        if self.design.hidden:
            logits = np.zeros(len(self.shares))
            logits[kept] = np.clip(step[self.beta.size :], -5, 5)
            shares = self.shares * np.exp(logits)
            shares = np.where(shares < NOBODY / 10 * shares.sum(), 0, shares)
            shares = shares / shares.sum()
        moved = self.at(self.design, beta, shares)
        left = float(slope @ step) / 2
        return (moved if moved.log_likelihood >= self.log_likelihood - 1e-9 else None), left

    def _slope(self) -> Floats:
        """Derivatives of the log-likelihood by the coefficients, one after the other."""
        return np.asarray((self.design.tallied(self.slopes)[:, 1:].T @ self.design.x).ravel())

    def _complete(self, here: Floats) -> Floats:
        """Information about the coefficients if predictors and outcomes were known."""
        chances, x = self.chances[:, 1:], self.design.x
        spread = np.einsum("cv,vw->cvw", chances, np.eye(chances.shape[1])) - np.einsum("cv,cw->cvw", chances, chances)
        blocks: Floats = np.einsum("cvw,ci,cj->viwj", here[:, None, None] * spread, x, x)
        return blocks.reshape(self.beta.size, self.beta.size)

    def information(self) -> tuple[Floats, Floats, Indices]:
        """The observed information (Louis 1982), the slope of the log-likelihood, and the predictor cells it is about.

        Parameters are the coefficients, then the logits of p(x) against that of the most frequent cell.
        """
        design, rows, size = self.design, self.design.rows, self.beta.size
        expected = design.tallied(self.posterior)
        kept = np.flatnonzero(self.shares > NOBODY)
        kept = np.setdiff1d(kept, [self.shares.argmax()]) if design.hidden else kept[:0]
        beyond = (np.eye(design.values) - self.chances[:, None, :])[:, :, 1:]
        scores = np.einsum("cvw,ci->cvwi", beyond, design.x).reshape(len(design.x), design.values, size)
        cells = np.eye(len(design.x))[:, kept] - self.shares[kept]
        scores = np.concatenate([scores, np.repeat(cells[:, None], design.values, axis=1)], axis=2)
        complete = np.zeros((scores.shape[2], scores.shape[2]))
        complete[:size, :size] = self._complete(expected.sum(axis=1))
        spread = np.diag(self.shares[kept]) - np.outer(self.shares[kept], self.shares[kept])
        complete[size:, size:] = rows.people * spread
        means = np.add.reduceat(np.einsum("rv,rvk->rk", self.posterior, scores[design.cell]), rows.first)
        known = np.einsum("cv,cvk,cvl->kl", expected, scores, scores)
        return complete - known + (means.T * rows.counts) @ means, rows.counts @ means, kept


def _finished(state: _State) -> LogisticFit:
    information, _, _ = state.information()
    size = state.beta.size
    try:
        np.linalg.cholesky(information)
        covariance: Floats = np.linalg.inv(information)[:size, :size].astype(np.float64)
    except np.linalg.LinAlgError:
        raise _no_top("the responses do not tell all coefficients apart") from None
    variances = np.diag(covariance)
    if not ((variances > 0) & (variances < WIDEST**2)).all():
        raise _no_top("the responses do not tell all coefficients apart")
    return LogisticFit(state.beta, state.shares, state.log_likelihood, covariance)
