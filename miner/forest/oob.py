"""Out-of-bag accuracy of a forest from the disguised responses it was grown on.

A response is judged by the trees that have not drawn it, in its signed copies (DESIGN section 5): the copies of all its
groups, with a uniform draw for the replacement in a uniform group. The signed mean is unbiased for the accuracy on the
true answers of votes by as many trees.

The terms of different responses are not independent, as either helps to judge the other; and the forest at hand is
better or worse than most of its kind by some amount that its own responses do not tell (for cross-validation: Bates,
Hastie & Tibshirani 2021). There is no unbiased estimate of what that adds to the variance (Bengio & Grandvalet 2004).
It was measured in 18 settings of `benchmarks.coverage`: the squared distance to the forest's own accuracy was 1.0 to
1.35 times the squared standard error, 1.2 on average. So much larger the variance is taken to be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from collector.channel import ComplementChannel
from collector.errors import QueryError
from miner.estimate import Estimate, mean_estimate
from miner.evaluate.copied_groups import largest_sum, parts_of
from miner.responses import Codes, Responses, Values, values_of_codes
from miner.weights import complement_table, group_weights

Counts = NDArray[np.uint32]
Votes = Callable[[Values, Counts], NDArray[np.float64]]
"""From value indices and how often each tree has drawn each row to the votes of those that have not, by class."""
DEPENDENCE = 1.2  # the variance of the mean, in those of a mean of independent terms: measured
MOST_GROUPS = 12  # disguised by a coin that may lie: two copies for each


def out_of_bag(votes: Votes, responses: Responses, inside: Counts, target: str) -> Estimate:
    """The accuracy of the votes of trees on responses they have not drawn.

    Args:
        votes: Of the forest.
        responses: Those it was grown on.
        inside: Shape (trees, responses): how often each tree has drawn each.
        target: Name of the class question.

    Raises:
        QueryError: If there are over 12 groups that may lie, or every tree has drawn every response.
    """
    judged = np.flatnonzero((inside == 0).any(axis=0))
    some, outside = responses.take(judged), np.ascontiguousarray(inside[:, judged])
    questions = responses.survey.questions
    column = questions.index(responses.survey.question(target))
    terms = np.zeros(len(some))
    for codes, weight in _signed_copies(some):
        values = values_of_codes(questions, codes)
        terms += weight * (votes(values, outside).argmax(axis=1) == values[:, column])
    names = [question.name for question in questions if question.name != target]
    size = largest_sum(parts_of(responses.survey, names, target))
    return _widened(mean_estimate(terms, ((1 - size) / 2, (1 + size) / 2)), sqrt(DEPENDENCE))


def _widened(found: Estimate, times: float) -> Estimate:
    """The same estimate with so many times the error."""
    if found.standard_error is None or found.interval is None:
        return found
    low, high = (found.estimate + times * (limit - found.estimate) for limit in found.interval)
    return replace(found, standard_error=times * found.standard_error, interval=(low, high))


def _signed_copies(responses: Responses) -> Iterator[tuple[Codes, float]]:
    """Every copy of all responses at once, with its weight."""
    survey, generator = responses.survey, np.random.default_rng(0)
    weights = [group_weights(group) for group in survey.groups]
    if sum(0.0 not in pair for pair in weights) > MOST_GROUPS:
        raise QueryError("out-of-bag", f"more than {MOST_GROUPS} groups are disguised", "test on responses kept out")
    columns = {question.name: number for number, question in enumerate(survey.questions)}
    replaced = responses.codes.copy()
    for group in survey.groups:
        for question in survey.members(group):
            column = columns[question.name]
            if isinstance(group.channel, ComplementChannel):
                replaced[:, column] = complement_table(question)[responses.codes[:, column]]
            else:
                replaced[:, column] = generator.choice(question.codes, len(responses))
    for flips in product((0, 1), repeat=len(weights)):
        weight = float(np.prod([pair[flip] for pair, flip in zip(weights, flips, strict=True)]))
        if weight:
            codes = responses.codes.copy()
            for group, flip in zip(survey.groups, flips, strict=True):
                names = [columns[name] for name in group.questions]
                codes[:, names] = (replaced if flip else responses.codes)[:, names]
            yield codes, weight
