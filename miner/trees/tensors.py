"""Count many responses at the nodes of a tree: a node holds a tensor of sums, not the copies of each response.

Under a disguise nearly every response counts at every node, so the number of its copies multiplies with depth. Below a
node, only the questions whose answers are not yet certain matter. Responses that agree in all questions that matter
below a node are summed. A split divides the size of a tensor by the number of children, so that every level takes about
as long as the level above.

Near the root, a tensor would have more cells than there are responses. Near the root, a few groups of questions at a
time are counted directly from weighted responses (`miner.trees.packed_rows`).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from math import prod
from typing import Self

import numpy as np
from numpy.typing import NDArray

from collector.survey.survey import Survey
from miner.arrays import Flags, Floats
from miner.responses.responses import Data
from miner.trees.axes import Axes, State
from miner.trees.counts import Cells
from miner.trees.descent import Descent
from miner.trees.packed_rows import LARGEST, PackedRows, Selection, turned
from miner.trees.tensor_loops import halve
from miner.trees.tree import LEAF, Tree
from miner.weights.layout import Disguise, check_countable

ROOM = 4  # largest number of cells of a tensor, per distinct response
TOGETHER = 2**16  # largest number of cells of the nodes that are counted together
FEW_COINS = 3  # number of coins up to which the copies of responses take no more memory than a tensor
SMALL_AXIS, LARGEST_AXIS = 2**13, 2**18  # symbols


@dataclass(frozen=True, eq=False)
class Node:
    """Node of a tree, with the state of each axis (a group's questions) at the node and its sums.

    Attributes:
        all_rows: All responses with their weights.
        states: States of the axes (groups of questions) at the node.
        above: Parent node, and the axis of its split, or None at the root.
    """

    all_rows: PackedRows
    states: tuple[State, ...]
    above: "tuple[Node, int] | None"

    @cached_property
    def dims(self) -> list[int]:
        """Return the number of symbols of each axis (combinations of a group's values) at the node."""
        return [self.all_rows.axes.size(state) for state in self.states]

    @cached_property
    def _old(self) -> list[int]:
        """Return the length of each axis of the sums over responses, which is 1 if a group's answers are certain."""
        sizes = (self.all_rows.axes.size(each) for each in self.all_rows.root)
        return [1 if size == 1 else old for size, old in zip(self.dims, sizes, strict=True)]

    @property
    def columns(self) -> int:
        """Return the number of class columns of a tensor (`PackedRows.classes`)."""
        return len(self.all_rows.classes[0])

    @cached_property
    def admitted(self) -> Flags:
        """Return flags of the values that are possible at the node, shape (questions, values)."""
        axes, disguise = self.all_rows.axes, self.all_rows.axes.disguise
        if self.above is None:
            return disguise.possible
        node, axis = self.above
        found = node.admitted.copy()
        for question in axes.members[axis]:
            found[question] = False
            found[question, list(axes.admitted(self.states[axis], question))] = True
        return found

    @property
    def size(self) -> int:
        """Return the number of cells that the node's tensor has or would have."""
        return prod(self.dims) * self.columns

    @cached_property
    def rows(self) -> Selection:
        """Return the responses that count at the node. Responses with a weight of 0 may be included."""
        if self.above is None:
            return self.all_rows.rows
        node, axis = self.above
        return self.all_rows.staying(node.rows, self.states[axis])

    @cached_property
    def has_tensor(self) -> bool:
        """Return whether the sums of the node are in a tensor."""
        if self.above is not None and self.above[0].has_tensor:
            return True
        return self._may_have_tensor(self.all_rows.rows if self.above is None else self.above[0].rows) and (
            self._may_have_tensor(self.rows)
        )

    def _may_have_tensor(self, rows: Selection) -> bool:
        return prod(self._old) * self.columns <= min(LARGEST, self.all_rows.room * rows.count)

    def prepare(self) -> None:
        """Let workers begin to count the node's responses, if their number will be needed."""
        if self.above is not None and not self.above[0].has_tensor and self._may_have_tensor(self.above[0].rows):
            _ = self.rows

    @cached_property
    def tensor(self) -> Floats:
        """Return sums of weights and of squares by answers and class column, shape (combinations, columns, 2)."""
        if self.above is None or not self.above[0].has_tensor:
            return self.all_rows.tensor(dict(enumerate(self._old)), self.states, self.rows)
        node, axis = self.above
        steps = self.all_rows.axes.steps(node.states[axis], self.states[axis])
        old = node.tensor.reshape(prod(node.dims[:axis]), node.dims[axis], -1, 2)
        return turned(old, steps).reshape(-1, self.columns, 2)

    def child(self, axis: int, question: int, values: tuple[int, ...]) -> "Node":
        """Return the child to which the given values of a question lead."""
        state = self.all_rows.axes.below(self.states[axis], question, values)
        return Node(self.all_rows, (*self.states[:axis], state, *self.states[axis + 1 :]), (self, axis))


def sums_of(nodes: Sequence[Node], axes: Sequence[int]) -> Iterator[dict[int, Floats]]:
    """Yield the sums of each node by the answers of some groups (axes), shape (answers, classes, 2).

    Neighbouring nodes with a common parent are counted in one pass if they hold no tensor.
    """
    kin = groupby(nodes, lambda node: (node.has_tensor, id(node.above and node.above[0])))
    families = [list(family) for _, family in kin]
    passes = [None if some[0].has_tensor else _family_sums(some, axes) for some in families]
    for some, sums in zip(families, passes, strict=True):
        rows = some[0].all_rows
        if sums is None:
            for node in some:
                every = _marginals(node.tensor, node.dims)
                yield {axis: np.einsum("sjk,cjk->sck", every[axis], rows.classes) for axis in axes}
            continue
        for node, found in zip(some, sums(), strict=True):
            for asked, state in rows.asked(node.states):
                if asked in found:
                    found[asked] = turned(found[asked][None], rows.path(state))[0]
            yield found


def _family_sums(some: Sequence[Node], axes: Sequence[int]) -> Callable[[], list[dict[int, Floats]]]:
    """Start to sum the responses at neighbouring nodes with a common parent."""
    node, axis = some[0].above or (some[0], 0)
    return node.all_rows.sums(axes, node.states, node.rows, (axis, [each.states[axis] for each in some]))


def siblings(one: Node, other: Node) -> bool:
    """Return whether two nodes have the same parent."""
    return one.above is not None and other.above is not None and one.above[0] is other.above[0]


def _marginals(cells: Floats, dims: Sequence[int]) -> list[Floats]:
    """Return, for each group of questions (axis of a tensor), the sums over all other groups."""
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
    """Level of a growing tree whose counts are computed from tensors.

    Attributes:
        rows: All responses.
        nodes: Nodes of the level.
        responses: Number of responses.
    """

    rows: PackedRows
    nodes: tuple[Node, ...]
    responses: int

    @classmethod
    def at_root(cls, disguise: Disguise, responses: Data) -> Self:
        """Return the root node of a tree on disguised responses.

        Raises:
            QueryError: If single responses cannot be counted (`miner.weights.layout.uncountable`).
        """
        survey = responses.survey
        check_countable(survey, survey.questions[disguise.target].name)
        return cls.on(PackedRows(Axes(survey, disguise), responses, ROOM))

    @classmethod
    def on(cls, rows: PackedRows) -> Self:
        """Return the root node of a tree on packed responses."""
        return cls(rows, (Node(rows, rows.root, None),), rows.people)

    @property
    def disguise(self) -> Disguise:
        """Return the disguise of the survey."""
        return self.rows.axes.disguise

    def totals(self, nodes: int) -> Floats:
        """Return signed estimates of the class counts of the root, shape (1, classes)."""
        del nodes
        cells = self.rows.tensor({}, self.rows.root, self.rows.rows)
        found: Floats = np.einsum("sjk,cjk->ck", cells, self.rows.classes)[None, :, 0]
        return found

    def cells(self, nodes: int, questions: Sequence[int]) -> Cells:
        """Sum the responses by node, question, value and class."""
        kinds, classes = max(self.disguise.kinds[each] for each in self.disguise.features), self.disguise.classes
        shape = (nodes, len(questions), kinds, classes)
        found = Cells(np.zeros(shape), np.zeros(shape), np.zeros((*shape[:2], classes)), np.zeros(shape[:3], np.bool_))
        axis_of = self.rows.axes.axis_of
        wanted = sorted({axis_of[question] for question in questions})
        for place, (node, every) in enumerate(zip(self.nodes, sums_of(self.nodes, wanted), strict=True)):
            for column, question in enumerate(questions):
                state = node.states[axis_of[question]]
                sums = every[axis_of[question]]
                view, values = self.rows.axes.view(state, question), self.disguise.kinds[question]
                found.counts[place, column, :values] = view.counts @ sums[:, :, 0]
                found.squares[place, column, :values] = view.squares @ sums[:, :, 1]
                found.spread[place, column] = view.spread @ sums[:, :, 1]
        return found._replace(admitted=self.admitted[:, list(questions), :kinds])

    @property
    def admitted(self) -> Flags:
        """Return flags of the values that are possible at each node, shape (nodes, questions, values)."""
        return np.array([node.admitted for node in self.nodes])

    def descended(self, question: NDArray[np.int32], child: NDArray[np.int32]) -> Self:
        """Return the next level of the tree."""
        below: list[Node] = []
        for node, asked, leads in zip(self.nodes, question.tolist(), child, strict=True):
            if asked == LEAF:
                continue
            axis, places = self.rows.axes.axis_of[asked], leads[: self.disguise.kinds[asked]]
            sides = [np.flatnonzero(places == each).tolist() for each in range(len(below), int(places.max()) + 1)]
            below += [node.child(axis, asked, tuple(side)) for side in sides]
        for node in below:
            node.prepare()
        return replace(self, nodes=tuple(below))

    def at_leaves(self, tree: Tree) -> tuple[Floats, Floats]:
        """Return class counts and sums of squared weights at the leaves of a tree, shape (nodes, classes)."""
        sums = np.zeros((len(tree), self.disguise.classes, 2))
        Descent(self.rows, tree, sums).follow(0, self.rows.root, self.rows.rows, None)
        return sums[:, :, 0], sums[:, :, 1]

    def between(self, first: int, last: int) -> Self:
        """Return the level with only nodes `first` to `last` - 1, renumbered from 0."""
        return replace(self, nodes=self.nodes[first:last])

    def portions(self) -> Iterator[tuple[int, int]]:
        """Return ranges (first, one after last) of nodes that are counted together.

        A range may have many nodes without a tensor, because nodes without a tensor take hardly any memory.
        """
        first, cells = 0, 0
        for place, node in enumerate(self.nodes):
            cells += node.size if node.has_tensor else 0
            if place + 1 == len(self.nodes) or (
                cells > TOGETHER and (node.has_tensor or not siblings(node, self.nodes[place + 1]))
            ):
                yield first, place + 1
                first, cells = place + 1, 0


def tensors_are_faster(survey: Survey, disguise: Disguise) -> bool:
    """Return whether a tree takes less time with tensors than with copies of responses.

    If few coins disguise many questions, counting copies of responses is faster than counting with tensors.
    """
    axes = Axes(survey, disguise)
    return max(map(axes.size, axes.root), default=1) <= (LARGEST_AXIS if many_coins(disguise) else SMALL_AXIS)


def many_coins(disguise: Disguise) -> bool:
    """Return whether each response has so many copies that the copies of many responses do not fit into memory."""
    return len({home for home in disguise.home if home >= 0}) > FEW_COINS
