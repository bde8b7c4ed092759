"""The likelihood around some effects: slopes, information, and how sure the effects are.

The frequencies P(x) of the other answers are fitted too where these are disguised. How uncertain they are is reckoned
with by letting them vary: P(x) times the exponential of a multiple for each value of a disguised question and each pair
of values, held near 0 by a normal prior, as a mixture that was fitted to the responses is not far off. Effects and
multiples have one information matrix; its inverse, or the sandwich from it, has the errors of the effects.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag  # type: ignore[import-untyped]

from miner.arrays import Floats
from miner.behind.kernels import softmax
from miner.behind.rows import Rows
from miner.effects.fit import Likelihood, blocks, products
from miner.effects.products import add_products, person_slopes
from miner.effects.terms import Term, Terms

BLOCK = 2**16  # rows whose weights are in memory at once
MOST_MULTIPLES = 400  # of frequencies: of more, pairs are left out, then all
SINGLE, PAIR = 1.0, 10.0  # precisions of the prior of a value's multiple, and a pair's


class Here(NamedTuple):
    """The slope of the log-likelihood at a point, the observed information, the outer products of people's slopes."""

    slope: Floats
    information: Floats
    products: Floats


class Coordinates:
    """The likelihood along some coordinates of the effects of some classes, each class's after its intercept.

    Args:
        rows: Behind the responses.
        terms: Terms of the model.
        columns: Shape (effects, coordinates): the matrix that turns coordinates into effects.
        classes: The classes whose effects are free; the others have none.
    """

    def __init__(self, rows: Rows, terms: Terms, columns: Floats, classes: Sequence[int]) -> None:
        self.likelihood, self.columns, self.classes = Likelihood(rows, terms), columns, list(classes)
        self.terms = terms
        self.turn = np.kron(np.eye(len(self.classes)), block_diag(1.0, columns))

    def height(self, point: Floats) -> float:
        """The log-likelihood."""
        return self.likelihood.height(*self.effects(point))

    def at(self, point: Floats) -> Here:
        """Value and derivatives of the log-likelihood at a point."""
        return self.around(*self.effects(point))

    def effects(self, point: Floats) -> tuple[Floats, Floats]:
        """Intercepts, shape (classes,), and effects, shape (effects, classes), at a point."""
        table = np.zeros((self.columns.shape[1] + 1, self.likelihood.rows.chances.shape[1]))
        table[:, self.classes] = point.reshape(len(self.classes), -1).T
        return table[0], self.columns @ table[1:]

    def around(self, intercept: Floats, values: Floats) -> Here:
        """Value and derivatives of the log-likelihood at these effects."""
        likelihood = self.likelihood
        slopes, shares = self._slopes(intercept, values), softmax(likelihood.scores(intercept, values))
        found, width = products(likelihood, slopes), likelihood.effects + 1
        information = found.copy().reshape(len(self.classes), width, len(self.classes), width)
        for a, b, curved in self._curved(slopes, shares[:, self.classes]):
            information[a, :, b] += curved
            if a != b:
                information[b, :, a] += curved
        slope = self.turn.T @ np.vstack(likelihood.gathered(slopes)).T.ravel()
        whole = self.turn.T @ information.reshape(found.shape) @ self.turn
        return Here(slope, whole, self.turn.T @ found @ self.turn)

    def _slopes(self, intercept: Floats, values: Floats) -> Floats:
        """Shape (rows, free classes): slopes along the linear predictors."""
        return np.ascontiguousarray(self.likelihood.slopes(intercept, values)[:, self.classes])

    def _curved(self, slopes: Floats, shares: Floats) -> Iterator[tuple[int, int, Floats]]:
        """Yield two free classes, and their part of the information beyond products: (coordinates, coordinates)."""
        likelihood, response = self.likelihood, self.likelihood.rows.response
        first, second = np.triu_indices(len(self.classes))
        sums = np.zeros((likelihood.effects + 2, likelihood.effects + 2, len(first)))
        for part in blocks(len(slopes), BLOCK):
            own, chances, counts = slopes[part], shares[part], likelihood.rows.counts[response[part], None]
            weights = (
                own[:, first] * chances[:, second]
                + chances[:, first] * own[:, second]
                - own[:, first] * (first == second)
            )
            places = with_intercept(likelihood.places[part])
            add_products(sums, places, places, np.ascontiguousarray(weights * counts), half=1)
        for number, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
            half = sums[:-1, :-1, number]
            yield a, b, half + half.T - np.diag(np.diag(half))

    def covariances(self, effects: tuple[Floats, Floats], precision: Floats) -> tuple[Floats, Floats]:
        """Covariances of the coordinates, the answers' frequencies estimated: posterior, and sandwich (White 1982).

        Args:
            effects: Intercepts and effects, at the top of the likelihood with the prior.
            precision: Shape (coordinates,): of the prior.
        """
        free = len(precision)
        information, products, firm = self._with_frequencies(self.around(*effects), effects)
        inverse = np.linalg.inv(positive(information, products, np.append(precision, firm)))
        return np.asarray(inverse[:free, :free]), np.asarray((inverse @ products @ inverse)[:free, :free])

    def _with_frequencies(self, here: Here, effects: tuple[Floats, Floats]) -> tuple[Floats, Floats, Floats]:
        """Information and products of coordinates and multiples together, and the precisions of these."""
        found, firm = self._multiples()
        if not len(firm):
            return here.information, here.products, firm
        likelihood, rows = self.likelihood, self.likelihood.rows
        slopes, behind = self._slopes(*effects), likelihood.at(*effects)[0].sum(axis=1, keepdims=True)
        size, width = len(firm), len(self.classes) * (likelihood.effects + 1)
        mean, among, across, whole = np.zeros(size), np.zeros((size, size)), np.zeros((width, size)), np.zeros(width)
        for part in blocks(len(rows.counts)):
            own = likelihood.person_slopes(slopes, part).reshape(-1, width)
            means = person_slopes(found, behind, rows.first[part], rows.ends[part], size)[:, 0, 1:]
            weighed = means * rows.counts[part, None]
            mean, among = mean + weighed.sum(axis=0), among + means.T @ weighed
            across, whole = across + own.T @ weighed, whole + rows.counts[part] @ own
        sums = np.zeros((likelihood.effects + 2, size + 1, len(self.classes)))
        for part in blocks(len(slopes), BLOCK):
            weights = slopes[part] * rows.counts[rows.response[part], None]
            add_products(sums, with_intercept(likelihood.places[part]), found[part], weights, half=0)
        hidden = self.turn.T @ (across - sums[:-1, :-1].transpose(2, 0, 1).reshape(width, size))
        mean /= rows.counts.sum()
        among -= rows.counts.sum() * np.outer(mean, mean)
        across = self.turn.T @ (across - np.outer(whole, mean))
        return (
            np.block([[here.information, hidden], [hidden.T, among]]),
            np.block([[here.products, across], [across.T, among]]),
            firm,
        )

    def _multiples(self) -> tuple[NDArray[np.int32], Floats]:
        """Shape (rows, terms): the multiples that each row has, of values and pairs of values; and the precisions."""
        survey, rows = self.terms.survey, self.likelihood.rows
        if len(rows.values) == len(rows.first):
            return np.zeros((0, 0), np.int32), np.zeros(0)
        asked = [term[0] for term in self.terms.terms if len(term) == 1]
        names = [question.name for question in survey.questions]
        unsure = [place for place in asked if survey.is_disguised(names[place]) or survey.may_miss(names[place])]
        singles: list[Term] = [(place,) for place in unsure]
        pairs: list[Term] = [pair for pair in combinations(asked, 2) if set(pair) & set(unsure)]
        for chosen in ([*singles, *pairs], singles):
            terms = Terms(survey, tuple(chosen), ())
            if int(terms.starts[-1]) <= MOST_MULTIPLES:
                sizes = np.array([SINGLE if len(term) == 1 else PAIR for term in chosen])
                return terms.places(rows.values), sizes[terms.block]
        return np.zeros((0, 0), np.int32), np.zeros(0)


def with_intercept(places: NDArray[np.int32]) -> NDArray[np.int32]:
    """Places after the intercept, which each row has at place 0: shape (rows, 1 + terms)."""
    return np.column_stack([np.zeros(len(places), np.int32), places + 1])


def positive(information: Floats, products: Floats, precision: Floats) -> Floats:
    """The observed information with the prior's; where that is no top, the information of single people's slopes."""
    whole = information + np.diag(precision)
    try:
        np.linalg.cholesky(whole)
    except np.linalg.LinAlgError:
        return np.asarray(products + np.diag(precision))
    return np.asarray(whole)
