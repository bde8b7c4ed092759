"""Trees cut to few leaves: the weakest links first, counts kept, and leaves of enough people."""

from __future__ import annotations

import numpy as np
import pytest

from miner.trees.prune import readable
from miner.trees.tree import LEAF, Tree


def grown() -> Tree:
    """A root of three values; two leaves alike, and a split below the third that tells little."""
    counts = np.array([[50, 50], [40, 10], [8, 2], [2, 38], [1, 18], [1, 20]], np.float64)
    shares = (counts + 1) / (counts.sum(axis=1, keepdims=True) + 2)
    return Tree.of([0, LEAF, LEAF, 1, LEAF, LEAF], [[1, 2, 3], [], [], [4, 5], [], []], counts, shares)


def test_without_a_limit_nothing_is_cut() -> None:
    assert readable(grown(), None).to_json() == grown().to_json()
    assert readable(grown(), 4).to_json() == grown().to_json()


def test_the_weakest_links_go_first_and_values_that_are_alike_share_a_leaf() -> None:
    three = readable(grown(), 3)
    assert len(three.leaves()) == 3
    assert sorted(three.leaves()[0].event[0]) == [0, 1]
    two = readable(grown(), 2)
    assert [sorted(leaf.event[0]) for leaf in two.leaves()] == [[0, 1], [2]]
    assert two.counts[two.leaves()[0].node].tolist() == [48, 12]
    assert readable(grown(), 1).leaves()[0].event == {}


@pytest.mark.parametrize("leaves", [1, 2, 3, 4])
def test_leaves_add_up_to_the_root(leaves: int) -> None:
    tree = readable(grown(), leaves)
    assert sum(tree.counts[leaf.node] for leaf in tree.leaves()).tolist() == [50, 50]  # type: ignore[union-attr]
    np.testing.assert_allclose(tree.probabilities.sum(axis=1), 1)


def test_no_leaf_is_smaller_than_asked_for() -> None:
    for size in (5.0, 15.0, 30.0, 60.0, 200.0):
        tree = readable(grown(), None, size)
        assert all(tree.counts[leaf.node].sum() >= size for leaf in tree.leaves()) or len(tree) == 1


def test_a_large_tree_is_cut_to_any_number_of_leaves() -> None:
    rng = np.random.default_rng(1)
    kinds, question, children, waiting = 4, [], [], [0]
    while waiting:
        node = waiting.pop(0)
        inner = node < 40
        kids = list(range(1 + node * kinds, 1 + node * kinds + kinds)) if inner else []
        question.append(int(rng.integers(5)) if inner else LEAF)
        children.append(kids)
        waiting += kids
    counts = rng.gamma(1.0, 10.0, size=(len(question), 3))
    for node in range(39, -1, -1):
        counts[node] = counts[children[node]].sum(axis=0)
    tree = Tree.of(question, children, counts, counts / counts.sum(axis=1, keepdims=True))
    rows = rng.integers(0, kinds, size=(200, 5)).astype(np.int16)
    for leaves in (60, 30, 7, 2):
        found = readable(tree, leaves)
        assert len(found.leaves()) <= leaves
        assert np.isfinite(found.predict_proba(rows)).all()
