"""Compute the log-likelihood of responses, with its slope and information by the effects of a model.

The log-likelihood is ``sum over responses r of ln sum over answers x and classes y of P(x) P(r | x, y) P(y | x)``. The
slope of the log-likelihood by the log odds of class y at answers x is the sum over responses r of ``P(x, y | r) - P(x |
r) P(y | x)`` (Fisher's identity). The observed information is computed by Louis's formula (1982).

If predictors are disguised, their frequencies are estimated, too, so the information matrix has rows for changes of
frequencies (*multiples*). A *multiple* is the logarithm of a factor that changes the frequency of a value or of a pair
of values. A normal prior pulls changes of frequencies (multiples) towards 0, that is, towards frequencies from a fitted
mixture of latent classes.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse  # type: ignore[import-untyped] # it brings no types

from miner.arrays import Floats
from miner.behind.kernels import softmax
from miner.behind.rows import Rows
from miner.effects.bundles import Bundles
from miner.effects.kernels import add_products, gathered, person_slopes, scored
from miner.effects.terms import Term, Terms

TOGETHER = 4096  # number of responses whose slopes along all coordinates are in memory at once
BLOCK = 2**16  # number of rows whose weights are in memory at once
MOST_MULTIPLES = 400  # largest number of multiples; with more, first pairs and then all multiples are left out
SINGLE, PAIR = 1.0, 10.0  # precisions of the prior of a value's multiple, and a pair's
FLATTEST = 1e-3  # smallest curvature along a direction, as a share of the outer products' curvature
RIDGE = 1e-9  # smallest curvature along a direction, as a share of the mean curvature


class Derivatives(NamedTuple):
    """First and second derivatives of a log-likelihood.

    Attributes:
        slope: Slope by each coordinate, shape (coordinates,).
        information: Observed information, shape (coordinates, coordinates).
        products: Sum of the outer products of people's slopes or, for a regression, the expected information if all
            answers were known, shape (coordinates, coordinates).
    """

    slope: Floats
    information: Floats
    products: Floats

    def curvature(self, precision: Floats) -> Floats:
        """Return the information plus the prior's precision, or a positive definite substitute."""
        for matrix in (self.information, self.products):
            whole = self.bent(matrix, precision)
            with suppress(np.linalg.LinAlgError):
                np.linalg.cholesky(whole)
                break
        return whole

    def upright(self, precision: Floats) -> Floats:
        """Return the information plus the prior's precision, with negative curvature made positive.

        Negative curvature is made positive as in saddle-free Newton methods (Dauphin et al. 2014).
        """
        whole = self.bent(self.information, precision)
        with suppress(np.linalg.LinAlgError):
            np.linalg.cholesky(whole)
            return whole
        root = np.linalg.cholesky(self.bent(self.products, precision))
        half = np.linalg.solve(root, np.linalg.solve(root, whole).T)
        sizes, modes = np.linalg.eigh((half + half.T) / 2)
        turned = root @ modes
        return np.asarray((turned * np.maximum(np.abs(sizes), FLATTEST)) @ turned.T)

    def bent(self, matrix: Floats, precision: Floats) -> Floats:
        """Return a matrix plus the prior's precision plus a small multiple of the identity."""
        return np.asarray(matrix + np.diag(precision + RIDGE * np.trace(matrix) / len(precision)))


