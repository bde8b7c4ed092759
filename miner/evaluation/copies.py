"""Signed copies of disguised responses, merged so that a classifier predicts each distinct row once.

The weighted mean of any function over the signed copies is unbiased for its mean over the true answers
(docs/guarantee.md, section 2). Only groups that contain a question of the classifier or the target have copies: two for
a complement group, one for each touched state of a uniform group (a replacement that happens to be what was sent is
counted with it). Up to `MOST_COPIES` of a response and `MOST_ENTRIES` in total, all copies are enumerated; beyond, some
are drawn for each response, with probability proportional to the absolute weight. Draws are independent between
responses, so that their variance is part of the variance of the responses' terms, and hence of each standard error and
interval.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import reduce
from math import prod
from typing import Self

import numpy as np
from numpy.typing import NDArray

from collector.errors import QueryError
from collector.survey.survey import Survey
from miner.arrays import Floats, Indices
from miner.evaluation.copied_groups import largest_sum, largest_sum_at_leaves, parts_of
from miner.evaluation.copied_states import States, beside
from miner.responses.distinct import alike
from miner.responses.possible import with_unasked
from miner.responses.responses import Responses, Values
from miner.trees.paths import leaf_weights, most_stood_for
from miner.trees.tree import LEAF, Tree
from miner.weights.events import with_conditions
from miner.weights.weights import sampled_within

MOST_COPIES = 4096  # of a response: twelve complement groups
MOST_ENTRIES = 2**23  # copies of all responses together; fitting twice as many in memory took 2.9 GB
DRAWS = 256  # of each response, where its copies are too many
MOST_DRAWN = 2**21  # of all responses together


@dataclass(frozen=True, eq=False)
class Copies:
    """The candidate answers behind each response, each with a signed weight.

    Attributes:
        counts: Shape (rows,): number of responses in each row; equal responses share a row.
        place: Shape (rows, copies): index of the row that the classifier predicts.
        cls: Shape (rows, copies): class index.
        weight: Shape (rows, copies), or (1, copies) where all rows share it. They sum to 1 over the copies of a
            response; on average, if copies are drawn.
        size: The largest sum of absolute weights that a response could have.
        exact: Whether all copies are enumerated; otherwise they are drawn.
        times: The largest number of responses that one represents, in a split questionnaire.
    """

    counts: Floats
    place: Indices
    cls: NDArray[np.int16]
    weight: Floats
    size: float
    exact: bool
    times: float = 1.0

    @classmethod
    def of(
        cls,
        responses: Responses,
        target: str,
        asked: Collection[str],
        rng: np.random.Generator,
        most_drawn: int = MOST_DRAWN,
    ) -> tuple[Self, Values]:
        """The copies for some questions, of the respondents who were asked all of them.

        Args:
            responses: Disguised.
            target: Name of the class question.
            asked: Names of the other questions that the classifier uses.
            rng: Draws copies if there are too many to enumerate; otherwise it is not used.
            most_drawn: Number of copies drawn then, over all responses, but at least one of each.

        Returns:
            The copies, and the distinct rows that `place` refers to: value indices, shape (places, questions of the
            survey), -1 for questions that are not asked.

        Raises:
            QueryError: If a name is no question, there are no responses, or no respondent was asked all questions.
        """
        asked = with_conditions(responses.survey, asked)
        responses = responses.among_asked({*asked, target})
        first, counts = looked_at(responses, {*asked, target})
        parts = parts_of(responses.survey, asked, target)
        number = prod(part.number for part in parts)
        exact = number <= MOST_COPIES and number * len(first) <= MOST_ENTRIES
        if exact:
            some = responses.take(first)
            states = [part.enumerated(some.codes) for part in parts]
        else:
            draws = max(1, min(DRAWS, most_drawn // len(responses)))
            counts = np.ones(len(responses))
            states = [part.drawn(responses.codes, draws, rng) for part in parts]
        whole = reduce(States.crossed, states) if exact else beside(states)
        shape = (len(counts), whole.place.shape[1])
        weight = whole.weight if exact else whole.weight / shape[1]
        place, classes = np.broadcast_to(whole.place, shape), np.broadcast_to(whole.cls, shape)
        return cls(counts, place, classes, weight, largest_sum(parts), exact), with_unasked(
            responses.survey, whole.table
        )

    @classmethod
    def at_leaves(cls, responses: Responses, tree: Tree, target: str) -> tuple[Self, Floats] | None:
        """The copies merged at the leaves of a tree: one entry for each distinct prediction and class.

        Returns:
            The copies, and the predictions that `place` refers to, shape (places, classes); None if there would be more
            than `MOST_ENTRIES` entries.

        Raises:
            QueryError: If the target is no question, or there are no responses.
        """
        survey = responses.survey
        asked = tree_questions(survey, tree)
        first, counts = looked_at(responses, {*asked, target})
        predictions, place = np.unique(tree.probabilities, axis=0, return_inverse=True)
        shape = (len(first), predictions.size)
        if predictions.size * len(first) > MOST_ENTRIES:
            return None
        weights = leaf_weights(responses.take(first), tree, target, place.ravel(), counts)
        places, classes = predictions.shape
        copies = cls(
            counts=counts,
            place=np.broadcast_to(np.repeat(np.arange(places), classes), shape),
            cls=np.broadcast_to(np.tile(np.arange(classes, dtype=np.int16), places), shape),
            weight=weights.reshape(shape),
            size=largest_sum_at_leaves(survey, tree, target),
            exact=True,
            times=most_stood_for(responses, tree, target),
        )
        return copies, predictions

    @property
    def responses(self) -> int:
        """The number of responses."""
        return round(float(self.counts.sum()))

    def terms(self, amounts: NDArray[np.generic]) -> Floats:
        """The signed sum over the copies of each row: shape (rows,), of amounts of shape (rows, copies)."""
        if len(self.weight) == 1:
            return np.asarray(amounts @ self.weight[0], np.float64)
        return np.asarray(np.einsum("rc,rc->r", amounts.astype(np.float64, copy=False), self.weight))

    def masses(self, places: int, classes: int) -> Floats:
        """The signed number of responses at each place with each class: shape (places, classes)."""
        key = self.place * classes + self.cls
        counted = (self.weight * self.counts[:, None]).ravel()
        found = np.bincount(key.ravel(), counted, minlength=places * classes).astype(np.float64, copy=False)
        return found.reshape(places, classes)


def looked_at(responses: Responses, names: Collection[str]) -> tuple[Indices, Floats]:
    """The responses that are distinct in these questions: the first of each kind, and the number of equal ones.

    Raises:
        QueryError: If a name is no question, or there are no responses.
    """
    survey = responses.survey
    named = {survey.column(name) for name in names}
    columns = sorted(named | set(sampled_within(survey, named)))
    if not len(responses):
        raise QueryError("responses", "there are none to test on", "collect some first")
    return alike(responses.codes[:, columns])


def tree_questions(survey: Survey, tree: Tree) -> list[str]:
    """Names of the questions that a tree splits on."""
    return [survey.questions[question].name for question in sorted(set(tree.question.tolist()) - {LEAF})]


def asked_questions(survey: Survey, names: Collection[str] | None, target: str) -> list[str]:
    """Names of the questions that a classifier uses, in the survey's order; all but the target if None.

    Raises:
        QueryError: If a name is no question, or the target is among them.
    """
    wanted = None if names is None else {survey.question(name).name for name in names}
    if wanted is not None and target in wanted:
        raise QueryError(f'question "{target}"', "it is the target", "predict it from other questions")
    every = [question.name for question in survey.questions if question.name != target]
    return [name for name in every if wanted is None or name in wanted]
