"""The candidate splits of a node and their scores, all computed from the counts of each question's values."""

from collections.abc import Callable, Sequence

import numpy as np

from collector.survey.survey import Survey
from miner.release.noise import Counts
from miner.release.parts.growth import GrowingNode, Split, multiway

Scoring = Callable[[Counts], Counts]


def multiway_candidates(
    node: GrowingNode, kinds: Sequence[int], counts: Counts, scoring: Scoring
) -> tuple[list[Split | None], list[int]]:
    """Multiway splits: one child for each value, for each open question.

    Args:
        node: Which questions are open.
        kinds: How many values each question has.
        counts: Shape (questions, values, classes).
        scoring: From counts of children, shape (candidates, children, classes), to whole scores.

    Returns:
        The splits and their scores.
    """
    return [multiway(each, kinds) for each in node.open], scoring(counts[list(node.open)]).tolist()


def binary_candidates(
    node: GrowingNode, survey: Survey, totals: Counts, counts: Counts, scoring: Scoring
) -> tuple[list[Split | None], list[int]]:
    """Binary splits: thresholds of ordered questions, and each value of the others against the rest.

    Args:
        node: Which values are admitted.
        survey: Which questions have an order.
        totals: Shape (classes,): of the node.
        counts: Shape (questions, values, classes).
        scoring: As for `multiway_candidates`.

    Returns:
        The splits and their scores.
    """
    splits: list[Split | None] = []
    first = []
    for each in node.open:
        values, kinds = np.flatnonzero(node.admitted[each]), len(survey.questions[each].values)
        if survey.questions[each].ordered:
            splits += [Split(each, tuple(int(v >= cut) for v in range(kinds))) for cut in values[1:].tolist()]
            first.append(counts[each].cumsum(axis=0)[values[:-1]])
        else:
            alone = values[:1] if len(values) == 2 else values  # of two one is enough
            splits += [Split(each, tuple(int(v != own) for v in range(kinds))) for own in alone.tolist()]
            first.append(counts[each][alone])
    ones = np.concatenate(first)
    return splits, scoring(np.stack([ones, totals - ones], axis=1)).tolist()
