"""Compute counts at the leaves of a tree with given splits, from many responses (`miner.trees.tensors`)."""

from collections.abc import Sequence
from math import prod

import numpy as np

from miner.arrays import Floats
from miner.trees.axes import State, Steps
from miner.trees.packed_rows import LARGEST, PackedRows, Selection, turned
from miner.trees.tree import Tree

SMALL = 2**15  # number of cells up to which a tensor is made for any number of responses


class Descent:
    """Sum of responses at the leaves of a finished tree, computed from the root down.

    The sums below a node keep only the groups of questions that its subtree asks.

    Args:
        rows: All responses.
        tree: Tree with its splits.
        sums: Array that receives the sums at the leaves, shape (nodes, classes, 2).
    """

    def __init__(self, rows: PackedRows, tree: Tree, sums: Floats) -> None:
        self._rows, self._sums = rows, sums
        self._asked, self._children = tree.question.tolist(), list(tree.children())
        self._axes: list[list[int]] = [[]] * len(tree)  # that are asked at a node or below it
        for node in reversed(range(len(tree))):
            if self._children[node]:
                some = {each for child in self._children[node] for each in self._axes[child]}
                self._axes[node] = sorted(some | {rows.axes.axis_of[self._asked[node]]})

    def follow(self, node: int, states: tuple[State, ...], some: Selection, cells: Floats | None) -> None:
        """Compute the sums at the leaves below a node.

        Args:
            node: Node of the tree.
            states: States of all axes (groups of questions) at the node.
            some: Responses that count at the node, if `cells` is None.
            cells: Tensor of sums for the axes that the node or its subtree asks, shape (symbols of all these axes,
                columns, 2). The tensor is None if it would have too many cells.
        """
        rows, axes = self._rows, self._rows.axes
        if cells is None and self._axes[node]:
            dims = {axis: axes.size(rows.root[axis]) for axis in self._axes[node]}
            if prod(dims.values()) * rows.classes.shape[1] <= max(SMALL, min(LARGEST, rows.room * some.count)):
                cells = rows.tensor(dims, states, some)
        if not self._children[node]:
            leaf = rows.tensor({}, states, some) if cells is None else cells
            self._sums[node] = np.einsum("jk,cjk->ck", leaf[0], rows.classes)
            return
        axis, leads = axes.axis_of[self._asked[node]], self._children[node]
        for child in dict.fromkeys(leads):
            values = tuple(value for value, each in enumerate(leads) if each == child)
            state = axes.below(states[axis], self._asked[node], values)
            below = (*states[:axis], state, *states[axis + 1 :])
            if cells is None:
                self.follow(child, below, rows.staying(some, state), None)
            else:
                dims = {each: axes.size(states[each]) for each in self._axes[node]}
                steps = axes.steps(states[axis], state)
                self.follow(child, below, some, _taken(cells, dims, axis, steps, self._axes[child]))


def _taken(cells: Floats, dims: dict[int, int], axis: int, steps: Steps, kept: Sequence[int]) -> Floats:
    """Map one axis of a tensor to new combinations of answers (symbols), and sum over the axes that are not kept."""
    before, columns = 1, cells.shape[1]
    for each, size in dims.items():
        turns = steps if each == axis else Steps.none(size)
        if each not in kept:
            turns = turns.summed
        elif each != axis:
            before *= size
            continue
        cells = turned(cells.reshape(before, size, -1, 2), turns)
        before *= turns.size
    return cells.reshape(-1, columns, 2)
