"""Score splits, predict at leaves and compute impurity importances from estimated class counts.

Counts are signed, because an unbiased estimate may be negative. Counts are clipped to valid probabilities only if a
probability is needed.

The impurity importance of a question is the decrease of Gini impurity by the splits on the question, as a share of the
root's impurity.

A split decreases impurity by ``N G(p) - sum over children of N_c G(p_c)``. N is the estimated, signed size of a node, p
its predicted class probabilities, and G(p) = 1 - sum of p^2. Without disguise and shrinkage, the importance of a
question is scikit-learn's mean decrease in impurity (Breiman et al. 1984), not scaled to sum to 1. Importances are not
scaled to sum to 1, because under a disguise their sum may be near 0. Each importance is divided by the size of the
root, so that the sum over all questions is at most the impurity at the root.

The importances are computed on the training data. Importances include gains by chance, which are larger for questions
with many values (Strobl et al. 2007). Importances from held-out responses (`miner.evaluation.importances`) do not
include gains by chance.
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
    """Split criterion, which scores splits and predicts the class probabilities of nodes."""

    def scores(
        self, counts: Floats, squares: Floats, totals: Floats, responses: int, searched: Floats = ONCE
    ) -> Floats:
        """Return the score of each split at each node. Nodes without a score above 0 are not split.

        Args:
            counts: Estimated counts, shape (nodes, splits, children, classes).
            squares: Sums of squared weights, shape (nodes, splits, children, classes).
            totals: Estimated counts of the nodes, shape (nodes, classes).
            responses: Number of responses in the whole tree.
            searched: Factor by which choosing the best of several splits raises the gain expected from noise, at least
                1, shape (nodes, splits).

        Returns:
            Scores, shape (nodes, splits).
        """

    def probabilities(self, totals: Floats, parents: Floats) -> Floats:
        """Return the class probabilities of nodes, given the class probabilities of their parents.

        The counts and the parents' probabilities have shape (nodes, classes).
        """


def entropy(shares: Floats) -> Floats:
    """Return the entropy in bits of shares that sum to 1 along the last axis of the array."""
    logs = np.log2(np.where(shares > 0, shares, 1.0))
    bits: Floats = -(shares * logs).sum(axis=-1)
    return bits


def normalised(amounts: Floats) -> Floats:
    """Return non-negative numbers divided by their sum along the last axis, or 0 if all of them are 0."""
    total = amounts.sum(axis=-1, keepdims=True)
    shares: Floats = np.divide(amounts, total, out=np.zeros_like(amounts), where=total > 0)
    return shares


@dataclass(frozen=True)
class Faithful:
    """Criterion of Du & Zhan's MRR ID3 (2003, section 4): Quinlan's information gain on estimated probabilities.

    Each estimated share, of a node or of a class, is clipped to [0, 1]. A node whose estimated share is not above 0
    counts as empty and predicts what its parent predicts.
    """

    def scores(
        self, counts: Floats, squares: Floats, totals: Floats, responses: int, searched: Floats = ONCE
    ) -> Floats:
        """Return the information gain of each split, in bits."""
        del squares, searched
        cells = np.clip(counts / responses, 0.0, 1.0)
        before = entropy(normalised(np.clip(totals / responses, 0.0, 1.0)))
        weights = normalised(np.clip(counts.sum(axis=-1) / responses, 0.0, 1.0))
        gain: Floats = before[:, None] - (weights * entropy(normalised(cells))).sum(axis=-1)
        return gain

    def probabilities(self, totals: Floats, parents: Floats) -> Floats:
        """Return the class shares of the clipped counts. Empty nodes get the class shares of their parents."""
        return np.where(totals.sum(axis=-1, keepdims=True) > 0, normalised(np.maximum(totals, 0.0)), parents)


@dataclass(frozen=True)
class Robust:
    """Criterion that subtracts the expected gain from noise from the Gini gain.

    Predictions are shrunk towards the prediction of the parent node.

    For two children and two classes the score is ``2 T1 T0 / T (D^2 - kappa V)``, with the estimated sizes T1 and T0 of
    the children and their sum T. D is the difference of a class's share between the two children, and V is the variance
    of D, estimated from squared weights. With kappa = 1 the score is an unbiased estimate of the gain. With kappa = 4
    the score is positive only if D is larger than two standard errors.

    Attributes:
        kappa: Factor of the noise that is subtracted from the gain.
        least_size: Smallest effective size ``T^2 / sum of squared weights`` of a child. Children with a smaller
            effective size are ignored.
        shrinkage: Weight of the parent's prediction, as a number of responses.
    """

    kappa: float = 4.0
    least_size: float = 3.0
    shrinkage: float = 2.0

    def scores(
        self, counts: Floats, squares: Floats, totals: Floats, responses: int, searched: Floats = ONCE
    ) -> Floats:
        """Return the Gini gain of each split as a number of responses, after its expected noise is subtracted.

        A split with fewer than two large enough children has the score -inf.
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
        """Return the class shares of the clipped counts, shrunk towards those of the parent."""
        return normalised(np.maximum(totals, 0.0) + self.shrinkage * parents)


def impurities(counts: Floats, probabilities: Floats) -> Floats:
    """Return the size of each node times its Gini impurity, shape (nodes,).

    An estimated size may be negative.

    The counts and the probabilities have shape (nodes, classes).
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
        begin: Index of the first node of each tree, shape (trees + 1,).
        question: Index of the question that each node splits on, or -1 for a leaf, shape (nodes,).
        child: First child of each node, counted from the root of the tree, shape (nodes,). Each second child is the
            next node after the first child.
        nodes: Size of each node, and its size times impurity, shape (nodes, 2).
        questions: Number of questions of the survey.

    Returns:
        Decreases of impurity, shape (trees, questions of the survey).
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
