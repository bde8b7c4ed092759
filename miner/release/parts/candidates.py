"""List the candidate splits of a node with their scores."""

from collections.abc import Callable, Sequence

import numpy as np

from collector.survey.survey import Survey
from miner.release.noise import Counts
from miner.release.parts.growth import GrowingNode, Split, multiway

Scoring = Callable[[Counts], Counts]


def multiway_candidates(
    node: GrowingNode, kinds: Sequence[int], counts: Counts, scoring: Scoring
) -> tuple[list[Split | None], list[int]]:
    """Return the multiway splits of a node (one child for each value), and their scores.

    Args:
        node: Node of a growing tree.
        kinds: Number of values of each question.
        counts: Numbers of records at the node, shape (questions, values, classes).
        scoring: Function from counts of children, shape (candidates, children, classes), to scores in whole numbers.

    Returns:
        Splits, and the score of each split.
    """
    return [multiway(each, kinds) for each in node.open], scoring(counts[list(node.open)]).tolist()


def binary_candidates(
    node: GrowingNode, survey: Survey, totals: Counts, counts: Counts, scoring: Scoring
) -> tuple[list[Split | None], list[int]]:
    """Return the binary splits of a node, and their scores.

    Args:
        node: Node of a growing tree.
        survey: Survey that states which questions have ordered values.
        totals: Class counts of the node, shape (classes,).
        counts: Numbers of records at the node, shape (questions, values, classes).
        scoring: Function from counts of children, shape (candidates, children, classes), to scores in whole numbers.

    Returns:
        Splits, and the score of each split.
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
