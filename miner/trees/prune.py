"""Reduced-error pruning (Quinlan 1987) on disguised responses held out from growing, as in Du & Zhan.

From the leaves up, a node becomes a leaf unless the estimated accuracy of its subtree is larger than that of the node
as a leaf. The difference is estimated from held-out responses, which are disguised too, as their mean of

    sum over leaves below of W(path and class = the leaf's label)  -  W(path and class = the node's label)

(`miner.weights.weights`). The estimate is unbiased; its sign decides, and at 0 the smaller tree is taken. With a strong
disguise and few held-out responses the standard error is large, and the decision is little better than random. A
threshold of one standard error instead of 0 does not help: in trials with a strong disguise it removed useful splits. A
node at which all held-out responses have weight 0 becomes a leaf.

Measured on votes, breast cancer and Adult, theta .6 to .9, one and three groups, a quarter held out (docs/learners.md):
pruning helps mode `faithful`, which also splits on noise. Mode `robust` stops before, and there the held-out responses
cost more accuracy than pruning gains.
"""

import numpy as np

from miner.arrays import Floats, Rows
from miner.responses.responses import Responses
from miner.trees.paths import Path, Walk
from miner.trees.tree import Tree

ROUNDING = 1e-12


def pruned(tree: Tree, responses: Responses, target: str) -> Tree:
    """The tree without the subtrees whose estimated accuracy is not larger than that of a leaf in their place.

    Args:
        tree: Grown on other responses; each node has the prediction it would make as a leaf.
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
