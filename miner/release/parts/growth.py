"""Grow a tree from a trusted table greedily, breadth first.

A split has a child for each declared value, whether or not the value occurs in the data. A node becomes a leaf only by
public facts or by a noisy choice. The nodes of one level have disjoint records, so a level costs as much as one of its
nodes (parallel composition, McSherry 2009).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from miner.release.noise import Counts
from miner.release.table import TrustedTable
from miner.trees.counts import Level
from miner.trees.tree import LEAF, Tree
from miner.weights.layout import Disguise

MOST_CELLS = 4_000_000  # largest number of cells of a count array; a wider level is counted in parts
MOST_NODES = 20_000  # approximate largest number of nodes of a tree


@dataclass(frozen=True, eq=False)
class GrowingNode:
    """Node of a growing tree. All attributes of the node are public.

    Attributes:
        depth: Number of splits above the node.
        admitted: Whether a record at the node can have a value, shape (questions, largest number of values).
        open: Indices of the questions with more than one possible value at the node.
    """

    depth: int
    admitted: NDArray[np.bool_]
    open: tuple[int, ...]

    @classmethod
    def root(cls, disguise: Disguise) -> Self:
        """Return the root of a tree."""
        return cls(0, disguise.possible, tuple(disguise.features))

    def below(self, split: "Split") -> list[Self]:
        """Return the child nodes of a split."""
        nodes = []
        for number in range(max(split.child) + 1):
            lets = np.zeros(self.admitted.shape[1], np.bool_)
            lets[: len(split.child)] = np.array(split.child) == number
            admitted = self.admitted.copy()
            admitted[split.question] &= lets
            still = admitted[split.question].sum() > 1
            left = self.open if still else tuple(each for each in self.open if each != split.question)
            nodes.append(type(self)(self.depth + 1, admitted, left))
        return nodes


@dataclass(frozen=True)
class Split:
    """Split of a node: the question, and the child for each value.

    Attributes:
        question: Index of the question.
        child: Position among the children, from 0, of the child for each value of the question.
    """

    question: int
    child: tuple[int, ...]


Choice = Callable[[GrowingNode, Counts, Counts], Split | None]
"""How a node splits, None for a leaf; given its class counts, and counts of shape (questions of the survey, values,
classes). It spends what its caller reckons with. It is asked once for every node in order, also those without a row."""


def multiway(question: int, kinds: Sequence[int]) -> Split:
    """Return the split with a child for every value of a question."""
    return Split(question, tuple(range(kinds[question])))


def grow_privately(level: Level, choose: Choice, most_nodes: int = MOST_NODES) -> Tree:
    """Grow the structure of a tree without counts.

    Args:
        level: Rows of the table at the root of the tree.
        choose: Function that chooses the split of a node.
        most_nodes: Number of nodes above which the tree stops growing.
    """
    asked: list[int] = []
    children: list[list[int]] = []
    frontier = [GrowingNode.root(level.disguise)]
    while frontier:
        first, after = len(asked), len(asked) + len(frontier)
        splits = _chosen(level, frontier, choose)
        if after > most_nodes:
            splits = [None] * len(frontier)
        question = np.full(len(frontier), LEAF, np.int32)
        child = np.full((len(frontier), max(level.disguise.kinds)), LEAF, np.int32)
        below: list[GrowingNode] = []
        for place, (node, split) in enumerate(zip(frontier, splits, strict=True)):
            asked.append(LEAF if split is None else split.question)
            children.append([] if split is None else [after + len(below) + each for each in split.child])
            if split is not None:
                question[place] = split.question
                child[place, : len(split.child)] = np.array(children[first + place]) - after
                below += node.below(split)
        level, frontier = level.descended(question, child), below
    nothing = np.zeros((len(asked), level.disguise.classes))
    return Tree.of(asked, children, nothing, np.full_like(nothing, 1 / level.disguise.classes))


def _chosen(level: Level, frontier: list[GrowingNode], choose: Choice) -> list[Split | None]:
    """Choose the split of each node on the lowest level of a growing tree."""
    disguise = level.disguise
    part = max(1, MOST_CELLS // (len(disguise.kinds) * max(disguise.kinds) * disguise.classes))
    chosen: list[Split | None] = []
    for start in range(0, len(frontier), part):
        nodes = frontier[start : start + part]
        some = level if len(nodes) == len(frontier) else level.between(start, start + len(nodes))
        totals = np.rint(some.totals(len(nodes))).astype(np.int64)
        counts = np.zeros((len(nodes), len(disguise.kinds), max(disguise.kinds), disguise.classes), np.int64)
        cells = some.counts(len(nodes), disguise.features)
        counts[:, disguise.features, : cells.shape[2]] = np.rint(cells)
        chosen += [choose(*each) for each in zip(nodes, totals, counts, strict=True)]
    return chosen


def leaf_counts(table: TrustedTable, tree: Tree) -> Counts:
    """Return exact class counts at the leaves and 0 at inner nodes, shape (nodes, classes)."""
    classes = len(table.survey.question(table.target).values)
    place = tree.apply(table.values).astype(np.int64) * classes + table.labels
    return np.bincount(place, minlength=len(tree) * classes).reshape(len(tree), classes).astype(np.int64)


def leaves_of(tree: Tree) -> NDArray[np.intp]:
    """Return the indices of the leaves of a tree."""
    return np.flatnonzero(tree.question == LEAF)
