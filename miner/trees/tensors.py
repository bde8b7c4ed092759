"""Counts at the nodes of a tree from many responses: a node holds a tensor of sums, not the copies of each response.

Under a disguise nearly every response counts at every node, so that copies multiply with depth. But below a node only
the questions matter that are still open there, and responses that agree in these can be added up: a split leaves a
tensor that is smaller by as many times as there are more nodes, and a level takes as long as the one before.

Near the root a tensor would have more cells than there are responses. There the sums of some axes at a time are counted
from the responses, each times what the path makes of it (`miner.trees.packed_rows`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Self

import numpy as np
from numpy.typing import NDArray

from collector.survey.survey import Survey
from miner.arrays import Flags, Floats
from miner.responses.tally import Counts, Packing, Tally, Words
from miner.trees.axes import Axes, State
from miner.trees.counts import Cells
from miner.trees.packed_rows import PackedRows, bundles
from miner.trees.tensor_loops import halve, turn
from miner.trees.tree import LEAF, Tree
from miner.weights.layout import Disguise, check_countable

LARGEST = 2**26  # cells of a tensor, which take 1 GiB
ROOM = 4  # cells of a tensor, for each different response
BUNDLE = 2**15  # cells that are counted at once without a tensor: they fit a cache
TOGETHER = 2**16  # cells of nodes that are looked at together
FEW_COINS = 3  # whose copies are no more than a tensor
LARGEST_AXIS = 2**10  # symbols


class Node:
    """A node: what became of each axis on the path to it, and its sums.

    Args:
        rows: All responses.
        states: Of the axes.
        paths: Of each axis that the path asks, what its symbols at the root became.
        above: A node that holds a tensor, the axis that it splits, and what its symbols become here; None if there is
            no such node.

    Attributes:
        rows: As given.
        states: As given.
        dims: How many symbols each axis has.
        columns: How many columns a tensor has (`PackedRows.classes`).
    """

    def __init__(
        self,
        rows: PackedRows,
        states: tuple[State, ...],
        paths: dict[int, Floats],
        above: "tuple[Node, int, Floats] | None",
    ) -> None:
        self.rows, self.states, self._paths, self._above = rows, states, paths, above
        self.columns: int = rows.classes.shape[1]
        self.dims = [len(rows.axes.symbols(state)) for state in states]
        self._old = [
            1 if size == 1 else len(rows.axes.symbols(each)) for size, each in zip(self.dims, rows.root, strict=True)
        ]

    @property
    def size(self) -> int:
        """How many cells its tensor has, or would have."""
        return prod(self.dims) * self.columns

    @cached_property
    def has_tensor(self) -> bool:
        """Whether it holds a tensor."""
        cells = prod(self._old)
        return self._above is not None or (cells * self.columns <= min(LARGEST, self.rows.room * len(self.rows)))

    @cached_property
    def tensor(self) -> Floats:
        """Its sums, shape (symbols of all axes together, columns, 2)."""
        if self._above is None:
            return self.rows.tensor(dict(enumerate(self._old)), self._paths)
        node, axis, steps = self._above
        old = node.tensor.reshape(prod(node.dims[:axis]), node.dims[axis], -1, 2)
        cells = np.zeros((len(old), len(steps), *old.shape[2:]))
        turn(old, steps, cells)
        return cells.reshape(-1, self.columns, 2)

    def sums(self, axes: Sequence[int]) -> dict[int, Floats]:
        """For some axes shape (symbols, classes, 2): the sums of weights, and of their squares."""
        if self.has_tensor:
            found = dict(enumerate(_marginals(self.tensor, self.dims)))
        else:
            found = {}
            for some in bundles(axes, dict(enumerate(self._old)), self.columns, BUNDLE):
                cells = self.rows.tensor({axis: self._old[axis] for axis in some}, self._paths)
                found |= zip(some, _marginals(cells, [self.dims[axis] for axis in some]), strict=True)
        return {axis: np.einsum("sjk,cjk->sck", found[axis], self.rows.classes) for axis in axes}

    def child(self, axis: int, question: int, values: tuple[int, ...]) -> "Node":
        """The child to which some values of a question lead."""
        state, steps = self.rows.axes.below(self.states[axis], question, values)
        states = (*self.states[:axis], state, *self.states[axis + 1 :])
        if self.has_tensor:
            return Node(self.rows, states, {}, (self, axis, steps))
        whole = steps
        if axis in self._paths:
            whole = np.einsum("nmk,mok->nok", steps, self._paths[axis])
        return Node(self.rows, states, {**self._paths, axis: whole}, None)


def _marginals(cells: Floats, dims: Sequence[int]) -> list[Floats]:
    """For each axis the sums over all others: shape (symbols, columns, 2)."""
    if len(dims) == 1:
        return [cells]
    half = min(range(1, len(dims)), key=lambda each: max(prod(dims[:each]), prod(dims[each:])))
    numbers = cells.shape[1] * 2
    first, second = (np.zeros((prod(some), numbers)) for some in (dims[:half], dims[half:]))
    halve(cells.reshape(len(first), len(second), numbers), first, second)
    parts = (first, dims[:half]), (second, dims[half:])
    return [each for some, own in parts for each in _marginals(some.reshape(-1, *cells.shape[1:]), own)]


@dataclass(frozen=True, eq=False)
class Tensors:
    """What `miner.trees.grow.grow` asks of a `miner.trees.counts.Level`, from tensors.

    Attributes:
        rows: All responses.
        nodes: Of the level.
        responses: How many responses there are.
    """

    rows: PackedRows
    nodes: tuple[Node, ...]
    responses: int

    @classmethod
    def at_root(cls, survey: Survey, disguise: Disguise, tally: Tally) -> Self:
        """Of responses that a tally of all columns has counted.

        Raises:
            QueryError: If single responses cannot be counted (`miner.weights.layout.uncountable`).
        """
        check_countable(survey, survey.questions[disguise.target].name)
        return cls.of(Axes(survey, disguise), tally.packing, tally.words, tally.occurrences, ROOM)

    @classmethod
    def of(cls, axes: Axes, packing: Packing, words: Words, counts: Counts, room: float) -> Self:
        """Of packed responses, with how often each occurs; tensors have so many cells for each of them at most."""
        rows = PackedRows(axes, packing, words, counts, room)
        return cls(rows, (Node(rows, rows.root, {}, None),), int(counts.sum()))

    @property
    def disguise(self) -> Disguise:
        """The survey."""
        return self.rows.axes.disguise

    def totals(self, nodes: int) -> Floats:
        """Estimated class counts of the root, shape (1, classes); signed."""
        del nodes
        found: Floats = np.einsum("sjk,cjk->ck", self.rows.tensor({}, {}), self.rows.classes)[None, :, 0]
        return found

    def cells(self, nodes: int, questions: Sequence[int]) -> Cells:
        """Sums by node, question, value and class."""
        kinds, classes = max(self.disguise.kinds[each] for each in self.disguise.features), self.disguise.classes
        shape = (nodes, len(questions), kinds, classes)
        found = Cells(np.zeros(shape), np.zeros(shape), np.zeros((*shape[:2], classes)), np.zeros(shape[:3], np.bool_))
        axis_of = self.rows.axes.axis_of
        wanted = sorted({axis_of[question] for question in questions})
        for place, node in enumerate(self.nodes):
            every = node.sums(wanted)
            for column, question in enumerate(questions):
                state, sums = node.states[axis_of[question]], every[axis_of[question]]
                view, values = self.rows.axes.view(state, question), self.disguise.kinds[question]
                found.counts[place, column, :values] = view.counts @ sums[:, :, 0]
                found.squares[place, column, :values] = view.squares @ sums[:, :, 1]
                found.spread[place, column] = view.spread @ sums[:, :, 1]
        return found._replace(admitted=self.admitted[:, list(questions), :kinds])

    @property
    def admitted(self) -> Flags:
        """Shape (nodes, questions, values): which values are possible there."""
        axes = self.rows.axes
        found = np.zeros((len(self.nodes), len(self.disguise.kinds), max(self.disguise.kinds)), np.bool_)
        for place, node in enumerate(self.nodes):
            for question, axis in axes.axis_of.items():
                found[place, question, list(axes.admitted(node.states[axis], question))] = True
        return found

    def descended(self, question: NDArray[np.int32], child: NDArray[np.int32]) -> Self:
        """The next level."""
        below: list[Node] = []
        for node, asked, leads in zip(self.nodes, question.tolist(), child, strict=True):
            if asked == LEAF:
                continue
            axis, places = self.rows.axes.axis_of[asked], leads[: self.disguise.kinds[asked]]
            sides = [np.flatnonzero(places == each).tolist() for each in range(len(below), int(places.max()) + 1)]
            below += [node.child(axis, asked, tuple(side)) for side in sides]
        return replace(self, nodes=tuple(below))

    def at_leaves(self, tree: Tree) -> tuple[Floats, Floats]:
        """Class counts at the leaves of a tree, and their sums of squares, as `miner.trees.counts.Level.at_leaves`."""
        sums = np.zeros((len(tree), self.disguise.classes, 2))
        _Descent(self.rows, tree, sums).follow(0, self.rows.root, {}, None)
        return sums[:, :, 0], sums[:, :, 1]

    def between(self, first: int, last: int) -> Self:
        """Nodes `first` to `last` - 1, renumbered from 0."""
        return replace(self, nodes=self.nodes[first:last])

    def portions(self) -> Iterator[tuple[int, int]]:
        """Nodes that are looked at together: the first, and the one after the last."""
        first = 0
        for last in range(1, len(self.nodes) + 1):
            if last == len(self.nodes) or sum(each.size for each in self.nodes[first : last + 1]) > TOGETHER:
                yield first, last
                first = last


class _Descent:
    """Down a tree whose splits are given: below a node only the axes matter that are asked there.

    Args:
        rows: All responses.
        tree: Its splits.
        sums: Shape (nodes, classes, 2): is filled at the leaves.
    """

    def __init__(self, rows: PackedRows, tree: Tree, sums: Floats) -> None:
        self._rows, self._sums = rows, sums
        self._asked, self._children = tree.question.tolist(), list(tree.children())
        self._axes: list[list[int]] = [[]] * len(tree)  # that are asked at a node or below it
        for node in reversed(range(len(tree))):
            if self._children[node]:
                some = {each for child in self._children[node] for each in self._axes[child]}
                self._axes[node] = sorted(some | {rows.axes.axis_of[self._asked[node]]})

    def follow(self, node: int, states: tuple[State, ...], paths: dict[int, Floats], cells: Floats | None) -> None:
        """Fill in the leaves below a node.

        Args:
            node: Of the tree.
            states: Of all axes.
            paths: What the symbols of axes became, if there are no cells.
            cells: Shape (symbols of all axes that are asked from here on, columns, 2); None if they would be too many.
        """
        rows, axes = self._rows, self._rows.axes
        if cells is None and self._axes[node]:
            dims = {axis: len(axes.symbols(rows.root[axis])) for axis in self._axes[node]}
            if prod(dims.values()) * rows.classes.shape[1] <= max(BUNDLE, min(LARGEST, rows.room * len(rows))):
                cells = rows.tensor(dims, paths)
        if not self._children[node]:
            self._sums[node] = np.einsum(
                "jk,cjk->ck", rows.tensor({}, paths)[0] if cells is None else cells[0], rows.classes
            )
            return
        axis, leads = axes.axis_of[self._asked[node]], self._children[node]
        for child in dict.fromkeys(leads):
            values = tuple(value for value, each in enumerate(leads) if each == child)
            state, steps = axes.below(states[axis], self._asked[node], values)
            below = (*states[:axis], state, *states[axis + 1 :])
            if cells is None:
                whole = np.einsum("nmk,mok->nok", steps, paths[axis]) if axis in paths else steps
                self.follow(child, below, {**paths, axis: whole}, None)
            else:
                dims = {each: len(axes.symbols(states[each])) for each in self._axes[node]}
                self.follow(child, below, {}, _taken(cells, dims, axis, steps, self._axes[child]))


def _taken(cells: Floats, dims: dict[int, int], axis: int, steps: Floats, kept: Sequence[int]) -> Floats:
    """Cells of some axes, of so many symbols, after a step on one of them, summed over those that are not kept."""
    before, columns = 1, cells.shape[1]
    for each, size in dims.items():
        turns = steps if each == axis else np.ones((1, size, 2))
        if each not in kept:
            turns = turns.sum(axis=0, keepdims=True)
        elif each != axis:
            before *= size
            continue
        old = cells.reshape(before, size, -1, 2)
        cells = np.zeros((before, len(turns), *old.shape[2:]))
        turn(old, turns, cells)
        before *= len(turns)
    return cells.reshape(-1, columns, 2)


def suits(survey: Survey, disguise: Disguise) -> bool:
    """Whether tensors are smaller than copies: where there are many coins, and none has a large group."""
    axes = Axes(survey, disguise)
    coins = {home for home in disguise.home if home >= 0}
    return len(coins) > FEW_COINS and max(len(axes.symbols(state)) for state in axes.root) <= LARGEST_AXIS
