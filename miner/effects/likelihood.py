"""The log-likelihood of responses along the effects of a model: its slope, its information, and how sure effects are.

The log-likelihood ``sum over responses of ln sum over x, y of P(x) P(r | x, y) P(y | x)`` has the slope
``P(x, y | r) - P(x | r) P(y | x)`` along the linear predictor of class y at answers x (Fisher's identity), summed over
responses. The observed information is Louis's (1982).

The frequencies P(x) of the other answers are estimated too where these are disguised. They vary by *multiples*: P(x)
times the exponential of a multiple for each part of x. In a regression each combination of predictors has a multiple,
and so any frequency at all. Of a mixture, which was fitted to the responses, each value of a disguised question and
each pair of values has one, held near 0 by a normal prior. Effects and multiples have one information matrix; its
inverse, or the sandwich from it, has the errors of the effects.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse  # type: ignore[import-untyped] # it brings no types

from miner.arrays import Floats, Indices
from miner.behind.kernels import softmax
from miner.behind.rows import Rows
from miner.effects.bundles import Bundles
from miner.effects.kernels import add_products, gathered, person_slopes, scored
from miner.effects.terms import Term, Terms

TOGETHER = 4096  # responses whose slopes along all coordinates are in memory at once
BLOCK = 2**16  # rows whose weights are in memory at once
MOST_MULTIPLES = 400  # of a mixture's frequencies: of more, pairs are left out, then all
SINGLE, PAIR = 1.0, 10.0  # precisions of the prior of a value's multiple, and a pair's
RIDGE = 1e-9  # share of the mean curvature that each direction has at least: of flat ones nothing is known
NOBODY = 1e-7  # share of the people below which a combination of predictors is taken for empty


class Derivatives(NamedTuple):
    """Derivatives of the log-likelihood at a point.

    Attributes:
        slope: Shape (coordinates,).
        information: Shape (coordinates, coordinates): the observed information.
        products: Likewise: the outer products of people's slopes. Where frequencies are free, what the information
            would be if all answers were known (EM): far from the top people's slopes are all alike.
    """

    slope: Floats
    information: Floats
    products: Floats

    def curvature(self, precision: Floats) -> Floats:
        """The information with the prior's; where that is no top, the products, which never bend upwards."""
        for bent in (self.information, self.products):
            whole = bent + np.diag(precision + RIDGE * np.trace(bent) / len(precision))
            with suppress(np.linalg.LinAlgError):
                np.linalg.cholesky(whole)
                break
        return np.asarray(whole)


