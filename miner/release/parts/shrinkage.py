"""Sum noisy leaf counts up the tree, and shrink each prediction towards the prediction of the parent node.

The noisy count of a node is the sum of the noisy counts of the leaves below it. A prediction is shrunk more if a larger
part of the node's count may be noise.
"""

from dataclasses import replace

import numpy as np

from miner.arrays import Floats
from miner.release.noise import Counts
from miner.trees.criteria import normalised
from miner.trees.tree import Tree

LEANING = 2.0  # weight of the parent's prediction, in records
NOISE = 2.0  # number of noise variances that weigh as much as the squared count


def shrunk(tree: Tree, noisy: Counts, variance: Floats) -> Tree:
    """Return a tree with noisy counts at all nodes, and predictions shrunk towards those of the parent nodes.

    If the noisy size of a node is T, with noise of variance V, the node's counts have the weight of T^2 / (T + 2 V)
    records in its prediction. In a shrunken prediction, the prediction of the parent node has the weight of 2 records.

    Args:
        tree: Structure of the tree.
        noisy: Noisy counts at the leaves, 0 at other nodes, shape (nodes, classes).
        variance: Variance of the noise in each count of a leaf, 0 at other nodes, shape (nodes,).
    """
    children = [list(dict.fromkeys(each)) for each in tree.children()]
    counts, spread = noisy.astype(np.float64), variance.copy()
    for node in range(len(tree) - 1, -1, -1):
        if children[node]:
            counts[node], spread[node] = counts[children[node]].sum(axis=0), spread[children[node]].sum()
    positive = np.maximum(counts, 0.0)
    size = positive.sum(axis=1)
    weight = np.divide(size, size + NOISE * spread, out=np.zeros_like(size), where=size > 0)
    evidence = positive * weight[:, None]
    probabilities = np.full_like(counts, 1 / counts.shape[1])
    probabilities[0] = normalised(evidence[0] + LEANING * probabilities[0])
    for node, below in enumerate(children):
        if below:
            probabilities[below] = normalised(evidence[below] + LEANING * probabilities[node])
    return replace(tree, counts=counts, probabilities=probabilities)


def laplace_variance(epsilon: float) -> float:
    """Return the variance of discrete Laplace noise of sensitivity 1."""
    decay = np.exp(-epsilon)
    return float(2 * decay / (1 - decay) ** 2)
