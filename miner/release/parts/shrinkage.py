"""Post-process noisy leaf counts: sum them up the tree, and shrink predictions towards the parent's prediction.

The noisy count of a node is the sum of the counts of the leaves below it. The noisy counts of children therefore add up
to the count of their parent. The shrinkage of a node's prediction depends on how much of its count may be noise, which
is public.
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
    """Return the tree with noisy counts at all nodes, and predictions shrunk towards the parents' predictions.

    The counts of a node of size T, with noise of variance V, have the weight of T^2 / (T + 2 V) records in its
    prediction. The prediction of a node's parent has the weight of 2 records.

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
    """Return the variance of discrete Laplace noise of sensitivity 1: 2 a / (1 - a)^2, where a = e^-epsilon."""
    decay = np.exp(-epsilon)
    return float(2 * decay / (1 - decay) ** 2)