class Likelihood:
    """Log-likelihood of effects, given the answers that are possible.

    Attributes:
        rows: Behind the responses.
        places: Shape (rows, terms): the effects that each row has.
        effects: Number of effects, for one class.
        bundles: Tables of the terms.
        cells: Shape (rows, tables): the cells that each row is in.
    """

    def __init__(self, rows: Rows, terms: Terms) -> None:
        self.rows, self.places, self.effects = rows, terms.places(rows.values), int(terms.starts[-1])
        self.bundles = Bundles(terms, rows.values)
        self.cells = self.bundles.places(rows.values)

    def times(self, factors: Floats) -> "Likelihood":
        """The likelihood with other frequencies of the answers: chances times these, shape (rows,)."""
        other = copy(self)
        other.rows = replace(self.rows, chances=self.rows.chances * factors[:, None])
        return other

    def scores(self, intercept: Floats, values: Floats) -> Floats:
        """Shape (rows, classes): log odds."""
        return scored(self.cells, intercept, self.bundles.sums(values))

    def gathered(self, slopes: Floats) -> tuple[Floats, Floats]:
        """Sums over people of slopes along the intercept and the effects: shapes (classes,) and (effects, classes)."""
        rows = self.rows
        level, along = gathered(self.cells, slopes, rows.ends, rows.counts, self.bundles.spread.shape[0])
        return level, self.bundles.along(along)

    def at(self, intercept: Floats, values: Floats) -> tuple[Floats, Floats]:
        """P(x, class | r), and P(class | x), at some effects: shapes (rows, classes)."""
        shares = softmax(self.scores(intercept, values))
        return self.rows.posterior(shares)[1], shares

    def slopes(self, intercept: Floats, values: Floats) -> Floats:
        """Shape (rows, classes): slopes of one person's log-likelihood along the linear predictors at some effects."""
        return self.rows.slopes(self.scores(intercept, values))[1]

    def person_slopes(self, slopes: Floats, part: slice) -> Floats:
        """Shape (responses of a part, classes, 1 + effects): slopes along the intercept and the effects of each class.

        Args:
            slopes: Shape (rows, classes): along the linear predictors.
            part: Responses.
        """
        return person_slopes(self.places, slopes, self.rows.first[part], self.rows.ends[part], self.effects)

    def products(self, slopes: Floats) -> Floats:
        """Sums over people of the products of their slopes along intercepts and effects.

        Args:
            slopes: Shape (rows, some classes): of one person's log-likelihood along the linear predictors.

        Returns:
            Shape (coordinates, coordinates), coordinates being the classes times (1 + effects).
        """
        width = slopes.shape[1] * (self.effects + 1)
        sums, roots = np.zeros((width, width)), np.sqrt(self.rows.counts)
        for part in blocks(len(roots)):
            along = self.person_slopes(slopes, part).reshape(-1, width) * roots[part, None]
            sums += along.T @ along
        return sums


class Multiples(NamedTuple):
    """Multiples of the frequencies of the answers.

    Attributes:
        places: Shape (rows, terms): the multiples that each row has; `size` where it has none.
        size: Number of multiples.
        shares: Shape (size,): shares of the people with each, as the frequencies say; None if those are a mixture's,
            fitted so that the posterior has the same.
    """

    places: NDArray[np.int32]
    size: int
    shares: Floats | None = None


