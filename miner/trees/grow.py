"""Grow trees greedily, level by level: the counts and scores of all splits of a level are computed together.

Trees may grow on disguised responses, plain rows, or both. The answers on the path to a node may make other answers
impossible (`ask_if`). Impossible answers have a count of 0 whatever was estimated, and no node splits on a question
whose answer is certain.
"""

from contextlib import ExitStack
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from collector.errors import QueryError
from collector.survey.routing import Sets, narrowed
from miner.arrays import Floats
from miner.steps import watch
from miner.trees.criteria import ROUNDING, Criterion
from miner.trees.passes import AnyLevel
from miner.trees.splits import MULTIWAY, WAYS, Nodes, Splits
from miner.trees.tree import LEAF, Tree

MOST_CELLS = 4_000_000  # largest number of cells of a count array; a wider level is counted in parts
MOST_NODES = 2**20


def grow(level: AnyLevel, criterion: Criterion, max_depth: int | None = None, splits: Splits = WAYS[MULTIWAY]) -> Tree:
    """Return a tree grown from the counts of a level.

    A path may split on the same question repeatedly, as long as more than one value of the question is possible.

    Args:
        level: Responses at the root.
        criterion: Criterion that scores splits and computes the predictions of nodes.
        max_depth: Largest number of splits on a path, or None for the number of questions.
        splits: Candidate splits of a question: `miner.trees.splits.Multiway` or `Binary`.

    Returns:
        The grown tree. Of several questions with equal scores, the first is used. A node without a score above 0
        becomes a leaf.
    """
    growth = _Growth(level, criterion, splits)
    kinds = level.disguise.kinds
    most = sum(kinds[each] - 1 for each in growth.features) if max_depth is None else max_depth
    with ExitStack() as shown:
        deepest = -1
        while growth.waiting:
            if growth.waiting[-1].depth > deepest:
                deepest = growth.waiting[-1].depth
                shown.close()
                shown.enter_context(watch.get()(f"growing a tree, level {deepest + 1}", None))
            growth.deepen(most)
    return growth.tree()


class _Part(NamedTuple):
    """Nodes of one level that may split, with their counts, indices in the tree, possible answers and depth."""

    level: AnyLevel
    nodes: list[int]
    sets: list[Sets]
    depth: int


