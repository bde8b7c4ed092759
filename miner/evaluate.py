"""How often a classifier is right about true answers that nobody has, from disguised test responses.

Two ways to the same unbiased number (Du & Zhan 2003, Eq. 15; DESIGN section 5): for a tree the sum over its leaves of
P(leaf and class = its label), by product weights, linear in the number of groups; for any other function of the
answers the signed copies of every response, whose number doubles with every group. Both are means over responses, and
so have a standard error and an interval.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from collector.channel import ComplementChannel, states
from collector.errors import QueryError
from collector.survey import Group, Survey
from miner.estimate import Estimate, estimate, mean_estimate
from miner.paths import right_weights
from miner.responses import Codes, Responses, Values, codes_of_values, values_of_codes
from miner.tree import LEAF, Tree
from miner.weights import complemented, group_weights

Predict = Callable[[Values], NDArray[np.integer]]
"""From value indices, shape (rows, questions of the survey), to class indices; the class column is not looked at."""
ROUNDING = 1e-12
MOST_COPIES = 4096  # of a response: two to the number of complement groups, more under uniform


def tree_accuracy(responses: Responses, tree: Tree, target: str) -> Estimate:
    """Accuracy of a tree, from disguised test responses, by the sum over its leaves.

    Args:
        responses: Kept out of training.
        tree: Any tree for their survey.
        target: Name of the class question, disguised or not.

    Raises:
        QueryError: If there are no responses, or the target is no question.
    """
    asked = {responses.survey.questions[index].name for index in set(tree.question.tolist()) - {LEAF}}
    return mean_estimate(right_weights(responses, tree, target), _term_range(responses.survey, asked | {target}))


def copies_accuracy(responses: Responses, predict: Predict, target: str) -> Estimate:
    """Accuracy of any classifier, from disguised test responses: it is right about which of their signed copies?

    Args:
        responses: Kept out of training.
        predict: Any function of the values of the other questions.
        target: Name of the class question, disguised or not.

    Raises:
        QueryError: If there are no responses, the target is no question, or a response has over 4,096 copies.
    """
    questions = responses.survey.questions
    column = questions.index(responses.survey.question(target))
    terms = np.zeros(len(responses))
    for copies, weight in signed_copies(responses):
        values = values_of_codes(questions, copies)
        terms += weight * (np.asarray(predict(values)) == values[:, column])
    return mean_estimate(terms, _term_range(responses.survey, {question.name for question in questions}))


def always(responses: Responses, label: int, target: str) -> Estimate:
    """Accuracy of predicting one class whatever the answers: the baseline of every accuracy."""
    return estimate(responses, {target: codes_of_values(responses.survey.question(target), {label})})


def majority(responses: Responses, target: str) -> int:
    """Index of the class estimated to be the most frequent; among equals the first.

    Raises:
        QueryError: If there are no responses, or the target is no question.
    """
    classes = range(len(responses.survey.question(target).values))
    shares = np.array([always(responses, label, target).estimate for label in classes])
    return int(np.argmax(shares >= shares.max() - ROUNDING))


def signed_copies(responses: Responses) -> Iterator[tuple[Codes, float]]:
    """Everything the truth may have been, each with the weight it counts with, the same for all responses.

    For each group a response is taken as it is, and as each state that it would be replaced by. Over all copies the
    weights add up to 1; the weighted sum of any function has the mean of that function over the true codes.

    Yields:
        Codes, shape (responses, questions), and their signed weight; never 0.

    Raises:
        QueryError: If there are over 4,096 copies of a response.
    """
    survey = responses.survey
    if prod(_copies(survey, group) for group in survey.groups) > MOST_COPIES:
        raise QueryError(
            f'survey "{survey.name}"',
            f"a response has more than {MOST_COPIES} signed copies",
            "evaluate a tree, or ask fewer disguised questions",
        )
    complements = complemented(survey, responses.codes)
    for chosen in product(*(_options(survey, group) for group in survey.groups)):
        copies = responses.codes.copy()
        for option in chosen:
            if option.state is not None:
                copies[:, option.columns] = option.state
            elif option.flipped:
                copies[:, option.columns] = complements[:, option.columns]
        yield copies, prod(option.weight for option in chosen)


@dataclass(frozen=True)
class _Option:
    """One of the copies of a group: as it is, flipped, or one state whatever was sent."""

    weight: float
    columns: list[int]
    flipped: bool = False
    state: tuple[int, ...] | None = None


def _copies(survey: Survey, group: Group) -> int:
    """How many copies a response has on account of one group."""
    if isinstance(group.channel, ComplementChannel):
        return 2
    return 1 + prod(len(question.codes) for question in survey.members(group))


def _options(survey: Survey, group: Group) -> list[_Option]:
    columns = [number for number, question in enumerate(survey.questions) if question.name in group.questions]
    own, replaced = group_weights(group)
    if isinstance(group.channel, ComplementChannel):
        options = [_Option(own, columns), _Option(replaced, columns, flipped=True)]
    else:
        every = states([question.coding for question in survey.members(group)])
        options = [_Option(own, columns), *(_Option(replaced / len(every), columns, state=state) for state in every)]
    return [option for option in options if option.weight]


def _term_range(survey: Survey, names: set[str]) -> tuple[float, float]:
    """The smallest and largest term there can be: right about all copies of negative weight, or of positive weight."""
    groups = [group for group in survey.groups if names & set(group.questions)]
    size = prod(sum(map(abs, group_weights(group))) for group in groups)
    return (1 - size) / 2, (1 + size) / 2