class Likelihood:
    """Log-likelihood of disguised responses as a function of effects.

    Attributes:
        rows: Candidate rows behind the responses.
        places: Index of the effect of each term in each row, shape (rows, terms).
        effects: Number of effects on one class.
        bundles: Look-up tables that sum effects of several terms.
        cells: Index of the cell of each look-up table in each row, shape (rows, tables).
    """

    def __init__(self, rows: Rows, terms: Terms) -> None:
        self.rows, self.places, self.effects = rows, terms.places(rows.values), int(terms.starts[-1])
        self.bundles = Bundles(terms, rows.values)
        self.cells = self.bundles.places(rows.values)

    def scores(self, intercept: Floats, values: Floats) -> Floats:
        """Return the log odds of the classes for each row of answers, shape (rows, classes)."""
        return scored(self.cells, intercept, self.bundles.sums(values))

    def gathered(self, slopes: Floats) -> tuple[Floats, Floats]:
        """Return the slopes of the log-likelihood by intercepts, (classes,), and by effects, (effects, classes)."""
        rows = self.rows
        level, along = gathered(self.cells, slopes, rows.ends, rows.counts, self.bundles.spread.shape[0])
        return level, self.bundles.along(along)

    def at(self, intercept: Floats, values: Floats) -> tuple[Floats, Floats]:
        """Return P(x, class | r) and P(class | x) for the answers x of each row, both of shape (rows, classes)."""
        shares = softmax(self.scores(intercept, values))
        return self.rows.posterior(shares)[1], shares

    def slopes(self, intercept: Floats, values: Floats) -> Floats:
        """Return the slopes of one person's log-likelihood by the log odds of each row, shape (rows, classes)."""
        return self.rows.slopes(self.scores(intercept, values))[1]

    def person_slopes(self, slopes: Floats, part: slice) -> Floats:
        """Return slopes of each response by the intercept and the effects of each class.

        Args:
            slopes: Slopes by the log odds of each row, shape (rows, classes).
            part: Responses to return slopes for.

        Returns:
            Slopes, shape (responses, classes, 1 + effects).
        """
        return person_slopes(self.places, slopes, self.rows.first[part], self.rows.ends[part], self.effects)

    def products(self, slopes: Floats) -> Floats:
        """Return the sum of the outer products of people's slopes by intercepts and effects.

        Args:
            slopes: Slopes of one person's log-likelihood by the log odds of each row, shape (rows, some classes).

        Returns:
            Sum of shape (coordinates, coordinates), with classes times (1 + effects) coordinates.
        """
        width = slopes.shape[1] * (self.effects + 1)
        sums, roots = np.zeros((width, width)), np.sqrt(self.rows.counts)
        for part in blocks(len(roots)):
            along = self.person_slopes(slopes, part).reshape(-1, width) * roots[part, None]
            sums += along.T @ along
        return sums


class Multiples(NamedTuple):
    """Changes of the frequencies of answers (multiples), by values and pairs of values.

    Attributes:
        places: Index of the multiple (change of frequency) of each term in each row, or `size` without a multiple,
            shape (rows, terms).
        size: Number of multiples.
    """

    places: NDArray[np.int32]
    size: int


