"""Effects of answers on the log odds of the classes: which columns there are, and how free each is.

The prior of the effects of a question's values is normal. If the values have no order, the effects are independent with
variance 1. If they have, effects of neighbouring values are similar: the covariance is the square of the generalised
inverse of the path's Laplacian, the discrete smoothing spline (Whittaker 1923; Wahba 1978; Rue & Held 2005, chapter 3),
with the same prior for the common level as without order, scaled to mean variance 1. So linear trends along the scale
have the largest prior variance, then curvature; single values that differ from both neighbours have the smallest.
Values outside the order (no answer, not applicable) have independent effects.

The effects of pairs of values have the product of both covariances. An effect is the root of its covariance times
*free* coordinates, which are independent with equal variance. The common level of all effects of a question is removed.
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

FEWEST_VALUES = 3  # values of a scale of which some are nearer than others
Term = tuple[int, ...]
"""Columns of the survey's questions: one for main effects, two for a pair."""


@dataclass(frozen=True, eq=False)
class Terms:
    """The terms of a model.

    Attributes:
        survey: The published design.
        terms: Terms of questions that are not the class.
        shares: For each question the shares of its values: effects have mean 0 over them.
    """

    survey: Survey
    terms: tuple[Term, ...]
    shares: tuple[Floats, ...]

    @cached_property
    def widths(self) -> list[int]:
        """Number of effects of each term, for one class."""
        sizes = [len(question.values) for question in self.survey.questions]
        return [int(np.prod([sizes[column] for column in term])) for term in self.terms]

    @cached_property
    def starts(self) -> Indices:
        """Shape (terms + 1,): where the effects of each begin."""
        return np.cumsum([0, *self.widths])

    @cached_property
    def block(self) -> Indices:
        """Shape (effects,): the term of each."""
        return np.repeat(np.arange(len(self.terms)), self.widths)

    @cached_property
    def names(self) -> list[str]:
        """Condition of each effect, as text."""
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
        """Shape (effects, effects): from free coordinates to effects."""
        own = {
            column: centred(root_covariance(self.survey.questions[column]), self.shares[column])
            for column in {column for term in self.terms for column in term}
        }
        blocks = [own[term[0]] if len(term) == 1 else np.kron(own[term[0]], own[term[1]]) for term in self.terms]
        return sparse.csr_matrix(sparse.block_diag(blocks)) if blocks else sparse.csr_matrix((0, 0))

    def places(self, values: Values) -> NDArray[np.int32]:
        """Shape (rows, terms): the effect of each term that a row has; for a value that is not known, one past all."""
        sizes = np.array([len(question.values) for question in self.survey.questions])
        columns = np.full((len(self.terms), max(map(len, self.terms), default=0)), -1)
        for number, term in enumerate(self.terms):
            columns[number, : len(term)] = term
        return placed(np.ascontiguousarray(values, np.int16), columns, sizes, self.starts)


def root_covariance(question: Question) -> Floats:
    """Shape (values, values): the symmetric square root of the covariance of the effects of a question's values."""
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
    """The root of a covariance, so that effects have mean 0 where values have these shares."""
    return np.asarray(root - shares @ root / shares.sum())
