"""Split criteria, leaf predictions and impurity importances, computed from estimated class counts.

Counts are signed, because an unbiased estimate may be negative. They are clipped to valid probabilities only where a
probability is needed.

The impurity importance of a question is the decrease of Gini impurity by the splits on it, as a share of the root's
impurity.

A split decreases impurity by ``N G(p) - sum over children of N_c G(p_c)``, where G(p) = 1 - sum of p^2, N is the
estimated size of a node, signed, and p its predicted class probabilities. Without disguise and shrinkage this decrease
is the mean decrease in impurity (Breiman et al. 1984), as in scikit-learn, except that the importances are not scaled
to sum to 1. Under disguise the sum of the signed figures may be near 0. An importance is divided by the size of the
root, so that the sum over all questions is at most the impurity at the root.

The importances are computed on the training data. They include gains by chance, which are larger for questions with
many values (Strobl et al. 2007). `miner.evaluation.importances` does not have this bias.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from miner.arrays import Floats
from miner.trees.tree import LEAF, Tree

ROUNDING = 1e-12
ONCE: Floats = np.ones((1, 1))


class Criterion(Protocol):
    """A split criterion: scores of splits, and class probabilities of nodes."""

    def scores(
        self, counts: Floats, squares: Floats, totals: Floats, responses: int, searched: Floats = ONCE
    ) -> Floats:
        """Return the score of each split at each node. A split is made only if its score is above 0.

        Args:
            counts: Estimated counts: shape (nodes, splits, children, classes).
            squares: Sums of squared weights, in the same shape.
            totals: Estimated counts of the nodes: shape (nodes, classes).
            responses: Number of responses in the whole tree.
            searched: Expected gain from noise alone, relative to a split that is fixed before the counts are seen:
                shape (nodes, splits), or broadcast to it. The gain is above 1 if the best of several splits is taken.

        Returns:
            Scores: shape (nodes, splits).
        """

    def probabilities(self, totals: Floats, parents: Floats) -> Floats:
        """Return class probabilities of nodes, given those of their parents. Both have shape (nodes, classes)."""


def entropy(shares: Floats) -> Floats:
    """Return the entropy in bits over the last axis, for shares that sum to 1.

    If all shares are 0, the entropy is 0.
    """
    logs = np.log2(np.where(shares > 0, shares, 1.0))
    bits: Floats = -(shares * logs).sum(axis=-1)
    return bits


def normalised(amounts: Floats) -> Floats:
    """Return non-negative amounts divided by their sum over the last axis. If all amounts are 0, return zeros."""
    total = amounts.sum(axis=-1, keepdims=True)
    shares: Floats = np.divide(amounts, total, out=np.zeros_like(amounts), where=total > 0)
    return shares


@dataclass(frozen=True)
class Faithful:
    """Du & Zhan's MRR ID3 (2003, section 4): Quinlan's information gain on estimated probabilities.

    Each estimated share, of a node or of a class, is clipped to [0, 1]. A node whose estimated share is not above 0 is
    empty, and predicts as its parent does.
    """

    def scores(
        self, counts: Floats, squares: Floats, totals: Floats, responses: int, searched: Floats = ONCE
    ) -> Floats:
        """Return the information gain in bits."""
        del squares, searched
        cells = np.clip(counts / responses, 0.0, 1.0)
        before = entropy(normalised(np.clip(totals / responses, 0.0, 1.0)))
        weights = normalised(np.clip(counts.sum(axis=-1) / responses, 0.0, 1.0))
        gain: Floats = before[:, None] - (weights * entropy(normalised(cells))).sum(axis=-1)
        return gain

    def probabilities(self, totals: Floats, parents: Floats) -> Floats:
        """Return the class shares of the clipped counts. An empty node gets the shares of its parent."""
        return np.where(totals.sum(axis=-1, keepdims=True) > 0, normalised(np.maximum(totals, 0.0)), parents)


@dataclass(frozen=True)
class Robust:
    """A criterion of the Gini gain minus its expectation under noise alone.

    Predictions are shrunk towards the parent's.

    Predictions are shrunk towards the parent's.

    For two children and two classes the score is ``2 T1 T0 / T (D^2 - kappa V)``. D is the difference between the class
    shares of the children, and V is its variance, estimated from the squared weights. With kappa = 1 the score is
    unbiased for the gain. With kappa = 4 the score is positive only for a difference of two standard errors.

    Attributes:
        kappa: Factor of the noise that is subtracted.
        least_size: Smallest effective size ``T^2 / sum of squared weights`` of a child. Smaller children are ignored.
        shrinkage: Weight of the parent's prediction, in responses.
    """

    kappa: float = 4.0
    least_size: float = 3.0
    shrinkage: float = 2.0

    def scores(
        self, counts: Floats, squares: Floats, totals: Floats, responses: int, searched: Floats = ONCE
    ) -> Floats:
        """Return the Gini gain in responses, corrected for noise.

        The score is -inf if fewer than two children are large enough.
        """
        del totals, responses
        size, spread = counts.sum(axis=-1), squares.sum(axis=-1)
        real = (size > 0) & (size**2 >= self.least_size * spread)
        size = np.where(real, size, 0.0)
        shares = np.divide(counts, size[..., None], out=np.zeros_like(counts), where=real[..., None])
        fraction = normalised(size)
        mean = (fraction[..., None] * shares).sum(axis=-2, keepdims=True)
        gain = (size * ((shares - mean) ** 2).sum(axis=-1)).sum(axis=-1)
        # Var(A/T) = sum of w^2 ([class] - A/T)^2 / T^2, summed over classes
        noise = (squares * (1 - 2 * shares)).sum(axis=-1) + (shares**2).sum(axis=-1) * spread
        noise = np.divide(noise * (1 - fraction), size, out=np.zeros_like(size), where=real).sum(axis=-1)
        score: Floats = np.where(real.sum(axis=-1) > 1, gain - self.kappa * searched * noise, -np.inf)
        return score

    def probabilities(self, totals: Floats, parents: Floats) -> Floats:
        """Return the class shares of the clipped counts plus `shrinkage` responses with the parent's class shares."""
        return normalised(np.maximum(totals, 0.0) + self.shrinkage * parents)


