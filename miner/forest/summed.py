"""Grow a forest on tensors of sums (`miner.trees.tensors`), for many responses under many coins.

Each tree of the forest grows as a single tree would, with binary tests drawn at random at each node. The rules of
growth are those of `miner.forest.gain` for unclipped counts. For splits into two children, the rules of growth agree
with `miner.trees.criteria.Robust`.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from miner.arrays import Flags, Floats
from miner.forest.forest import Forest
from miner.forest.kernels import Words, drawn_counts
from miner.forest.packing import BinaryTests
from miner.forest.records import Rules
from miner.steps import steps
from miner.trees.criteria import Criterion, Robust
from miner.trees.grow import grow
from miner.trees.packed_rows import PackedRows
from miner.trees.passes import AnyLevel, Passes
from miner.trees.splits import Judged, Nodes
from miner.trees.symbol_rows import SymbolRows
from miner.trees.tensors import Tensors
from miner.trees.tree import LEAF, Tree
from miner.weights.layout import Disguise

ROOM = 1 / 32  # number of cells of a tensor per response; few nodes of a random tree have many nodes below


@dataclass(frozen=True, eq=False)
class RandomTests:
    """Binary splits, each by the best of some random tests at its node.

    Tests with one outcome for all possible values of a node are not drawn.

    Attributes:
        tests: Tests that may be drawn.
        rules: Rules of growth, with the number of tests to draw and the smallest child.
        generator: Random generator that draws the tests.
    """

    tests: BinaryTests
    rules: Rules
    generator: np.random.Generator
    _drawn: list[NDArray[np.intp]] = field(default_factory=list)

    def asked(self, level: AnyLevel, features: list[int]) -> list[int]:
        """Draw random tests for each node of a level of the tree. Return the questions that the drawn tests ask."""
        if isinstance(level, Passes):
            raise TypeError("this forest cannot be grown in passes over the responses")
        passes: Flags = self.tests.passes[:, : level.admitted.shape[2]]
        self._drawn.clear()
        for admitted in level.admitted[:, self.tests.question]:
            there = np.flatnonzero((admitted & passes).any(axis=1) & (admitted & ~passes).any(axis=1))
            self._drawn.append(self.generator.permutation(there)[: self.rules.candidates])
        return sorted({int(self.tests.question[test]) for some in self._drawn for test in some}) or features[:1]

    def judged(self, nodes: Nodes, questions: list[int], disguise: Disguise, criterion: Criterion) -> Judged:
        """Return the best test of each node on each question."""
        shape = nodes.cells.counts.shape[:3]
        scores, child = np.full(shape[:2], -np.inf), np.zeros(shape, np.int16)
        for node, tests in enumerate(self._drawn):
            places = np.searchsorted(questions, self.tests.question[tests])
            odds = disguise.odds[self.tests.question[tests], : shape[2]]
            found = self._scores((nodes, node), tests, places, odds, criterion)
            for test, place, score in zip(tests, places, found, strict=True):
                if score > scores[node, place]:
                    scores[node, place], child[node, place] = score, self.tests.passes[test, : shape[2]]
        return Judged(scores, child)

    def _scores(
        self,
        at: tuple[Nodes, int],
        tests: NDArray[np.intp],
        places: NDArray[np.intp],
        odds: Floats,
        criterion: Criterion,
    ) -> Floats:
        """Return the scores of the tests at one node, shape (tests,).

        The argument `at` is the node, and `places` the position of each test's question.
        """
        nodes, node = at
        passes = self.tests.passes[tests, : odds.shape[1]]
        sides = np.stack([~passes, passes], axis=1).astype(np.float64)
        counts, squares = (sides @ each[node, places] for each in nodes.cells[:2])
        possible = nodes.cells.admitted[node, places] * odds
        shares = (sides @ possible[:, :, None]) / possible.sum(axis=1)[:, None, None]
        squares += shares**2 * nodes.cells.spread[node, places][:, None]
        totals = nodes.totals[node : node + 1]
        scores = criterion.scores(counts[None], squares[None], totals, nodes.responses)[0]
        return np.where(counts.sum(axis=2).min(axis=1) < self.rules.least_leaf, -np.inf, scores)


def grown(every: PackedRows, tests: BinaryTests, rules: Rules, seeds: Words, *, jobs: int | None) -> Forest:
    """Grow a forest on all responses, with one tree for each seed.

    The forest does not depend on the number of threads.
    """
    criterion = Robust(rules.kappa, rules.least_size, rules.shrinkage)

    def tree(seed: np.uint64) -> Tree:
        blocks = every.rows.blocks
        if rules.bootstrap:
            blocks = blocks.each(drawn_again, own=_draws(every.sizes, seed))
        drawing = RandomTests(tests, rules, np.random.default_rng(seed))
        return grow(Tensors.on(every.on(blocks)), criterion, rules.max_depth, drawing)

    with ThreadPoolExecutor(jobs or os.cpu_count()) as threads:
        trees = list(steps("growing trees", threads.map(tree, seeds), len(seeds)))
    asked, failing = zip(*(_asked(tree, tests) for tree in trees), strict=True)
    counts = np.concatenate([tree.counts for tree in trees]).astype(np.float32)
    shares = np.concatenate([tree.probabilities for tree in trees]).astype(np.float32)
    begin = np.cumsum([0, *map(len, trees)]).astype(np.int64)
    return Forest(tests, begin, np.concatenate(asked), np.concatenate(failing), counts, shares)


def _draws(sizes: Sequence[int], seed: np.uint64) -> list[tuple[int, int]]:
    """Return the number of responses that a bootstrap draws from each block of responses, and a seed for each block."""
    if len(sizes) == 1:
        return [(sizes[0], int(seed))]
    rng = np.random.default_rng((int(seed), 1))
    shares = rng.multinomial(sum(sizes), np.array(sizes) / sum(sizes)).tolist()
    return list(zip(shares, rng.integers(2**64, size=len(sizes), dtype=np.uint64).tolist(), strict=True))


def drawn_again(rows: SymbolRows, draws: int, seed: int) -> SymbolRows:
    """Draw responses of a block (part of all responses) with replacement."""
    place = np.repeat(np.arange(len(rows.counts), dtype=np.int32), rows.counts)
    drawn = np.zeros(len(rows.counts), np.uint32)
    drawn_counts(np.array([seed], np.uint64), place, draws, drawn)
    return rows.kept(drawn > 0)._replace(counts=drawn[drawn > 0])


def _asked(tree: Tree, tests: BinaryTests) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the test of each node of a tree, and the child for rows that fail the test.

    Rows that pass a node's test go to the next node in the array.
    """
    test, child = np.full(len(tree), LEAF, np.int32), np.zeros(len(tree), np.int32)
    for node, children in enumerate(tree.children()):
        if children:
            child[node] = min(children)
            passes = np.zeros(tests.passes.shape[1], np.bool_)
            passes[: len(children)] = np.array(children) != child[node]
            same = (tests.question == tree.question[node]) & (tests.passes == passes).all(axis=1)
            test[node] = same.argmax()
    return test, child
