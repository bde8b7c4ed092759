"""What a fitted model says of each answer, with standard errors from the likelihood of what was sent.

*Coefficients* are at the top of the likelihood, each value against the question's reference: ``no`` of a yes-or-no
question, else the first. A normal prior of standard deviation `WIDE` keeps one finite that no response tells. Their
covariance is the sandwich ``A^-1 G A^-1`` of the observed information A (Louis 1982) and the outer products G of single
people's slopes, which holds where the model is only nearest to the truth (White 1982).

*Shapes* are the smoothed effects themselves, less their mean over the population. Their covariance is that of the
posterior, ``A^-1`` with the prior's precision: on average over a shape its intervals cover what they should (Nychka
1988; Marra & Wood 2012).

P(x), where questions are disguised, is taken as it was fitted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy import sparse  # type: ignore[import-untyped]
from scipy.linalg import block_diag  # type: ignore[import-untyped]

from collector.survey.question import Question
from miner.arrays import Floats
from miner.likelihood.answers import PossibleAnswers
from miner.likelihood.ascent import ANYWHERE, Effects, Likelihood, person_slopes, slopes_of
from miner.likelihood.effects import Terms

WIDE = 5.0  # prior standard deviation of a coefficient
MOST_ERRORS = 800  # coefficients that errors are computed for
STEPS = 30  # of Newton's method,
HALVINGS = 20  # each shortened so often at most
CLOSE = 1e-6  # what a step is expected to add to the log-likelihood, at the end


@dataclass(frozen=True, eq=False)
class Table:
    """What is said of each value, or pair of values, of each term.

    Attributes:
        estimates: Shape (effects, classes): the log odds of each class against the reference class.
        errors: Shape (effects, classes): standard errors, 0 where an estimate is 0 by definition; None where there are
            too many coefficients.
    """

    estimates: Floats
    errors: Floats | None


def reference(question: Question) -> int:
    """The value that others are set against: ``no`` of a yes-or-no question, else the first."""
    return len(question.values) - 1 if question.kind == "yes_no" else 0


def shapes(answers: PossibleAnswers, effects: Effects, against: int) -> Table:
    """The smoothed effects of a fitted model, each class against one, and how uncertain they are."""
    terms, classes = effects.terms, len(effects.intercept)
    estimates, size = effects.values - effects.values[:, [against]], int(terms.starts[-1])
    if (size + 1) * classes > MOST_ERRORS:
        return Table(estimates, None)
    roots = terms.roots.toarray()
    free = _Coordinates(answers, terms, roots, range(classes))
    precision = np.tile(np.append(1 / ANYWHERE, 1 / effects.variances[terms.block]), classes)
    covariance = np.linalg.inv(free.around(effects.intercept, effects.values).information + np.diag(precision))
    parts = covariance.reshape(classes, size + 1, classes, size + 1)[:, 1:, :, 1:]
    errors = np.zeros(estimates.shape)
    for cls in range(classes):
        crossed = parts[cls, :, against] + parts[against, :, cls]
        apart = parts[cls, :, cls] + parts[against, :, against] - crossed
        errors[:, cls] = np.sqrt(np.maximum(((roots @ apart) * roots).sum(axis=1), 0))
    return Table(estimates, errors)


def coefficients(answers: PossibleAnswers, effects: Effects, against: int) -> Table:
    """The coefficients of the main effects at the top of the likelihood, by Newton's method."""
    terms, classes = effects.terms, len(effects.intercept)
    firsts = np.array([reference(terms.survey.questions[term[0]]) for term in terms.terms], np.intp)
    bases = firsts + terms.starts[:-1]
    kept, others = np.setdiff1d(np.arange(terms.starts[-1]), bases), [y for y in range(classes) if y != against]
    table = effects.values - effects.values[bases][terms.block]
    table -= table[:, [against]]
    if (len(kept) + 1) * len(others) > MOST_ERRORS:
        return Table(table, None)
    level = effects.intercept - effects.intercept[against] + effects.values[bases].sum(axis=0)
    level -= effects.values[bases][:, against].sum()
    free = _Coordinates(answers, terms, np.eye(int(terms.starts[-1]))[:, kept], others)
    whole = np.vstack([level, table[kept]])[:, others].T.ravel()
    found, covariance = _climbed(free, whole)
    errors = np.zeros(table.shape)
    table[np.ix_(kept, np.array(others))] = found.reshape(len(others), -1)[:, 1:].T
    errors[np.ix_(kept, np.array(others))] = np.sqrt(np.diag(covariance)).reshape(len(others), -1)[:, 1:].T
    return Table(table, errors)


