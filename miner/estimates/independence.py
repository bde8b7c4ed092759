"""Test the independence of two questions from disguised responses.

Pearson's test compares the cells of a table with the product of the margins, given the variance of the cells under
independence. This test uses the estimated cells, and the variance of the product weights under independence: that of
multinomial responses sent through the channel. The statistic is a quadratic form in asymptotically normal differences,
hence chi-square. Its degrees of freedom are the rank of the variance: (rows - 1)(columns - 1) unless a value has no
respondents. For undisguised responses the statistic is exactly Pearson's.

A test that took disguised codes for answers would detect the common coin of two questions as an association.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaincc  # type: ignore[import-untyped] # scipy brings no types

from miner.arrays import Floats
from miner.behind.rows import listed_rows
from miner.json_values import JsonResult
from miner.responses.responses import Responses, codes_of_values
from miner.responses.source import Counted
from miner.weights.events import with_conditions
from miner.weights.weights import ProductWeights, every_state

MOST_CELLS = 1024
MOST_STATES = 2**14
SMALLEST_SHARE = 1e-6  # smallest share of a margin; the estimate itself may be below 0
ROUNDING = 1e-9
SMALLEST_SHOWN = 0.0001  # smallest p value that is printed as a number


@dataclass(frozen=True)
class ChiSquare(JsonResult):
    """Result of a chi-square test.

    Attributes:
        statistic: Chi-square statistic, 0 or more.
        degrees_of_freedom: Degrees of freedom of the statistic's chi-square distribution under the null hypothesis.
        p_value: Probability of a statistic at least as large under the null hypothesis.
    """

    statistic: float
    degrees_of_freedom: int
    p_value: float

    @property
    def line(self) -> str:
        """The figures in words."""
        freedom = f"{self.degrees_of_freedom} degree{'s' if self.degrees_of_freedom > 1 else ''} of freedom"
        return f"chi-square {self.statistic:.2f} on {freedom}, p {p_value_text(self.p_value)}"


@dataclass(frozen=True)
class Independence(ChiSquare):
    """Test of the independence of two questions. For undisguised responses the statistic is Pearson's."""

    @property
    def line(self) -> str:
        """The figures in words."""
        return f"independence: {super().line}"


def p_value_text(p_value: float) -> str:
    """Return the text of a p value: ``0.0312``, or ``below 0.0001``, never 0."""
    return f"below {SMALLEST_SHOWN}" if p_value < SMALLEST_SHOWN else f"{p_value:.4f}"


def independence(found: Counted, names: tuple[str, str], cells: Floats) -> Independence | None:
    """Test whether two questions are independent.

    Args:
        found: Disguised responses of people who were asked both questions.
        names: Names of the two questions.
        cells: Unbiased estimates of the joint table (`miner.estimates.crosstab`), shape (rows, columns).

    Returns:
        The test, or None if the table is too large or everybody gives the same answer to one of the questions.
    """
    codings, people = [found.responses.survey.question(name).codes for name in names], found.people
    if cells.size > MOST_CELLS or len(codings[0]) * len(codings[1]) > MOST_STATES:
        return None
    margins = _margin(cells.sum(axis=1)), _margin(cells.sum(axis=0))
    spread = _spread(found, names, np.outer(*margins))
    if spread is None:
        return None
    bias, products = _product_noise(spread.reshape(cells.shape * 2), margins)
    differences = cells - np.outer(cells.sum(axis=1), cells.sum(axis=0)) + bias / people
    slopes = independence_slopes(margins[0], margins[1])
    size, freedom = chi_square(differences.ravel(), slopes @ spread @ slopes.T + products / people)
    return Independence(people * size, freedom, p_value(people * size, freedom)) if freedom else None


def chi_square(gaps: Floats, spread: Floats) -> tuple[float, int]:
    """Return the chi-square statistic of differences with a given covariance, and the rank of the covariance."""
    values, vectors = np.linalg.eigh(spread)
    kept = values > ROUNDING * max(float(values.max()), ROUNDING)
    parts = (vectors.T @ gaps)[kept]
    return float((parts**2 / values[kept]).sum()), int(kept.sum())