def impurities(counts: Floats, probabilities: Floats) -> Floats:
    """Return size times Gini impurity of each node, signed: shape (nodes,).

    The arguments have shape (nodes, classes).
    """
    weighted: Floats = counts.sum(axis=1) * (1 - (probabilities**2).sum(axis=1))
    return weighted


def tree_importances(tree: Tree, questions: int) -> Floats:
    """Return the decrease of Gini impurity per respondent by the splits on each question of the survey."""
    weighted, decreases = impurities(tree.counts, tree.probabilities), np.zeros(questions)
    for node, children in enumerate(tree.children()):
        if children:
            decreases[tree.question[node]] += weighted[node] - weighted[sorted(set(children))].sum()
    size = float(tree.counts[0].sum())
    return decreases / size if size > 0 else decreases * 0.0


def forest_importances(
    begin: NDArray[np.int64], question: NDArray[np.int32], child: NDArray[np.int32], nodes: Floats, questions: int
) -> Floats:
    """Return the decrease of Gini impurity per respondent by the splits on each question, for each tree of a forest.

    Args:
        begin: Index of the first node of each tree: shape (trees + 1,).
        question: Index of the question that each node splits on, -1 for a leaf: shape (nodes,).
        child: First child, counted from the root of the tree: shape (nodes,). The second child is the next node.
        nodes: Size of each node, and size times impurity: shape (nodes, 2).
        questions: Number of questions of the survey.

    Returns:
        Decreases: shape (trees, questions of the survey).
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
