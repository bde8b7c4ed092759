"""Greedy growth, breadth-first: for a whole level at once, counts propose and a criterion judges.

Nothing here knows where the counts come from: disguised responses, plain rows, or both.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from miner.counts import Level
from miner.criteria import ROUNDING, Criterion
from miner.tree import LEAF, Tree

Floats = NDArray[np.float64]
MOST_CELLS = 4_000_000  # of a count array: a wide level is counted in parts


def grow(level: Level, criterion: Criterion, max_depth: int | None = None) -> Tree:
    """Grow a tree that splits on every value of a question, each question at most once on a path.

    Args:
        level: The responses at the root.
        criterion: Judges splits and says what nodes predict.
        max_depth: The most questions asked on a path; as many as there are if None.

    Returns:
        The tree. Among equally good questions the first is asked; a node where none is worth asking is a leaf.
    """
    growth = _Growth(level, criterion)
    for _ in range(len(growth.features) if max_depth is None else max_depth):
        if not growth.deepen():
            break
    return growth.tree()


class _Growth:
    """A tree being grown: its nodes so far, one list entry each, and the frontier, the level that may still split."""

    def __init__(self, level: Level, criterion: Criterion) -> None:
        self.features = level.disguise.features
        self._kinds = level.disguise.kinds
        self._level = level
        self._criterion = criterion
        self._question: list[int] = []
        self._children: list[list[int]] = []
        self._counts: list[Floats] = []
        self._probabilities: list[Floats] = []
        totals = level.totals(1)
        self._frontier = self._add(totals, np.full_like(totals, 1 / totals.shape[1]))
        self._open = np.ones((1, len(self.features)), bool)  # which features each node of the frontier may still ask

    def tree(self) -> Tree:
        return Tree.of(self._question, self._children, np.array(self._counts), np.array(self._probabilities))

    def deepen(self) -> bool:
        """Split what is worth splitting. Returns whether anything was."""
        if not (self._frontier and self.features):
            return False
        best, cells = self._judged()
        question = np.array([self.features[each] if each >= 0 else LEAF for each in best], np.int32)
        child = self._split(question, best, cells)
        self._level = self._level.descended(question, child)
        return bool((best >= 0).any())

    def _add(self, counts: Floats, parents: Floats) -> list[int]:
        """Append leaves: shapes (new nodes, classes). Returns their indices."""
        first = len(self._question)
        self._question += [LEAF] * len(counts)
        self._children += [[] for _ in counts]
        self._counts += list(counts)
        self._probabilities += list(self._criterion.probabilities(counts, parents))
        return list(range(first, len(self._question)))

    def _split(self, question: NDArray[np.int32], best: NDArray[np.intp], cells: Floats) -> NDArray[np.int32]:
        """Give children to each node that asks a question. Returns where in the new frontier each value leads."""
        child = np.full(cells.shape[:2], LEAF, np.int32)
        frontier: list[int] = []
        still_open = []
        for place in np.flatnonzero(best >= 0).tolist():
            node, counts = self._frontier[place], cells[place, : self._kinds[question[place]]]
            indices = self._add(counts, np.broadcast_to(self._probabilities[node], counts.shape))
            self._question[node], self._children[node] = int(question[place]), indices
            remaining = self._open[place].copy()
            remaining[best[place]] = False
            for value in np.flatnonzero((counts > 0).sum(axis=1) > 1).tolist():  # the others are empty or pure
                child[place, value] = len(frontier)
                frontier.append(indices[value])
                still_open.append(remaining)
        self._frontier, self._open = frontier, np.array(still_open, bool).reshape(len(frontier), len(self.features))
        return child

    def _judged(self) -> tuple[NDArray[np.intp], Floats]:
        """The best feature of each node, -1 if none is worth asking; its counts, shape (nodes, values, classes)."""
        most = max(self._kinds[each] for each in self.features)
        count, classes = len(self._frontier), self._level.disguise.classes
        part = max(1, MOST_CELLS // (len(self.features) * most * classes))
        judged = [self._judged_part(start, min(start + part, count)) for start in range(0, count, part)]
        return np.concatenate([best for best, _ in judged]), np.concatenate([cells for _, cells in judged])

    def _judged_part(self, first: int, last: int) -> tuple[NDArray[np.intp], Floats]:
        """The same for some nodes of the frontier."""
        level = self._level if last - first == len(self._frontier) else self._level.between(first, last)
        cells = level.counts(last - first, self.features)
        squares = level.counts(last - first, self.features, squared=True) if self._criterion.squares else cells[:0]
        totals = np.array([self._counts[node] for node in self._frontier[first:last]])
        scores = self._criterion.scores(cells, squares, totals, level.responses)
        scores[~self._open[first:last]] = -np.inf
        top = scores.max(axis=1)
        best = (scores >= top[:, None] - ROUNDING).argmax(axis=1)  # the first among equals
        return np.where(top > ROUNDING, best, LEAF), cells[np.arange(len(cells)), best]
