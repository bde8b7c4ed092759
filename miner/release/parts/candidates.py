"""List the candidate splits of a node with their scores, all computed from the counts of each question's values."""

from collections.abc import Callable, Sequence

import numpy as np

from collector.survey.survey import Survey
from miner.release.noise import Counts
from miner.release.parts.growth import GrowingNode, Split, multiway

Scoring = Callable[[Counts], Counts]


def multiway_candidates(
    node: GrowingNode, kinds: Sequence[int], counts: Counts, scoring: Scoring
) -> tuple[list[Split | None], list[int]]:
    """Return the multiway splits of a node, one for each open question, with a child for each value.

    Args:
        node: Node with its open questions.
        kinds: Number of values of each question.
        counts: Counts at the node, shape (questions, values, classes).
        scoring: Function from counts of children, shape (candidates, children, classes), to scores in whole numbers.

    Returns:
        The splits and their scores.
    """
    return [multiway(each, kinds) for each in node.open], scoring(counts[list(node.open)]).tolist()


def binary_candidates(
    node: GrowingNode, survey: Survey, totals: Counts, counts: Counts, scoring: Scoring
) -> tuple[list[Split | None], list[int]]:
    """Return the binary splits of a node: thresholds of ordered questions, single values of other questions.

    Args:
        node: Node with its admitted values.
        survey: Survey that says which questions have an order.
        totals: Class counts of the node, shape (classes,).
        counts: Counts at the node, shape (questions, values, classes).
        scoring: Function from counts of children, shape (candidates, children, classes), to scores in whole numbers.

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
