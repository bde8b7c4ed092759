"""Reduced-error pruning (Quinlan 1987) on disguised responses held out from growing, as in Du & Zhan.

From the leaves up, a node becomes a leaf unless the tree below it is estimated to be right more often than the node
alone would be. The difference is estimated from responses kept out, which are disguised too: the mean over them of

    sum over leaves below of W(path and class = the leaf's label)  -  W(path and class = the node's label)

(`miner.weights.weights`). The estimate is unbiased, so its sign is the best guess there is, and the smaller tree is
taken where there is nothing to choose. Its standard error says how often the guess is wrong: much disguise and few
responses kept out make it little better than a coin's. To ask for more than 0, a standard error, is no remedy: it was
tried, and under much disguise cuts what is worth keeping. A node that no response kept out weighs anything at becomes a
leaf.

Measured on votes, breast cancer and Adult, theta .6 to .9, one and three groups, a quarter kept out (docs/learners.md):
it helps the paper's rules, which split on noise. After rules that stop in time it costs more responses than it gains.
"""

from __future__ import annotations

import numpy as np

from miner.arrays import Floats, Rows
from miner.responses.responses import Responses
from miner.trees.paths import Path, Walk
from miner.trees.tree import Tree

ROUNDING = 1e-12


def pruned(tree: Tree, responses: Responses, target: str) -> Tree:
    """The tree without the subtrees that are not estimated to be right more often than one leaf.

    Args:
        tree: Grown on other responses; every node says what it would predict as a leaf.
        responses: Disguised, at least one.
        target: Name of the class question, disguised or not.

    Raises:
        QueryError: If the target is no question.
    """
    walk, children, label = Walk(responses), tree.children(), tree.label
    staying: set[int] = set()
    right: dict[int, tuple[Rows, Floats]] = {}
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
