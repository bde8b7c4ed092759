"""Test the independence of two questions from disguised responses.

The test compares the estimated cells of a table with the products of the estimated margins, like Pearson's chi-square
test. The covariance that the test uses includes the noise of the disguise. The statistic has (rows - 1)(columns - 1)
degrees of freedom, or fewer if nobody gave a value. For undisguised responses the statistic is exactly Pearson's.
"""

from dataclasses import dataclass

import numpy as np

from miner.arrays import Floats
from miner.behind.rows import listed_rows
from miner.figures.chi_square import ChiSquare, chi_square, p_value, wald
from miner.responses.responses import Counted, Responses, codes_of_values
from miner.weights.events import with_conditions
from miner.weights.weights import ProductWeights, every_state

MOST_CELLS = 1024
MOST_STATES = 2**14
SMALLEST_SHARE = 1e-6  # smallest share of a margin; the estimate itself may be below 0
ROUNDING = 1e-9


@dataclass(frozen=True)
class Independence(ChiSquare):
    """Test of the independence of two questions."""

    @property
    def line(self) -> str:
        """Line of text with the statistic, the degrees of freedom and the p value."""
        return f"independence: {super().line}"


def independence(found: Counted, names: tuple[str, str], cells: Floats) -> Independence | None:
    """Test whether two questions are independent.

    Args:
        found: Disguised responses of people who were asked both questions.
        names: Names of the two questions.
        cells: Unbiased estimates of the joint table (`miner.estimates.crosstab`), shape (rows, columns).

    Returns:
        Result of the test, or None if the table is too large or everybody gives the same answer to one of the
        questions.
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


def sampled_independence(totals: Floats, spread: Floats, shape: tuple[int, int], freedom: float) -> Independence | None:
    """Return the Wald test that each cell of a table of a sample equals the product of its margins.

    The p value comes from the F distribution.

    Args:
        totals: Estimated number of people in each cell, shape (cells,).
        spread: Covariance of the totals, shape (cells, cells).
        shape: Numbers of rows and columns of the table.
        freedom: Degrees of freedom of the covariance.
    """
    shares = totals / totals.sum()
    table = shares.reshape(shape)
    margins = table.sum(axis=1), table.sum(axis=0)
    slopes = independence_slopes(*margins) @ (np.eye(len(totals)) - shares[:, None]) / totals.sum()
    found = wald((table - np.outer(*margins)).ravel(), slopes @ spread @ slopes.T, freedom)
    return None if found is None else Independence(**vars(found))


def _margin(shares: Floats) -> Floats:
    """Return estimated frequencies as a distribution, with estimates below 0 raised to nearly 0."""
    cut = np.maximum(shares, 0)
    cut = np.where((cut > 0) | (shares == 0), cut, SMALLEST_SHARE)
    distribution: Floats = cut / cut.sum()
    return distribution


def _spread(found: Counted, names: tuple[str, str], joint: Floats) -> Floats | None:
    """Return the covariance of one response's weights for all cells of the table of two questions.

    If weights depend on a third question, which an `ask_if` condition names, the covariance is estimated from the
    responses.
    """
    survey = found.responses.survey
    if len(with_conditions(survey, names)) > len(names):
        terms = _cell_weights(found.responses, names, joint.shape)
        gaps = terms - (terms @ found.counts / found.people)[:, None]
        seen: Floats = (gaps * found.counts) @ gaps.T / found.people
        return seen
    return _variance(*every_state(found.responses, names, found.counts), names, joint)


def _variance(states: Responses, shares: Floats, names: tuple[str, str], joint: Floats) -> Floats | None:
    """Return the covariance of one response's weights for all cells of the table of two questions."""
    terms = _cell_weights(states, names, joint.shape)
    rows = listed_rows(states, names, routed=False)  # patterns come sorted, as the states do
    if rows is None:
        return None
    sent = shares * rows.sent(joint[tuple(rows.values.T)][:, None])
    mean = terms @ sent
    spread: Floats = (terms * sent) @ terms.T - np.outer(mean, mean)
    return spread


def _cell_weights(responses: Responses, names: tuple[str, str], shape: tuple[int, ...]) -> Floats:
    """Return the weight of each response for each cell of the table, shape (cells, responses)."""
    first, second = (responses.survey.question(name) for name in names)
    weights = ProductWeights(responses)
    return np.stack(
        [
            weights.of({first.name: codes_of_values(first, {row}), second.name: codes_of_values(second, {column})})
            for row, column in np.ndindex(shape)
        ]
    )


def _product_noise(spread: Floats, margins: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Return n times the bias, and n^2 times the covariance, of the products of two estimated margins.

    Args:
        spread: Covariance of one response's weights, shape (rows, columns, rows, columns).
        margins: Frequencies of the row values and of the column values.
    """
    within = spread.sum(axis=(1, 3)), spread.sum(axis=(0, 2))
    plain = [np.diag(margin) - np.outer(margin, margin) for margin in margins]
    between: Floats = spread.sum(axis=(1, 2))
    products = np.einsum("rs,cd->rcsd", *within) - np.einsum("rs,cd->rcsd", *plain)
    products += np.einsum("rd,sc->rcsd", between, between)
    return between, products.reshape(between.size, between.size)


def independence_slopes(rows: Floats, columns: Floats) -> Floats:
    """Return the derivatives of all p(r, c) - p(r) p(c) by all cells p(r, c), shape (cells, cells)."""
    size = len(rows) * len(columns)
    slopes = np.eye(size).reshape(len(rows), len(columns), len(rows), len(columns))
    slopes -= np.einsum("rs,c->rcs", np.eye(len(rows)), columns)[..., None]
    slopes -= np.einsum("cd,r->rcd", np.eye(len(columns)), rows)[:, :, None, :]
    return slopes.reshape(size, size)