def _climbed(free: _Coordinates, start: Floats) -> tuple[Floats, Floats]:
    """The top of the likelihood under the wide prior, and the covariance of where it is."""
    precision = np.tile(np.append(1 / ANYWHERE, np.full(free.columns.shape[1], WIDE**-2)), len(free.classes))
    point, height = start, free.height(start) - precision @ start**2 / 2
    for _ in range(STEPS):
        now = free.at(point)
        slope = now.slope - precision * point
        step = np.linalg.solve(_positive(now, precision), slope)
        if slope @ step < 2 * CLOSE:
            break
        for length in 0.5 ** np.arange(HALVINGS):
            moved = point + length * step
            fresh = free.height(moved) - precision @ moved**2 / 2
            if fresh >= height:
                break
        else:
            break
        point, height = moved, fresh
    inverse = np.linalg.inv(_positive(now, precision))
    return point, inverse @ now.products @ inverse


def _positive(here: _Here, precision: Floats) -> Floats:
    """The observed information with the prior's; where that is no top, the information of single people's slopes."""
    whole = here.information + np.diag(precision)
    try:
        np.linalg.cholesky(whole)
    except np.linalg.LinAlgError:
        return np.asarray(here.products + np.diag(precision))
    return np.asarray(whole)


class _Here(NamedTuple):
    """The slope of the log-likelihood at a point, the observed information, the outer products of people's slopes."""

    slope: Floats
    information: Floats
    products: Floats


class _Coordinates:
    """The likelihood along some coordinates of the effects of some classes, each class's after its intercept.

    Args:
        answers: Behind the responses.
        terms: Of the model.
        columns: Shape (effects, coordinates): from coordinates to effects.
        classes: Whose effects are free; the others have none.
    """

    def __init__(self, answers: PossibleAnswers, terms: Terms, columns: Floats, classes: Sequence[int]) -> None:
        self.likelihood, self.columns, self.classes = Likelihood(answers, terms), columns, list(classes)
        ones = sparse.csr_matrix(np.ones((len(answers.values), 1)))
        self.rows = sparse.hstack([ones, self.likelihood.columns]).tocsr()

    def height(self, point: Floats) -> float:
        """The log-likelihood."""
        return self.likelihood.at(*self._effects(point))[0]

    def at(self, point: Floats) -> _Here:
        """What is known at a point."""
        return self.around(*self._effects(point))

    def _effects(self, point: Floats) -> tuple[Floats, Floats]:
        table = np.zeros((self.columns.shape[1] + 1, self.likelihood.answers.chances.shape[1]))
        table[:, self.classes] = point.reshape(len(self.classes), -1).T
        return table[0], self.columns @ table[1:]

    def around(self, intercept: Floats, values: Floats) -> _Here:
        """What is known at these effects."""
        likelihood, count = self.likelihood, len(self.classes)
        _, posterior, shares = likelihood.at(intercept, values)
        told = person_slopes(likelihood, slopes_of(posterior, shares)[:, self.classes], self.rows)
        weighed = told.multiply(likelihood.answers.counts[:, None]).tocsr()
        products = (told.T @ weighed).toarray()
        information = products.copy().reshape(count, self.rows.shape[1], count, self.rows.shape[1])
        post, share = (posterior * likelihood.weights)[:, self.classes], shares[:, self.classes]
        people, turned = posterior.sum(axis=1) * likelihood.weights[:, 0], self.rows.T.tocsr()
        for a, b in product(range(count), repeat=2):
            weights = post[:, a] * share[:, b] + share[:, a] * post[:, b] - 2 * people * share[:, a] * share[:, b]
            if a == b:
                weights += people * share[:, a] - post[:, a]
            information[a, :, b] += (turned @ self.rows.multiply(weights[:, None]).tocsr()).toarray()
        turn = np.kron(np.eye(count), block_diag(1.0, self.columns))
        slope = turn.T @ np.asarray(weighed.sum(axis=0)).ravel()
        return _Here(slope, turn.T @ information.reshape(products.shape) @ turn, turn.T @ products @ turn)
