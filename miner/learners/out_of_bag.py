"""Out-of-bag accuracy of a forest from the disguised responses it was grown on.

A response is judged by the trees that have not drawn it, in its signed copies (DESIGN section 5): the copies of all its
groups, with a uniform draw for the replacement in a uniform group. The signed mean is unbiased for the accuracy on the
true answers of votes by as many trees.

The interval is for the accuracy of the forest at hand among all people, not for what forests grown from other samples
would have on average (for cross-validation the two are told apart by Bates, Hastie & Tibshirani 2024). The terms of
different responses are not independent, as either helps to judge the other: to the variance of a mean of independent
terms comes what their dependence adds (`miner.forest.dependence`). It is estimated without bias, and so may come out
below 0, where it is next to nothing; then it is taken to be 0.

Where hundreds of respondents answer alike, a 95 % interval was measured to cover .89 to .93, elsewhere .92 to .96
(docs/learners.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

from collector.errors import QueryError
from miner.channels.complement import complement_table
from miner.estimates.estimate import Estimate, mean_estimate
from miner.estimates.ratios import of_variance
from miner.evaluation.copied_groups import largest_sum, parts_of
from miner.forest.dependence import AT_ONCE, Counts, Leanings, judged, shared_variance
from miner.responses.responses import Codes, Responses, Values, values_of_codes
from miner.weights.weights import group_weights

Votes = Callable[[Values, Counts], NDArray[np.float32]]
"""From value indices, and how often each tree has drawn each row, to the votes of the trees that have not: shape
(trees, rows, classes), 0 of those that have."""
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
    some = np.flatnonzero((inside == 0).any(axis=0))
    judges, outside = responses.take(some), np.ascontiguousarray(inside[:, some])
    terms, leanings = _terms(votes, judges, outside, target)
    names = [question.name for question in responses.survey.questions if question.name != target]
    size = largest_sum(parts_of(responses.survey, names, target))
    found = mean_estimate(terms, ((1 - size) / 2, (1 + size) / 2))
    if found.standard_error is None:
        return found
    return of_variance(found, found.standard_error**2 + max(0.0, shared_variance(leanings, outside)))


def _terms(votes: Votes, responses: Responses, inside: Counts, target: str) -> tuple[NDArray[np.float64], Leanings]:
    """What the signed copies of each response say together: whether votes are right, and how trees lean."""
    column = responses.survey.questions.index(responses.survey.question(target))
    terms, leanings = np.zeros(len(responses)), np.zeros(inside.shape, np.float32)
    for codes, weight in _signed_copies(responses):
        for start in range(0, len(responses), AT_ONCE):
            part = slice(start, start + AT_ONCE)
            values, drawn = values_of_codes(responses.survey.questions, codes[part]), inside[:, part]
            right, leaning = judged(votes(values, drawn), drawn, values[:, column])
            terms[part] += weight * right
            leanings[:, part] += weight * leaning
    return terms, leanings


def _signed_copies(responses: Responses) -> Iterator[tuple[Codes, float]]:
    """Every copy of all responses at once, with its weight."""
    survey, generator = responses.survey, np.random.default_rng(0)
    weights = [group_weights(survey, group) for group in survey.groups]
    if sum(0.0 not in pair for pair in weights) > MOST_GROUPS:
        raise QueryError("out-of-bag", f"more than {MOST_GROUPS} groups are disguised", "test on responses kept out")
    columns = {question.name: number for number, question in enumerate(survey.questions)}
    replaced = responses.codes.copy()
    for group in survey.groups:
        for question in survey.members(group):
            column = columns[question.name]
            if group.channel.replacement.paired:
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
