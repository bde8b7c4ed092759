"""Impurity importance: the decrease of Gini impurity by the splits on each question, as a share of the root's.

A split takes away ``N G(p) - sum over children of N_c G(p_c)``, where G(p) = 1 - sum of p^2, N is the estimated size of
a node, signed, and p what it predicts. Where nothing is disguised and nothing shrunk that is the mean decrease in
impurity of Breiman et al. (1984), as scikit-learn has it, but it is not scaled to add up to 1: under disguise the sum
of signed figures may be near 0. It is divided by the size of the root, so that all questions together take away at
most the impurity there.

These figures are of the data the tree was grown on: what a split seems to gain by chance is counted as gained, the
more so the more values a question has (Strobl et al. 2007). `miner.evaluation.importances` has no such leaning.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from miner.arrays import Floats
from miner.trees.tree import LEAF, Tree


def impurities(counts: Floats, probabilities: Floats) -> Floats:
    """Size times Gini impurity of each node: shape (nodes,), signed, given shapes (nodes, classes)."""
    weighted: Floats = counts.sum(axis=1) * (1 - (probabilities**2).sum(axis=1))
    return weighted


def tree_importances(tree: Tree, questions: int) -> Floats:
    """What the splits on each question take away: shape (questions of the survey,), in Gini impurity per respondent."""
    weighted, decreases = impurities(tree.counts, tree.probabilities), np.zeros(questions)
    for node, children in enumerate(tree.children()):
        if children:
            decreases[tree.question[node]] += weighted[node] - weighted[sorted(set(children))].sum()
    size = float(tree.counts[0].sum())
    return decreases / size if size > 0 else decreases * 0.0


def forest_importances(
    begin: NDArray[np.int64], question: NDArray[np.int32], child: NDArray[np.int32], nodes: Floats, questions: int
) -> Floats:
    """The same for each tree of a forest of binary tests.

    Args:
        begin: Shape (trees + 1,): where each tree's nodes begin.
        question: Shape (nodes,): which question each node asks, -1 for a leaf.
        child: Shape (nodes,): its first child, counted from the root; the other is the next one.
        nodes: Shape (nodes, 2): the size of each, and size times impurity.
        questions: Of the survey.

    Returns:
        Shape (trees, questions of the survey).
    """
    tree = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
    splits = np.flatnonzero(question != LEAF)
    first = begin[tree[splits]] + child[splits].astype(np.intp)
    decreases = nodes[splits, 1] - nodes[first, 1] - nodes[first + 1, 1]
    sums = np.zeros((len(begin) - 1, questions))
    np.add.at(sums, (tree[splits], question[splits]), decreases)
    size = nodes[begin[:-1], 0][:, None]
    shares: Floats = np.divide(sums, size, out=np.zeros_like(sums), where=size > 0)
    return shares