class Coordinates:
    """The likelihood along some coordinates of the effects of some classes, each class's after its intercept.

    Args:
        rows: Behind the responses.
        terms: Terms of the model.
        columns: Shape (effects, coordinates): the matrix that turns coordinates into effects.
        classes: The classes whose effects are free; the others have none.
        cell: Shape (rows,): the combination of predictors of each row. If it is given, the frequencies of these are
            free, and a point has their logits after the effects; the chances of `rows` are P(r | x, y) then.
    """

    def __init__(
        self, rows: Rows, terms: Terms, columns: Floats, classes: Sequence[int], cell: Indices | None = None
    ) -> None:
        self.likelihood, self.classes, self.terms, self.cell = Likelihood(rows, terms), list(classes), terms, cell
        self.columns = sparse.csr_matrix(columns)
        one = sparse.block_diag([np.ones((1, 1)), self.columns])
        self.turn = sparse.csr_matrix(sparse.kron(sparse.eye(len(self.classes)), one))

    @property
    def width(self) -> int:
        """Number of coordinates of effects."""
        return int(self.turn.shape[1])

    def effects(self, point: Floats) -> tuple[Floats, Floats]:
        """Intercepts, shape (classes,), and effects, shape (effects, classes), at a point."""
        table = np.zeros((self.columns.shape[1] + 1, self.likelihood.rows.chances.shape[1]))
        table[:, self.classes] = point[: self.width].reshape(len(self.classes), -1).T
        return table[0], np.asarray(self.columns @ table[1:])

    def shares(self, point: Floats) -> Floats:
        """Shape (combinations,): the frequencies of the predictors at a point, where they are free."""
        return np.asarray(softmax(point[None, self.width :])[0])

    def likelihood_at(self, point: Floats) -> Likelihood:
        """The likelihood with the frequencies of a point."""
        return self.likelihood if self.cell is None else self.likelihood.times(self.shares(point)[self.cell])

    def height(self, point: Floats) -> float:
        """The log-likelihood."""
        return self.slope(point)[0]

    def slope(self, point: Floats) -> tuple[float, Floats]:
        """The log-likelihood, and its slope along the coordinates."""
        likelihood = self.likelihood_at(point)
        scores = likelihood.scores(*self.effects(point))
        height, slopes = likelihood.rows.slopes(scores)
        along = self._along(likelihood, slopes[:, self.classes])
        if self.cell is not None:
            behind = likelihood.rows.posterior(softmax(scores))[1].sum(axis=1)
            people = likelihood.rows.counts
            sums = np.bincount(self.cell, behind * people[likelihood.rows.response], len(point) - self.width)
            along = np.append(along, sums - people.sum() * self.shares(point))
        return height, along

    def person_slopes(self, point: Floats) -> Floats:
        """Shape (responses, coordinates): slopes of one person's log-likelihood along the coordinates."""
        effects, likelihood = self.effects(point), self.likelihood_at(point)
        rows, slopes = likelihood.rows, self._slopes(likelihood, effects)
        every = likelihood.person_slopes(slopes, slice(0, len(rows.first)))
        along = np.asarray(every.reshape(len(rows.first), -1) @ self.turn)
        if self.cell is None:
            return along
        shares = self.shares(point)
        behind = np.zeros((len(rows.first), len(shares)))
        np.add.at(behind, (rows.response, self.cell), likelihood.at(*effects)[0].sum(axis=1))
        return np.hstack([along, behind - shares])

    def _along(self, likelihood: Likelihood, slopes: Floats) -> Floats:
        """The slope along the coordinates of effects, from slopes along the linear predictors of the free classes."""
        return np.asarray(self.turn.T @ np.vstack(likelihood.gathered(np.ascontiguousarray(slopes))).T.ravel())

    def at(self, point: Floats) -> Derivatives:
        """Derivatives of the log-likelihood at a point.

        Along the logit of the largest frequency, which the others are set against, and of those of nobody, the
        likelihood is taken for bent by 1 and at its top.
        """
        effects, likelihood = self.effects(point), self.likelihood_at(point)
        here = self._around(likelihood, effects)
        if self.cell is None:
            return here
        shares = self.shares(point)
        kept = np.flatnonzero((shares > NOBODY) & (np.arange(len(shares)) != shares.argmax()))
        place = np.full(len(shares), len(kept), np.int32)
        place[kept] = np.arange(len(kept))
        multiples = Multiples(place[self.cell, None], len(kept), shares[kept])
        found = self._with_multiples(likelihood, here, effects, multiples)
        some, size = np.append(np.arange(self.width), self.width + kept), len(point)
        slope, information, known = np.zeros(size), np.eye(size), np.eye(size)
        slope[some] = found.slope
        information[np.ix_(some, some)] = found.information
        known[: self.width, : self.width] = self._known(likelihood, effects)
        known[np.ix_(self.width + kept, self.width + kept)] = likelihood.rows.people * (
            np.diag(shares[kept]) - np.outer(shares[kept], shares[kept])
        )
        return Derivatives(slope, information, known)

    def products(self, point: Floats, most: int) -> Floats:
        """Sums over people of the products of their slopes along the effects.

        Shape (coordinates, coordinates); of more than `most` coordinates the diagonal alone.
        """
        likelihood = self.likelihood_at(point)
        slopes = self._slopes(likelihood, self.effects(point))
        if self.width <= most:
            return np.asarray(self.turn.T @ likelihood.products(slopes) @ self.turn)
        counts, squares = likelihood.rows.counts, np.zeros(self.width)
        for part in blocks(len(counts)):
            along = likelihood.person_slopes(slopes, part).reshape(-1, self.turn.shape[0]) @ self.turn
            squares += counts[part] @ (along * along)
        return squares

    def _around(self, likelihood: Likelihood, effects: tuple[Floats, Floats]) -> Derivatives:
        """Derivatives of the log-likelihood along the coordinates of effects."""
        slopes, shares = self._slopes(likelihood, effects), softmax(likelihood.scores(*effects))
        products = likelihood.products(slopes)
        information = products + self._curved(likelihood, slopes, shares[:, self.classes])
        turned = self.turn.T @ information @ self.turn
        return Derivatives(self._along(likelihood, slopes), turned, self.turn.T @ products @ self.turn)

    def _slopes(self, likelihood: Likelihood, effects: tuple[Floats, Floats]) -> Floats:
        """Shape (rows, free classes): slopes along the linear predictors."""
        return np.ascontiguousarray(likelihood.slopes(*effects)[:, self.classes])

    def _curved(self, likelihood: Likelihood, slopes: Floats, shares: Floats) -> Floats:
        """The information along effects beyond products: shape as theirs; slopes and shares of the free classes."""
        first, second = np.triu_indices(len(self.classes))
        weights = slopes[:, first] * shares[:, second] + shares[:, first] * slopes[:, second]
        return self._crossed(likelihood, weights - slopes[:, first] * (first == second))

    def _known(self, likelihood: Likelihood, effects: tuple[Floats, Floats]) -> Floats:
        """The information along the coordinates of effects if all answers were known, as EM takes it."""
        posterior, shares = likelihood.at(*effects)
        first, second = np.triu_indices(len(self.classes))
        free = shares[:, self.classes]
        bent = free[:, first] * ((first == second) - free[:, second]) * posterior.sum(axis=1, keepdims=True)
        return np.asarray(self.turn.T @ self._crossed(likelihood, bent) @ self.turn)

    def _crossed(self, likelihood: Likelihood, weights: Floats) -> Floats:
        """Sums over people of weights at each pair of effects that a row has.

        Args:
            likelihood: At a point.
            weights: Shape (rows, pairs of free classes), the pairs in the order of `numpy.triu_indices`.

        Returns:
            Shape (effects, effects), effects being the free classes times (1 + effects).
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
        """Covariances of the effects, the answers' frequencies estimated: posterior, and sandwich (White 1982).

        Args:
            effects: Intercepts and effects, at the top of the likelihood with the prior.
            precision: Shape (coordinates,): of the prior.
        """
        multiples, firm = self._mixture_multiples()
        here = self._with_multiples(self.likelihood, self._around(self.likelihood, effects), effects, multiples)
        inverse, free = np.linalg.inv(here.curvature(np.append(precision, firm))), len(precision)
        return np.asarray(inverse[:free, :free]), np.asarray((inverse @ here.products @ inverse)[:free, :free])

    def _with_multiples(
        self, likelihood: Likelihood, here: Derivatives, effects: tuple[Floats, Floats], multiples: Multiples
    ) -> Derivatives:
        """Derivatives along the coordinates of effects and then along multiples."""
        places, size, shares = multiples
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
        expected = sums if shares is None else people * shares
        slope, beyond = sums - expected, np.outer(expected, expected) / people
        crossed = self.turn.T @ (across - np.outer(whole, expected) / people)
        turned = np.outer(slope, expected) / people
        information = among - beyond - np.diag(slope)
        return Derivatives(
            np.append(here.slope, slope),
            np.block([[here.information, hidden], [hidden.T, information]]),
            np.block([[here.products, crossed], [crossed.T, among - beyond - turned - turned.T]]),
        )

    def _mixture_multiples(self) -> tuple[Multiples, Floats]:
        """The multiples of values and pairs of values, and the precisions of their prior."""
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
    """Parts of so many responses, or rows, that are in memory together."""
    return (slice(first, first + size) for first in range(0, count, size))


def with_intercept(places: NDArray[np.int32]) -> NDArray[np.int32]:
    """Places after the intercept, which each row has at place 0: shape (rows, 1 + terms)."""
    return np.column_stack([np.zeros(len(places), np.int32), places + 1])
