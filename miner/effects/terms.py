"""Define the terms (questions and pairs of questions) of a model of a class, with priors of their effects.

The prior of the effects of a question's values is normal. If the values have no order, the effects are independent with
variance 1. If the values have an order, neighbouring values have similar effects: the prior is a discrete smoothing
spline (Whittaker 1923; Wahba 1978; Rue & Held 2005, chapter 3) with mean variance 1. Values outside the order (no
answer, not applicable) have independent effects.

The prior covariance of the effects of a pair of questions is the Kronecker product of the covariances of both
questions. A vector of effects is the square root of its covariance times *free coordinates*, which are independent with
equal variance.
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
        terms: Columns of the one or two questions of each term.
        shares: Shares of the values of each question. Weighted by the shares of its values, the effects of a question
            have mean 0.
    """

    survey: Survey
    terms: tuple[Term, ...]
    shares: tuple[Floats, ...]

    @cached_property
    def widths(self) -> list[int]:
        """Return the number of effects of each term on one class."""
        sizes = [len(question.values) for question in self.survey.questions]
        return [int(np.prod([sizes[column] for column in term])) for term in self.terms]

    @cached_property
    def starts(self) -> Indices:
        """Return the index of the first effect of each term, shape (terms + 1,)."""
        return np.cumsum([0, *self.widths])

    @cached_property
    def block(self) -> Indices:
        """Return the index of the term of each effect, shape (effects,)."""
        return np.repeat(np.arange(len(self.terms)), self.widths)

    @cached_property
    def names(self) -> list[str]:
        """Return the answers that each effect belongs to, such as ``smokes = yes``."""
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
        """Return the matrix that converts free coordinates to effects, shape (effects, effects)."""
        own = {
            column: centred(root_covariance(self.survey.questions[column]), self.shares[column])
            for column in {column for term in self.terms for column in term}
        }
        blocks = [own[term[0]] if len(term) == 1 else np.kron(own[term[0]], own[term[1]]) for term in self.terms]
        return sparse.csr_matrix(sparse.block_diag(blocks)) if blocks else sparse.csr_matrix((0, 0))

    def places(self, values: Values) -> NDArray[np.int32]:
        """Return the index of the effect that each term has in each row of answers, shape (rows, terms).

        An unknown value has the index after the last effect.
        """
        sizes = np.array([len(question.values) for question in self.survey.questions])
        columns = np.full((len(self.terms), max(map(len, self.terms), default=0)), -1)
        for number, term in enumerate(self.terms):
            columns[number, : len(term)] = term
        return placed(np.ascontiguousarray(values, np.int16), columns, sizes, self.starts)


def root_covariance(question: Question) -> Floats:
    """Return the square root of the prior covariance of the effects of a question's values."""
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
    """Change the square root of a covariance so that effects, weighted by shares of values, have mean 0."""
    return np.asarray(root - shares @ root / shares.sum())