class _Growth:
    """State of a growing tree: its nodes so far, and the nodes that may still split."""

    def __init__(self, level: AnyLevel, criterion: Criterion, splits: Splits) -> None:
        self.features = level.disguise.features
        self._kinds = level.disguise.kinds
        self._rules, self._target = level.disguise.rules, level.disguise.target
        self._routed = level.disguise.routed
        self._criterion = criterion
        self._splits = splits
        self._question: list[int] = []
        self._children: list[list[int]] = []
        self._counts: list[Floats] = []
        self._probabilities: list[Floats] = []
        totals = level.totals(1)
        root, sets = self._add(totals, np.full_like(totals, 1 / totals.shape[1])), map(range, self._kinds)
        self.waiting = [_Part(level, root, [tuple(map(frozenset, sets))], 0)]
        self._nothing = ROUNDING * level.responses  # a smaller count is 0 up to rounding

    def tree(self) -> Tree:
        """Return the grown tree, with its nodes sorted by level."""
        order = [0]
        for node in order:
            order += sorted(set(self._children[node]))
        place = {node: number for number, node in enumerate(order)}
        question = [self._question[node] for node in order]
        children = [[place[each] for each in self._children[node]] for node in order]
        counts, probabilities = (np.array(each)[order] for each in (self._counts, self._probabilities))
        return Tree.of(question, children, counts, probabilities)

    def deepen(self, most: int) -> None:
        """Split the nodes that were added last and may split, down to a given depth."""
        part = self.waiting.pop()
        if not self.features or part.depth == most:
            return
        if len(self._question) > MOST_NODES:
            problem = f"it has more than {MOST_NODES:,} nodes"
            raise QueryError(
                "tree", problem, "lower the maximum depth, or use mode robust or latent, which do not split on noise"
            )
        question, cells, sides = self._judged(part)
        child, below, sets = self._split(part, question, cells, sides)
        if not below:
            return
        level = part.level.descended(question, child)
        portions = list(level.portions())
        for first, last in reversed(portions):
            some = level if len(portions) == 1 else level.between(first, last)
            self.waiting.append(_Part(some, below[first:last], sets[first:last], part.depth + 1))

    def _add(self, counts: Floats, parents: Floats) -> list[int]:
        """Append leaves to the tree, with counts of shape (new nodes, classes).

        Return the indices of the new leaves.
        """
        first = len(self._question)
        self._question += [LEAF] * len(counts)
        self._children += [[] for _ in counts]
        self._counts += list(counts)
        self._probabilities += list(self._criterion.probabilities(counts, parents))
        return list(range(first, len(self._question)))

    def _split(
        self, part: _Part, question: NDArray[np.int32], cells: Floats, sides: NDArray[np.int16]
    ) -> tuple[NDArray[np.int32], list[int], list[Sets]]:
        """Add the children of each node that splits.

        Returns:
            Child to which each value leads, and the indices and possible answers of the children that may split.
        """
        child = np.full(sides.shape, LEAF, np.int32)
        frontier: list[int] = []
        left: list[Sets] = []
        for place in np.flatnonzero(question != LEAF).tolist():
            node, asked = part.nodes[place], int(question[place])
            side = sides[place, : self._kinds[asked]]
            counts = np.zeros((int(side.max()) + 1, cells.shape[2]))
            np.add.at(counts, side, cells[place, : len(side)])
            below = [
                self._below(part.sets[place], asked, np.flatnonzero(side == each).tolist())
                for each in range(len(counts))
            ]
            for each, sets in enumerate(below):
                counts[each, [cls for cls in range(counts.shape[1]) if cls not in sets[self._target]]] = 0
            indices = self._add(counts, np.broadcast_to(self._probabilities[node], counts.shape))
            self._question[node], self._children[node] = asked, [indices[each] for each in side]
            for each in np.flatnonzero((counts > self._nothing).sum(axis=1) > 1).tolist():  # others: empty or pure
                child[place, : len(side)][side == each] = len(frontier)
                frontier.append(indices[each])
                left.append(below[each])
        return child, frontier, left

    def _drawn(self, sets: Sets, question: int) -> bool:
        """Return whether some respondents at a node are not asked a question, so that their answers are drawn."""
        return question in self._routed and self._kinds[question] - 1 in sets[question]

    def _below(self, sets: Sets, asked: int, values: list[int]) -> Sets:
        """Return the answers that are possible at a child, given the values of the split question."""
        if not self._rules:
            return sets
        sets = (*sets[:asked], sets[asked] & frozenset(values), *sets[asked + 1 :])
        return narrowed(self._rules, sets) or (frozenset(),) * len(sets)

    @staticmethod
    def _reachable(some: list[Sets], questions: list[int], values: int) -> NDArray[np.bool_]:
        """Return flags of the possible answers at some nodes, shape (nodes, questions, values)."""
        found = np.zeros((len(some), len(questions), values), np.bool_)
        for node, sets in enumerate(some):
            for column, question in enumerate(questions):
                found[node, column, list(sets[question])] = True
        return found

    def _judged(self, whole: _Part) -> tuple[NDArray[np.int32], Floats, NDArray[np.int16]]:
        """Return the best question of each node, the counts of its values, and the child of each value.

        Nodes without a score above 0 get the question LEAF.
        """
        most = max(self._kinds[each] for each in self.features)
        count, classes = len(whole.nodes), whole.level.disguise.classes
        part = max(1, MOST_CELLS // (len(self.features) * most * classes))
        judged = [self._judged_part(whole, start, min(start + part, count)) for start in range(0, count, part)]
        best, cells, sides = (np.concatenate(each) for each in zip(*judged, strict=True))
        return best, cells, sides

    def _judged_part(self, whole: _Part, first: int, last: int) -> tuple[NDArray[np.int32], Floats, NDArray[np.int16]]:
        level = whole.level if last - first == len(whole.nodes) else whole.level.between(first, last)
        questions = self._splits.asked(level, list(self.features))
        cells = level.cells(last - first, questions)
        open_values = cells.admitted
        if self._rules:
            open_values = open_values & self._reachable(whole.sets[first:last], questions, cells.admitted.shape[2])
            classes = np.array(
                [
                    np.isin(np.arange(self._kinds[self._target]), list(sets[self._target]))
                    for sets in whole.sets[first:last]
                ]
            )
            kept = open_values[..., None] & classes[:, None, None]
            counts, squares = cells.counts * kept, cells.squares * kept
            cells = cells._replace(counts=counts, squares=squares)
        some = whole.nodes[first:last]
        nodes = Nodes(
            cells,
            np.array([self._counts[node] for node in some]),
            np.array([self._probabilities[node] for node in some]),
            level.responses,
        )
        judged = self._splits.judged(nodes, questions, level.disguise, self._criterion)
        drawn = np.array([[self._drawn(sets, each) for each in questions] for sets in whole.sets[first:last]])
        scores = np.where((open_values.sum(axis=2) > 1) & ~drawn, judged.scores, -np.inf)
        top = scores.max(axis=1)
        best = (scores >= top[:, None] - ROUNDING).argmax(axis=1)  # the first among equals
        rows = np.arange(len(some))
        question = np.where(top > ROUNDING, np.array(questions)[best], LEAF).astype(np.int32)
        return question, cells.counts[rows, best], judged.child[rows, best]
