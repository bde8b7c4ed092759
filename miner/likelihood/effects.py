"""Effects of answers on the log odds of the classes: which columns there are, and how free each is.

The effects of a question's values are a root of their prior covariance (`miner.latent.logit.scales`) times *free*
coordinates, which are independent: neighbouring values of a scale have similar effects. Those of a pair of questions
have the product of both covariances.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy import sparse  # type: ignore[import-untyped] # it brings no types

from collector.survey.survey import Survey
from miner.arrays import Floats, Indices
from miner.latent.logit.scales import centred, root_covariance
from miner.likelihood.products import placed
from miner.responses.responses import Values

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
