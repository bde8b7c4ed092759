"""A test of independence of two questions that is valid for disguised responses.

Pearson's test asks how far the cells of a table are from the product of its margins, weighed by the variance they would
have if the questions were independent. So does this one, with the cells as they are estimated and the variance that the
product weights would have under independence: the multinomial of the responses, sent through the channel. It is a
quadratic form in asymptotically normal differences, hence chi-square with as many degrees of freedom as the variance
has rank, (rows - 1)(columns - 1) unless a value has no respondents. Undisguised it is Pearson's statistic, exactly.

Comparing disguised codes as if they were answers would find what the coins of one group do to both its questions.
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
SMALLEST_SHARE = 1e-6  # that a margin is taken to have; an estimate may be below 0
ROUNDING = 1e-9
SMALLEST_SHOWN = 0.0001  # of p values


@dataclass(frozen=True)
class ChiSquare(JsonResult):
    """A chi-square test.

    Attributes:
        statistic: 0 or more.
        degrees_of_freedom: Those of its chi-square distribution if what is tested holds.
        p_value: Probability of a statistic at least as large.
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
    """A test of the independence of two questions; the statistic is Pearson's where nothing is disguised."""

    @property
    def line(self) -> str:
        """The figures in words."""
        return f"independence: {super().line}"


def p_value_text(p_value: float) -> str:
    """A p value as it is printed: ``0.0312``, or ``below 0.0001``, never 0."""
    return f"below {SMALLEST_SHOWN}" if p_value < SMALLEST_SHOWN else f"{p_value:.4f}"


def independence(found: Counted, names: tuple[str, str], cells: Floats) -> Independence | None:
    """Test whether two questions are independent.

    Args:
        found: Disguised responses of people who were asked both questions.
        names: Names of the two questions.
        cells: Shape (rows, columns): the unbiased estimates of the joint table (`miner.estimates.crosstab`).

    Returns:
        None if the table is too large to test, or a question has but one value that anybody has.
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
    """The chi-square statistic of differences with this covariance, and its rank."""
    values, vectors = np.linalg.eigh(spread)
    kept = values > ROUNDING * max(float(values.max()), ROUNDING)
    parts = (vectors.T @ gaps)[kept]
    return float((parts**2 / values[kept]).sum()), int(kept.sum())


def p_value(statistic: float, freedom: int) -> float:
    """The p value of a chi-square statistic; 1 if all responses are equal."""
    return float(gammaincc(freedom / 2, statistic / 2)) if freedom else 1.0


def _margin(shares: Floats) -> Floats:
    """A margin as a distribution: estimates below 0 are cut off."""
    cut = np.maximum(shares, 0)
    cut = np.where((cut > 0) | (shares == 0), cut, SMALLEST_SHARE)
    distribution: Floats = cut / cut.sum()
    return distribution


def _spread(found: Counted, names: tuple[str, str], joint: Floats) -> Floats | None:
    """Covariance of one response's product weights for all cells, if the answers have this joint distribution.

    The weights for a question whose codes are drawn if it is not asked depend on its conditions, too. Where these are
    other questions than the two, the covariance is that of the weights of the responses.
    """
    survey = found.responses.survey
    if len(with_conditions(survey, names)) > len(names):
        terms = _cell_weights(found.responses, names, joint.shape)
        gaps = terms - (terms @ found.counts / found.people)[:, None]
        seen: Floats = (gaps * found.counts) @ gaps.T / found.people
        return seen
    return _variance(*every_state(found.responses, names, found.counts), names, joint)


def _variance(states: Responses, shares: Floats, names: tuple[str, str], joint: Floats) -> Floats | None:
    """Covariance of one response's product weights for all cells, if the answers have this joint distribution.

    Given what else was asked the weights have the same mean, and so the covariance is the mean one.
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
    """Weights of responses for each cell of the table, shape (cells, responses)."""
    first, second = (responses.survey.question(name) for name in names)
    weights = ProductWeights(responses)
    return np.stack(
        [
            weights.of({first.name: codes_of_values(first, {row}), second.name: codes_of_values(second, {column})})
            for row, column in np.ndindex(shape)
        ]
    )


def _product_noise(spread: Floats, margins: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Second-order noise of the product of two noisy margins: n times its mean, n^2 times its variance.

    Both vanish undisguised, where Pearson's test leaves them out: then row and column margin are uncorrelated, and
    what their own noise adds is part of the multinomial. One coin for both questions correlates the margins.

    Args:
        spread: Shape (rows, columns, rows, columns): covariance of one response's weights.
        margins: Margins of rows and columns.
    """
    within = spread.sum(axis=(1, 3)), spread.sum(axis=(0, 2))
    plain = [np.diag(margin) - np.outer(margin, margin) for margin in margins]
    between: Floats = spread.sum(axis=(1, 2))
    products = np.einsum("rs,cd->rcsd", *within) - np.einsum("rs,cd->rcsd", *plain)
    products += np.einsum("rd,sc->rcsd", between, between)
    return between, products.reshape(between.size, between.size)


def independence_slopes(rows: Floats, columns: Floats) -> Floats:
    """Derivatives of each cell's difference p(r, c) - p(r) p(c) by each cell, shape (cells, cells)."""
    size = len(rows) * len(columns)
    slopes = np.eye(size).reshape(len(rows), len(columns), len(rows), len(columns))
    slopes -= np.einsum("rs,c->rcs", np.eye(len(rows)), columns)[..., None]
    slopes -= np.einsum("cd,r->rcd", np.eye(len(columns)), rows)[:, :, None, :]
    return slopes.reshape(size, size)