class Coordinates:
    """Log-likelihood of disguised responses as a function of coordinates of the effects.

    Args:
        rows: Candidate rows behind the responses.
        terms: Terms of the model.
        columns: Matrix that converts coordinates to effects, shape (effects, coordinates).
        classes: Indices of the classes that have effects.
    """

    def __init__(self, rows: Rows, terms: Terms, columns: Floats, classes: Sequence[int]) -> None:
        self.likelihood, self.classes, self.terms = Likelihood(rows, terms), list(classes), terms
        self.columns = sparse.csr_matrix(columns)
        one = sparse.block_diag([np.ones((1, 1)), self.columns])
        self.turn = sparse.csr_matrix(sparse.kron(sparse.eye(len(self.classes)), one))

    @property
    def width(self) -> int:
        """Return the number of coordinates of the intercepts and effects."""
        return int(self.turn.shape[1])

    def effects(self, point: Floats) -> tuple[Floats, Floats]:
        """Convert coordinates to intercepts, shape (classes,), and effects, shape (effects, classes)."""
        table = np.zeros((self.columns.shape[1] + 1, self.likelihood.rows.chances.shape[1]))
        table[:, self.classes] = point[: self.width].reshape(len(self.classes), -1).T
        return table[0], np.asarray(self.columns @ table[1:])

    def height(self, point: Floats) -> float:
        """Return the log-likelihood as a function of the coordinates of the effects."""
        return self.slope(point)[0]

    def slope(self, point: Floats) -> tuple[float, Floats]:
        """Return the log-likelihood and its slope by the coordinates."""
        height, slopes = self.likelihood.rows.slopes(self.likelihood.scores(*self.effects(point)))
        return height, self._along(self.likelihood, slopes[:, self.classes])

    def _along(self, likelihood: Likelihood, slopes: Floats) -> Floats:
        """Convert slopes by the log odds of each row to slopes by the coordinates of the effects."""
        return np.asarray(self.turn.T @ np.vstack(likelihood.gathered(np.ascontiguousarray(slopes))).T.ravel())

    def at(self, point: Floats) -> Derivatives:
        """Return the derivatives of the log-likelihood by the coordinates of the effects."""
        return self._around(self.likelihood, self.effects(point))

    def products(self, point: Floats, most: int) -> Floats:
        """Return the sum of the outer products of people's slopes, or its diagonal with over `most` coordinates."""
        likelihood = self.likelihood
        slopes = self._slopes(likelihood, self.effects(point))
        if self.width <= most:
            return np.asarray(self.turn.T @ likelihood.products(slopes) @ self.turn)
        counts, squares = likelihood.rows.counts, np.zeros(self.width)
        for part in blocks(len(counts)):
            along = likelihood.person_slopes(slopes, part).reshape(-1, self.turn.shape[0]) @ self.turn
            squares += counts[part] @ (along * along)
        return squares

    def _around(self, likelihood: Likelihood, effects: tuple[Floats, Floats]) -> Derivatives:
        """Return the derivatives of the log-likelihood by the coordinates."""
        slopes, shares = self._slopes(likelihood, effects), softmax(likelihood.scores(*effects))
        products = likelihood.products(slopes)
        information = products + self._curved(likelihood, slopes, shares[:, self.classes])
        turned = self.turn.T @ information @ self.turn
        return Derivatives(self._along(likelihood, slopes), turned, self.turn.T @ products @ self.turn)

    def _slopes(self, likelihood: Likelihood, effects: tuple[Floats, Floats]) -> Floats:
        """Return slopes by the log odds of each row, shape (rows, free classes)."""
        return np.ascontiguousarray(likelihood.slopes(*effects)[:, self.classes])

    def _curved(self, likelihood: Likelihood, slopes: Floats, shares: Floats) -> Floats:
        """Return the observed information minus the sum of the outer products of people's slopes."""
        first, second = np.triu_indices(len(self.classes))
        weights = slopes[:, first] * shares[:, second] + shares[:, first] * slopes[:, second]
        return self._crossed(likelihood, weights - slopes[:, first] * (first == second))

    def _crossed(self, likelihood: Likelihood, weights: Floats) -> Floats:
        """Return the sum of row weights for each pair of effects that occur together in a row.

        Args:
            likelihood: Log-likelihood of the effects.
            weights: Weights of each row, shape (rows, pairs of free classes), with pairs in the order of
                `numpy.triu_indices`.

        Returns:
            Matrix of sums, with a row and a column for the intercept and each effect of each free class.
        """
        width, count, people = likelihood.effects + 1, len(self.classes), likelihood.rows.counts
        sums = np.zeros((width + 1, width + 1, weights.shape[1]))
        for part in blocks(len(weights), BLOCK):
            places = with_intercept(likelihood.places[part])
            add_products(sums, places, places, weights[part] * people[likelihood.rows.response[part], None], half=1)
        crossed = np.zeros((count, width, count, width))
        for number, (a, b) in enumerate(zip(*np.triu_indices(count), strict=True)):
            half = sums[:-1, :-1, number]
            crossed[a, :, b] = crossed[b, :, a] = half + half.T - np.diag(np.diag(half))
        return crossed.reshape(count * width, count * width)

    def covariances(self, effects: tuple[Floats, Floats], precision: Floats) -> tuple[Floats, Floats]:
        """Return the posterior covariance and the sandwich covariance (White 1982) of the effects.

        The covariances include the uncertainty of the frequencies of disguised predictors.

        Args:
            effects: Estimated intercepts and effects.
            precision: Precision of the prior, shape (coordinates,).
        """
        multiples, firm = self._mixture_multiples()
        here = self._with_multiples(self.likelihood, self._around(self.likelihood, effects), effects, multiples)
        inverse, free = np.linalg.inv(here.curvature(np.append(precision, firm))), len(precision)
        return np.asarray(inverse[:free, :free]), np.asarray((inverse @ here.products @ inverse)[:free, :free])

    def _with_multiples(
        self, likelihood: Likelihood, here: Derivatives, effects: tuple[Floats, Floats], multiples: Multiples
    ) -> Derivatives:
        """Append derivatives by the multiples (changes of frequencies of answers) to other derivatives."""
        places, size = multiples
        if not size:
            return here
        rows = likelihood.rows
        slopes, behind = self._slopes(likelihood, effects), likelihood.at(*effects)[0].sum(axis=1, keepdims=True)
        width, people = len(self.classes) * (likelihood.effects + 1), rows.counts.sum()
        sums, among, across, whole = np.zeros(size), np.zeros((size, size)), np.zeros((width, size)), np.zeros(width)
        for part in blocks(len(rows.counts)):
            along = likelihood.person_slopes(slopes, part).reshape(-1, width)
            means = person_slopes(places, behind, rows.first[part], rows.ends[part], size)[:, 0, 1:]
            weighed = means * rows.counts[part, None]
            sums, among = sums + weighed.sum(axis=0), among + means.T @ weighed
            across, whole = across + along.T @ weighed, whole + rows.counts[part] @ along
        both = np.zeros((likelihood.effects + 2, size + 1, len(self.classes)))
        for part in blocks(len(slopes), BLOCK):
            weights = slopes[part] * rows.counts[rows.response[part], None]
            add_products(both, with_intercept(likelihood.places[part]), places[part], weights, half=0)
        hidden = self.turn.T @ (across - both[:-1, :-1].transpose(2, 0, 1).reshape(width, size))
        crossed = self.turn.T @ (across - np.outer(whole, sums) / people)
        information = among - np.outer(sums, sums) / people
        return Derivatives(
            np.append(here.slope, np.zeros(size)),
            np.block([[here.information, hidden], [hidden.T, information]]),
            np.block([[here.products, crossed], [crossed.T, information]]),
        )

    def _mixture_multiples(self) -> tuple[Multiples, Floats]:
        """Return the multiples (changes of frequencies) of values and pairs of values, with prior precisions."""
        survey, rows = self.terms.survey, self.likelihood.rows
        none = Multiples(np.zeros((0, 0), np.int32), 0), np.zeros(0)
        if len(rows.values) == len(rows.first):
            return none
        asked = [term[0] for term in self.terms.terms if len(term) == 1]
        names = [question.name for question in survey.questions]
        unsure = [place for place in asked if survey.is_disguised(names[place]) or survey.may_miss(names[place])]
        singles: list[Term] = [(place,) for place in unsure]
        pairs: list[Term] = [pair for pair in combinations(asked, 2) if set(pair) & set(unsure)]
        for chosen in ([*singles, *pairs], singles):
            terms = Terms(survey, tuple(chosen), ())
            if int(terms.starts[-1]) <= MOST_MULTIPLES:
                sizes = np.array([SINGLE if len(term) == 1 else PAIR for term in chosen])
                return Multiples(terms.places(rows.values), int(terms.starts[-1])), sizes[terms.block]
        return none


def blocks(count: int, size: int = TOGETHER) -> Iterator[slice]:
    """Divide `count` positions into slices of at most `size` positions."""
    return (slice(first, first + size) for first in range(0, count, size))


def with_intercept(places: NDArray[np.int32]) -> NDArray[np.int32]:
    """Put the index 0 (of the intercept) before the effect indices of each row."""
    return np.column_stack([np.zeros(len(places), np.int32), places + 1])
