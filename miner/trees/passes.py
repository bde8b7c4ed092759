"""Count the levels of a growing tree if the responses do not fit into memory: each count is a pass over all responses.

A pass over all responses moves each part of the responses from the root down the existing splits.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from miner.arrays import Floats
from miner.responses.blocks import Blocks, unchanged
from miner.responses.plain_rows import PlainRows
from miner.responses.responses import Codes, Data, Responses
from miner.responses.tally import PART, Tally
from miner.trees.counts import Cells, Level
from miner.trees.tensors import Tensors, tensors_are_faster
from miner.weights.layout import Disguise

Split = tuple[NDArray[np.int32], NDArray[np.int32]]
"""Of a level: question and child, as for `miner.trees.counts.Level.descended`."""
Sums = TypeVar("Sums", Floats, Cells)


@dataclass(frozen=True, eq=False)
class Passes:
    """Level of a growing tree whose counts are summed over parts of the responses.

    Attributes:
        blocks: Distinct responses of each block.
        responses: Number of all responses.
        at_root: Function that puts some responses at the root of a tree.
        disguise: Disguise of the survey.
        splits: Splits of the levels above this level.
        nodes: Range of the nodes that are counted (first, and one after the last), or None for all nodes of the level.
    """

    blocks: Blocks[Tally]
    responses: int
    at_root: Callable[[Codes], Level]
    disguise: Disguise
    splits: tuple[Split, ...] = ()
    nodes: tuple[int, int] | None = None

    def parts(self) -> Iterator[Level]:
        """Yield the root of the tree for one part of the responses after another."""
        for tally in self.blocks.results(unchanged):
            yield from map(self.at_root, tally.parts())

    def _sums(self, count: Callable[[Level], Sums]) -> Iterator[Sums]:
        return self.blocks.results(_pass, self.at_root, self.splits, self.nodes, count)

    def totals(self, nodes: int) -> Floats:
        """Return signed estimates of the class counts, shape (nodes, classes)."""
        found: Floats = reduce(_added, self._sums(partial(Level.totals, nodes=nodes)))
        return found

    def cells(self, nodes: int, questions: Sequence[int]) -> Cells:
        """Sum the responses' weights by node, question, value and class."""
        return reduce(_added, self._sums(partial(Level.cells, nodes=nodes, questions=questions)))

    def descended(self, question: NDArray[np.int32], child: NDArray[np.int32]) -> Self:
        """Return the next level of the tree."""
        return replace(self, splits=(*self.splits, (question, child)))

    def portions(self) -> Iterator[tuple[int, int]]:
        """Return ranges of nodes of a level that are counted together.

        The level has a single range, of all nodes.
        """
        yield 0, max((int(child.max()) + 1 for _, child in self.splits[-1:]), default=1)

    def between(self, first: int, last: int) -> Self:
        """Return a level of only the nodes `first` to `last` - 1, renumbered from 0."""
        return replace(self, nodes=(first, last))


def _pass(
    tally: Tally,
    at_root: Callable[[Codes], Level],
    splits: Sequence[Split],
    nodes: tuple[int, int] | None,
    count: Callable[[Level], Sums],
) -> Sums:
    """Return the counts at one level of a tree for the responses of a block."""

    def counted(codes: Codes) -> Sums:
        level = at_root(codes)
        for question, child in splits:
            level = level.descended(question, child)
        return count(level if nodes is None else level.between(*nodes))

    return reduce(_added, map(counted, tally.parts()))


def _added(one: Sums, two: Sums) -> Sums:
    """Add the counts of two parts of the responses."""
    if not isinstance(one, Cells):
        return one + two
    return Cells(one.counts + two.counts, one.squares + two.squares, one.spread + two.spread, one.admitted)


AnyLevel = Level | Passes | Tensors
"""The nodes of a level, and how they are counted."""


def by_tensors(data: Data, plain: PlainRows | None, disguise: Disguise) -> bool:
    """Return whether a tree takes less time with tensors over blocks of the responses than with their copies."""
    many = len(data) > PART or not isinstance(data, Responses)
    return plain is None and many and tensors_are_faster(data.survey, disguise)


def root_of(data: Data, plain: PlainRows | None, target: str) -> AnyLevel:
    """Return the root of a tree, counted in the way that takes least time or fits into memory.

    Args:
        data: Disguised responses, none if the tree grows on plain rows only.
        plain: Plain rows, or None.
        target: Name of the class question.

    Raises:
        QueryError: If single responses cannot be counted (`miner.weights.layout.uncountable`).
    """
    survey, disguise = data.survey, Disguise.of(data.survey, target)
    if plain is not None and not len(data):
        return Level.of_plain(survey, plain.values, target, plain.weights)
    if by_tensors(data, plain, disguise):
        return Tensors.at_root(disguise, data)
    if isinstance(data, Responses):
        return Level.at_root(survey, data.codes, target, plain)
    return Passes(data.in_blocks(), len(data), partial(Level.at_root, survey, target=target), disguise)