def p_value(statistic: float, freedom: int) -> float:
    """Return the p value of a chi-square statistic. With 0 degrees of freedom it is 1."""
    return float(gammaincc(freedom / 2, statistic / 2)) if freedom else 1.0


def _margin(shares: Floats) -> Floats:
    """Return a margin as a distribution, after setting estimates below 0 to 0."""
    cut = np.maximum(shares, 0)
    cut = np.where((cut > 0) | (shares == 0), cut, SMALLEST_SHARE)
    distribution: Floats = cut / cut.sum()
    return distribution


def _spread(found: Counted, names: tuple[str, str], joint: Floats) -> Floats | None:
    """Return the covariance of a response's product weights for all cells, given the distribution of answers.

    If a question has drawn codes for people who are not asked, its weights also depend on the questions of its `ask_if`
    condition. If the condition names a third question, the covariance is computed from the weights of the responses.
    """
    survey = found.responses.survey
    if len(with_conditions(survey, names)) > len(names):
        terms = _cell_weights(found.responses, names, joint.shape)
        gaps = terms - (terms @ found.counts / found.people)[:, None]
        seen: Floats = (gaps * found.counts) @ gaps.T / found.people
        return seen
    return _variance(*every_state(found.responses, names, found.counts), names, joint)


def _variance(states: Responses, shares: Floats, names: tuple[str, str], joint: Floats) -> Floats | None:
    """Return the covariance of a response's product weights for all cells, given the distribution of answers.

    The weights have the same mean for each set of asked questions, so the covariance is the mean of the covariances
    given the set.
    """
    terms = _cell_weights(states, names, joint.shape)
    rows = listed_rows(states, names, routed=False)  # patterns come sorted, as the states do
    if rows is None:
        return None
    sent = shares * rows.sent(joint[tuple(rows.values.T)][:, None])
    mean = terms @ sent
    spread: Floats = (terms * sent) @ terms.T - np.outer(mean, mean)
    return spread


def _cell_weights(responses: Responses, names: tuple[str, str], shape: tuple[int, ...]) -> Floats:
    """Return the weights of responses for each cell of the table, shape (cells, responses)."""
    first, second = (responses.survey.question(name) for name in names)
    weights = ProductWeights(responses)
    return np.stack(
        [
            weights.of({first.name: codes_of_values(first, {row}), second.name: codes_of_values(second, {column})})
            for row, column in np.ndindex(shape)
        ]
    )


def _product_noise(spread: Floats, margins: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Return the second-order noise of the product of two noisy margins: n times its mean, n^2 times its variance.

    Both numbers are 0 for undisguised responses. Pearson's test leaves the noise out: the row and column margins are
    uncorrelated, and their own noise is part of the multinomial. If both questions share a coin, the margins are
    correlated.

    Args:
        spread: Covariance of one response's weights, shape (rows, columns, rows, columns).
        margins: Margins of the rows and of the columns.
    """
    within = spread.sum(axis=(1, 3)), spread.sum(axis=(0, 2))
    plain = [np.diag(margin) - np.outer(margin, margin) for margin in margins]
    between: Floats = spread.sum(axis=(1, 2))
    products = np.einsum("rs,cd->rcsd", *within) - np.einsum("rs,cd->rcsd", *plain)
    products += np.einsum("rd,sc->rcsd", between, between)
    return between, products.reshape(between.size, between.size)


def independence_slopes(rows: Floats, columns: Floats) -> Floats:
    """Return the derivatives of each difference p(r, c) - p(r) p(c) by each cell, shape (cells, cells)."""
    size = len(rows) * len(columns)
    slopes = np.eye(size).reshape(len(rows), len(columns), len(rows), len(columns))
    slopes -= np.einsum("rs,c->rcs", np.eye(len(rows)), columns)[..., None]
    slopes -= np.einsum("cd,r->rcd", np.eye(len(columns)), rows)[:, :, None, :]
    return slopes.reshape(size, size)
