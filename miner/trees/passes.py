"""A level of a growing tree for more responses than fit into memory: each count is a pass over all of them.

A pass begins with each part of the responses at the root, and moves them down the splits that were made so far.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from miner.arrays import Floats
from miner.steps import steps
from miner.trees.counts import Cells, Level
from miner.weights.layout import Disguise

Split = tuple[NDArray[np.int32], NDArray[np.int32]]
"""Of a level: question and child, as for `miner.trees.counts.Level.descended`."""


@dataclass(frozen=True, eq=False)
class Passes:
    """Counts that `miner.trees.grow.grow` needs of a `miner.trees.counts.Level`, summed over parts in their order.

    Attributes:
        parts: Each part of the responses at the root, again at every call.
        count: How many parts there are.
        disguise: The survey.
        responses: How many responses all parts have.
        splits: Splits of the levels above.
        nodes: The first node of the level that is looked at, and the one after the last; None for all.
    """

    parts: Callable[[], Iterator[Level]]
    count: int
    disguise: Disguise
    responses: int
    splits: tuple[Split, ...] = ()
    nodes: tuple[int, int] | None = None

    def _levels(self) -> Iterator[Level]:
        for part in steps("counting", self.parts(), self.count):
            level = part
            for question, child in self.splits:
                level = level.descended(question, child)
            yield level if self.nodes is None else level.between(*self.nodes)

    def totals(self, nodes: int) -> Floats:
        """Estimated class counts, shape (nodes, classes); signed."""
        found: Floats = np.sum([level.totals(nodes) for level in self._levels()], axis=0)
        return found

    def cells(self, nodes: int, questions: Sequence[int]) -> Cells:
        """Sums by node, question, value and class."""
        sums: Cells | None = None
        for level in self._levels():
            own = level.cells(nodes, questions)
            if sums is None:
                sums = own
            else:
                for whole, part in zip(sums[:-1], own[:-1], strict=True):
                    np.add(whole, part, out=whole)
        if sums is None:
            raise ValueError(nodes)
        return sums

    def descended(self, question: NDArray[np.int32], child: NDArray[np.int32]) -> Self:
        """The next level."""
        return replace(self, splits=(*self.splits, (question, child)))

    def portions(self) -> Iterator[tuple[int, int]]:
        """Nodes that are looked at together: all, which are as many as the last child."""
        yield 0, max((int(child.max()) + 1 for _, child in self.splits[-1:]), default=1)

    def between(self, first: int, last: int) -> Self:
        """Nodes `first` to `last` - 1, renumbered from 0."""
        return replace(self, nodes=(first, last))
