"""Impurity importance: the decrease of Gini impurity by the splits on each question, as a share of the root's.

A split decreases impurity by ``N G(p) - sum over children of N_c G(p_c)``, where G(p) = 1 - sum of p^2, N is the
estimated size of a node, signed, and p its predicted class probabilities. Without disguise and shrinkage this is the
mean decrease in impurity (Breiman et al. 1984), as in scikit-learn, except that it is not scaled to sum to 1: under
disguise the sum of the signed figures may be near 0. It is divided by the size of the root, so that the sum over all
questions is at most the impurity at the root.

The figures are computed on the training data. They include gains by chance, which are larger for questions with many
values (Strobl et al. 2007). `miner.evaluation.importances` does not have this bias.
"""

import numpy as np
from numpy.typing import NDArray

from miner.arrays import Floats
from miner.trees.tree import LEAF, Tree


def impurities(counts: Floats, probabilities: Floats) -> Floats:
    """Size times Gini impurity of each node: shape (nodes,), signed. The arguments have shape (nodes, classes)."""
    weighted: Floats = counts.sum(axis=1) * (1 - (probabilities**2).sum(axis=1))
    return weighted


def tree_importances(tree: Tree, questions: int) -> Floats:
    """Decrease of Gini impurity per respondent by the splits on each question: shape (questions of the survey,)."""
    weighted, decreases = impurities(tree.counts, tree.probabilities), np.zeros(questions)
    for node, children in enumerate(tree.children()):
        if children:
            decreases[tree.question[node]] += weighted[node] - weighted[sorted(set(children))].sum()
    size = float(tree.counts[0].sum())
    return decreases / size if size > 0 else decreases * 0.0


def forest_importances(
    begin: NDArray[np.int64], question: NDArray[np.int32], child: NDArray[np.int32], nodes: Floats, questions: int
) -> Floats:
    """Decrease of Gini impurity per respondent by the splits on each question, for each tree of a forest.

    Args:
        begin: Shape (trees + 1,): index of the first node of each tree.
        question: Shape (nodes,): index of the question each node splits on, -1 for a leaf.
        child: Shape (nodes,): the first child, counted from the root of the tree; the second child is the next node.
        nodes: Shape (nodes, 2): the size of each node, and size times impurity.
        questions: Number of questions of the survey.

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
