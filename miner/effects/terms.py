"""Define the terms of a model of the class: the columns of the effects of answers on log odds, and their priors.

The prior of the effects of a question's values is normal. If the values have no order, the effects are independent with
variance 1. If the values have an order, effects of neighbouring values are similar. The covariance of ordered values is
the square of the generalised inverse of the path's Laplacian, the discrete smoothing spline (Whittaker 1923; Wahba
1978; Rue & Held 2005, chapter 3). The covariance of ordered values is scaled to mean variance 1; the prior of the
effects' common level is that of unordered values. Linear trends along the scale therefore have the largest prior
variance, followed by curvature. Single values that differ from both neighbours have the smallest prior variance. Values
outside the order (no answer, not applicable) have independent effects.

The effects of pairs of values have the product of the covariances of both questions. The vector of effects is the root
of its covariance times *free* coordinates, which are independent with equal variance. The common level of all effects
of a question is removed.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy import sparse  # type: ignore[import-untyped] # it brings no types

from collector.survey.question import Question
from collector.survey.survey import Survey
from miner.arrays import Floats, Indices
from miner.effects.kernels import placed
from miner.responses.responses import Values

FEWEST_VALUES = 3  # smallest number of values of a scale on which some values are nearer than others
Term = tuple[int, ...]
"""Columns of the survey's questions: one for main effects, two for a pair."""


@dataclass(frozen=True, eq=False)
class Terms:
    """Terms of a model: questions and pairs of questions that have effects.

    Attributes:
        survey: Published survey.
        terms: Questions of each term, without the class question.
        shares: Shares of the values of each question, over which effects have mean 0.
    """

    survey: Survey
    terms: tuple[Term, ...]
    shares: tuple[Floats, ...]

    @cached_property
    def widths(self) -> list[int]:
        """Return the number of effects of each term, for one class."""
        sizes = [len(question.values) for question in self.survey.questions]
        return [int(np.prod([sizes[column] for column in term])) for term in self.terms]

    @cached_property
    def starts(self) -> Indices:
        """Return the start of the effects of each term, shape (terms + 1,)."""
        return np.cumsum([0, *self.widths])

    @cached_property
    def block(self) -> Indices:
        """Return the term of each effect, shape (effects,)."""
        return np.repeat(np.arange(len(self.terms)), self.widths)

    @cached_property
    def names(self) -> list[str]:
        """Return the condition of each effect, as text."""
        found = []
        for term in self.terms:
            questions = [self.survey.questions[column] for column in term]
            every = product(*(question.values for question in questions))
            found += [
                " and ".join(f"{question.name} = {word}" for question, word in zip(questions, words, strict=True))
                for words in every
            ]
        return found

    @cached_property
    def roots(self) -> sparse.csr_matrix:
        """Return the matrix from free coordinates to effects, shape (effects, effects)."""
        own = {
            column: centred(root_covariance(self.survey.questions[column]), self.shares[column])
            for column in {column for term in self.terms for column in term}
        }
        blocks = [own[term[0]] if len(term) == 1 else np.kron(own[term[0]], own[term[1]]) for term in self.terms]
        return sparse.csr_matrix(sparse.block_diag(blocks)) if blocks else sparse.csr_matrix((0, 0))

    def places(self, values: Values) -> NDArray[np.int32]:
        """Return the effect of each term that a row has, shape (rows, terms).

        An unknown value has the position after the last effect.
        """
        sizes = np.array([len(question.values) for question in self.survey.questions])
        columns = np.full((len(self.terms), max(map(len, self.terms), default=0)), -1)
        for number, term in enumerate(self.terms):
            columns[number, : len(term)] = term
        return placed(np.ascontiguousarray(values, np.int16), columns, sizes, self.starts)


def root_covariance(question: Question) -> Floats:
    """Return the symmetric square root of the covariance of a question's effects, shape (values, values)."""
    count, root = question.in_order, np.eye(len(question.values))
    if count < FEWEST_VALUES:
        return root
    apart = np.eye(count)[1:] - np.eye(count)[:-1]
    sizes, modes = np.linalg.eigh(apart.T @ apart)
    # the first mode is the common level; the root of the squared inverse is the inverse
    inverse = 1 / sizes[1:]
    roots = np.append(1.0, inverse * np.sqrt((count - 1) / (inverse**2).sum()))
    root[:count, :count] = (modes * roots) @ modes.T
    return root


def centred(root: Floats, shares: Floats) -> Floats:
    """Return the root of a covariance, changed so that effects have mean 0 if values have the given shares."""
    return np.asarray(root - shares @ root / shares.sum())
