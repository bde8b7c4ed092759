"""The likelihood around some effects: slopes, information, and how sure the effects are.

The frequencies P(x) of the other answers are fitted too where these are disguised. How uncertain they are is reckoned
with by letting them vary: P(x) times the exponential of a multiple for each value of a disguised question and each pair
of values, held near 0 by a normal prior, as a mixture that was fitted to the responses is not far off. Effects and
multiples have one information matrix; its inverse, or the sandwich from it, has the errors of the effects.
"""

from collections.abc import Sequence
from itertools import combinations, combinations_with_replacement
from typing import NamedTuple

import numpy as np
from scipy import sparse  # type: ignore[import-untyped]
from scipy.linalg import block_diag  # type: ignore[import-untyped]

from miner.arrays import Floats
from miner.likelihood.answers import PossibleAnswers
from miner.likelihood.ascent import Likelihood, crossed, person_slopes, slopes_of
from miner.likelihood.effects import Term, Terms

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
        answers: Behind the responses.
        terms: Terms of the model.
        columns: Shape (effects, coordinates): the matrix that turns coordinates into effects.
        classes: The classes whose effects are free; the others have none.
    """

    def __init__(self, answers: PossibleAnswers, terms: Terms, columns: Floats, classes: Sequence[int]) -> None:
        self.likelihood, self.columns, self.classes = Likelihood(answers, terms), columns, list(classes)
        self.terms = terms
        ones = sparse.csr_matrix(np.ones((len(answers.values), 1)))
        self.rows = sparse.hstack([ones, self.likelihood.columns]).tocsr()
        self.turn = np.kron(np.eye(len(self.classes)), block_diag(1.0, columns))

    def height(self, point: Floats) -> float:
        """The log-likelihood."""
        return self.likelihood.at(*self.effects(point))[0]

    def at(self, point: Floats) -> Here:
        """Value and derivatives of the log-likelihood at a point."""
        return self.around(*self.effects(point))

    def effects(self, point: Floats) -> tuple[Floats, Floats]:
        """Intercepts, shape (classes,), and effects, shape (effects, classes), at a point."""
        table = np.zeros((self.columns.shape[1] + 1, self.likelihood.answers.chances.shape[1]))
        table[:, self.classes] = point.reshape(len(self.classes), -1).T
        return table[0], self.columns @ table[1:]

    def around(self, intercept: Floats, values: Floats) -> Here:
        """Value and derivatives of the log-likelihood at these effects."""
        likelihood, count = self.likelihood, len(self.classes)
        _, posterior, shares = likelihood.at(intercept, values)
        told = person_slopes(likelihood, slopes_of(posterior, shares)[:, self.classes], self.rows)
        products = crossed(told, likelihood.answers.counts)
        information = products.copy().reshape(count, self.rows.shape[1], count, self.rows.shape[1])
        post, share = (posterior * likelihood.weights)[:, self.classes], shares[:, self.classes]
        people, turned = posterior.sum(axis=1) * likelihood.weights[:, 0], self.rows.T.tocsr()
        for a, b in combinations_with_replacement(range(count), 2):
            weights = post[:, a] * share[:, b] + share[:, a] * post[:, b] - 2 * people * share[:, a] * share[:, b]
            if a == b:
                weights += people * share[:, a] - post[:, a]
            found = (turned @ self.rows.multiply(weights[:, None]).tocsr()).toarray()  # symmetric
            information[a, :, b] += found
            if a != b:
                information[b, :, a] += found
        slope = self.turn.T @ (told.T @ likelihood.answers.counts)
        whole = self.turn.T @ information.reshape(products.shape) @ self.turn
        return Here(slope, whole, self.turn.T @ products @ self.turn)

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
        likelihood, counts = self.likelihood, self.likelihood.answers.counts
        _, posterior, shares = likelihood.at(*effects)
        slopes = slopes_of(posterior, shares)[:, self.classes]
        own = person_slopes(likelihood, slopes, self.rows) @ self.turn
        means = person_slopes(likelihood, posterior.sum(axis=1, keepdims=True), found)
        weighed = means.multiply(counts[:, None]).tocsr()
        mean = np.asarray(weighed.sum(axis=0)).ravel() / counts.sum()
        among = (means.T @ weighed).toarray() - counts.sum() * np.outer(mean, mean)
        across = (weighed.T @ own).T - np.outer(counts @ own, mean)
        moved = slopes * likelihood.weights
        rows = [(self.rows.multiply(each[:, None]).T @ found).toarray() for each in moved.T]
        sums = np.concatenate([np.asarray(self.rows.T @ each).ravel() for each in moved.T])
        hidden = across - self.turn.T @ (np.vstack(rows) - np.outer(sums, mean))
        return (
            np.block([[here.information, hidden], [hidden.T, among]]),
            np.block([[here.products, across], [across.T, among]]),
            firm,
        )

    def _multiples(self) -> tuple[sparse.csr_matrix, Floats]:
        """Shape (rows, multiples): the values and pairs of values that each row has; and the precisions."""
        survey, answers = self.terms.survey, self.likelihood.answers
        if len(answers.values) == len(answers.first):
            return sparse.csr_matrix((len(answers.values), 0)), np.zeros(0)
        asked = [term[0] for term in self.terms.terms if len(term) == 1]
        names = [question.name for question in survey.questions]
        unsure = [place for place in asked if survey.is_disguised(names[place]) or survey.may_miss(names[place])]
        singles: list[Term] = [(place,) for place in unsure]
        pairs: list[Term] = [pair for pair in combinations(asked, 2) if set(pair) & set(unsure)]
        for chosen in ([*singles, *pairs], singles):
            terms = Terms(survey, tuple(chosen), ())
            if int(terms.starts[-1]) <= MOST_MULTIPLES:
                sizes = np.array([SINGLE if len(term) == 1 else PAIR for term in chosen])
                return terms.columns(answers.values), sizes[terms.block]
        return sparse.csr_matrix((len(answers.values), 0)), np.zeros(0)


def positive(information: Floats, products: Floats, precision: Floats) -> Floats:
    """The observed information with the prior's; where that is no top, the information of single people's slopes."""
    whole = information + np.diag(precision)
    try:
        np.linalg.cholesky(whole)
    except np.linalg.LinAlgError:
        return np.asarray(products + np.diag(precision))
    return np.asarray(whole)
