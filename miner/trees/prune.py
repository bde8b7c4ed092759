"""Prune trees, by held-out responses or to a small number of leaves.

Reduced-error pruning (Quinlan 1987) uses held-out disguised responses, as in Du & Zhan.

From the bottom up, subtrees are replaced by leaves unless they have a larger estimated accuracy. The gain in accuracy
by a subtree is estimated as the mean over held-out disguised responses of

    sum over leaves below of W(path and class = the leaf's label)  -  W(path and class = the node's label)

(`miner.weights.weights`). The estimated gain in accuracy is unbiased. A node keeps its subtree only if the estimated
gain in accuracy by the subtree is above 0. With a strong disguise and few held-out responses, the standard error of the
gain is large, and pruning is little better than random. Requiring a gain of one standard error removed useful splits in
trials with a strong disguise. A node at which all held-out responses have weight 0 becomes a leaf.

Pruning was measured on the data sets votes, breast cancer and Adult, with truth probabilities from .6 to .9, one and
three groups, and a quarter of the responses held out. Pruning helps mode `faithful`, which also splits on noise. Mode
`robust` stops before it splits on noise. In mode `robust`, holding out responses costs more accuracy than pruning gains
(docs/results/learners.md).

To reach few leaves, pruning cuts the weakest links (cost-complexity pruning, Breiman et al. 1984).

A link of a tree is a node that may become a leaf, or two leaves of one node that may be merged into one leaf. The
weakest link is the one whose removal raises the deviance of the counts least for each leaf saved.
"""

from itertools import combinations

import numpy as np

from miner.arrays import Floats, Positions
from miner.responses.responses import Responses
from miner.trees.paths import Path, Walk
from miner.trees.tree import LEAF, LEAST_SIZE, Tree

ROUNDING = 1e-12

TINY = 1e-6  # smallest probability in a deviance
FEWEST_MERGED = 3  # smallest number of children of which two are merged; with two, the node becomes a leaf


def pruned(tree: Tree, responses: Responses, target: str) -> Tree:
    """Return the tree after replacing subtrees by leaves that are estimated to be at least as accurate.

    Args:
        tree: Tree grown on other responses. Each node must have the prediction that it would make as a leaf.
        responses: Disguised responses, at least one.
        target: Name of the class question, which may be disguised or not.

    Raises:
        QueryError: If the target is not a question.
    """
    walk, children, label = Walk(responses), tree.children(), tree.label
    staying: set[int] = set()
    right: dict[int, tuple[Positions, Floats]] = {}
    waiting = [(0, Path.at_root(len(responses)), False)]
    sums = np.zeros(len(responses))
    while waiting:
        node, path, returned = waiting.pop()
        if children[node] and not returned:
            steps = walk.steps(path, int(tree.question[node]), children[node])
            waiting += [(node, path, True), *((kid, step, False) for kid, step in steps)]
            continue
        right[node] = alone = walk.ended(path, target, int(label[node]))
        if not children[node]:
            continue
        for rows, weights in (right.pop(kid) for kid in set(children[node]) if kid in right):
            sums[rows] += weights
        below = sums[path.rows]
        sums[alone[0]] -= alone[1]
        if sums[path.rows].sum() > ROUNDING * len(responses):
            right[node] = path.rows, below
            staying.add(node)
        sums[path.rows] = 0.0
    return tree.cut({node for node, kids in enumerate(children) if kids and node not in staying})


def readable(tree: Tree, leaves: int | None, size: float = 0.0) -> Tree:
    """Return the tree after cutting its weakest links, so that few large leaves are left.

    Args:
        tree: Tree in which each node has the prediction that it would make as a leaf.
        leaves: Largest number of leaves to keep, at least 1, or None for no limit.
        size: Smallest estimated count of a leaf.
    """
    cutting = _Cutting(tree, size)
    while cutting.cut(leaves):
        pass
    return cutting.tree()


class _Cutting:
    """State of a tree that is being pruned: the children of each node, and the cheapest cut at each node."""

    def __init__(self, tree: Tree, size: float) -> None:
        self.whole, self.size = tree, size
        self.children = tree.children()
        self.counts, self.probabilities = tree.counts.copy(), tree.probabilities.copy()
        self.parent = np.full(len(tree), LEAF)
        for node, kids in enumerate(self.children):
            self.parent[kids] = node
        self.below, self.number = np.zeros(len(tree)), np.ones(len(tree), np.int64)
        self.gain = np.full(len(tree), np.inf)
        self.merged: list[tuple[int, int] | None] = [None] * len(tree)
        for node in range(len(tree) - 1, -1, -1):
            self._renew(node)

    def cut(self, leaves: int | None) -> bool:
        """Make the cheapest cut of the tree, if a cut is needed. The returned flag says whether a cut was made."""
        node = int(self.gain.argmin())
        if self.gain[node] == np.inf or (self.gain[node] >= 0 and (leaves is None or self.number[0] <= leaves)):
            return False
        pair = self.merged[node]
        if pair is None:
            self.children[node] = []
            self.gain[node] = np.inf
        else:
            kept, gone = pair
            self.counts[kept], self.probabilities[kept] = self._together(kept, gone)
            self.children[node] = [kept if kid == gone else kid for kid in self.children[node]]
            self._renew(kept)
        self._forget(node)
        while node >= 0:
            self._renew(node)
            node = int(self.parent[node])
        return True

    def _forget(self, node: int) -> None:
        if not self.children[node]:
            waiting = [node]
            for each in waiting:
                waiting += np.flatnonzero(self.parent == each).tolist()
            self.gain[waiting] = np.inf

    def tree(self) -> Tree:
        """Return the tree as it is after all cuts made so far."""
        asked = [int(each) if kids else LEAF for each, kids in zip(self.whole.question, self.children, strict=True)]
        return Tree.of(asked, self.children, self.counts, self.probabilities).cut(())

    def _together(self, one: int, other: int) -> tuple[Floats, Floats]:
        counts = self.counts[[one, other]]
        return counts.sum(axis=0), np.average(
            self.probabilities[[one, other]], axis=0, weights=np.maximum(counts.sum(axis=1), LEAST_SIZE)
        )

    def _renew(self, node: int) -> None:
        """Compute the number and the deviance of the leaves below a node, and the cheapest cut at the node."""
        kids, alone = sorted(set(self.children[node])), _deviance(self.counts[node], self.probabilities[node])
        if not kids:
            self.below[node], self.number[node] = alone, 1
            return
        self.below[node], self.number[node] = self.below[kids].sum(), self.number[kids].sum()
        self.gain[node], self.merged[node] = (alone - self.below[node]) / (self.number[node] - 1), None
        ends = [kid for kid in kids if not self.children[kid]]
        light = [kid for kid in ends if self.size > 0 and self.counts[kid].sum() < self.size]
        pairs = [pair for pair in combinations(ends, 2) if not light or set(pair) & set(light)]
        self.gain[node] = max(self.gain[node], 0.0)
        if len(kids) >= FEWEST_MERGED and pairs:
            losses = [_deviance(*self._together(*pair)) - float(self.below[list(pair)].sum()) for pair in pairs]
            best = int(np.argmin(losses))
            if light or losses[best] < self.gain[node]:
                self.gain[node], self.merged[node] = max(losses[best], 0.0), pairs[best]
        if light:
            self.gain[node] = -1.0


def _deviance(counts: Floats, probabilities: Floats) -> float:
    return float(-np.maximum(counts, 0.0) @ np.log(np.maximum(probabilities, TINY)))
