"""Boost trees by the likelihood of disguised responses, with histograms of the likelihood's slopes.

Each tree adds to the log odds of one class, along the slope ``g = P(x, class | r) - P(x | r) P(class | x)`` of the
log-likelihood at each possible answer x (`miner.effects.fit`). The slope g is the gradient of the log loss corrected
for the disguise (Patrini et al. 2017, "forward").

A leaf adds ``G / (V + ridge)``, where G is the sum of the slopes of its rows and V the sum of their squares. By the
information identity, V estimates the curvature of the log-likelihood of disguised responses. A split gains the score
statistic ``G^2 / (V + ridge)``, summed over both children minus that of the parent. The gain expected from noise is 1,
and splits that gain less than `Growth.least_gain` are not made. Of two children, only the one with fewer rows is
counted. The histogram of the child with more rows is the parent's histogram minus that of the other child.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from miner.arrays import Floats
from miner.behind.kernels import softmax
from miner.behind.rows import Rows
from miner.boosting.histograms import cells_of, halved, landed, leaf_sums, moved, root_sums, splits
from miner.responses.responses import Values

FARTHEST = 2.0  # largest change of the log odds by one tree, before the learning rate
FOLDS = 5  # number of folds, of which one is held out to choose the number of trees
FEW_RESPONSES = 20_000  # largest number of responses for which each fold is held out in turn
SAMPLE = 200_000  # largest number of rows that a tree is grown on; of more, a random sample is used


class BoostedTree(NamedTuple):
    """Boosted tree of full depth, as arrays.

    Node n of a level has the children 2n and 2n + 1, or only child 2n without a split.

    Attributes:
        question: Column of the question of each node, level by level, shape (nodes,). If a node has no split, its
            question is -1.
        passes: Flags of the values that go to the first child, shape (nodes, most values).
        leaf: Number that each leaf adds to the log odds, shape (2 ^ depth,).
    """

    question: NDArray[np.int64]
    passes: NDArray[np.bool_]
    leaf: Floats

    @property
    def depth(self) -> int:
        """Return the number of questions on each path."""
        return len(self.leaf).bit_length() - 1

    def reached(self, values: Values) -> Floats:
        """Return the number that the tree adds to the log odds of each row of value indices, shape (rows,)."""
        return self.leaf[landed(values, self.question, self.passes, self.depth)]


class Grown(NamedTuple):
    """Grown tree, with the leaf that each training row reaches, shape (rows,)."""

    tree: BoostedTree
    node: NDArray[np.int64]


@dataclass(frozen=True)
class Growth:
    """Settings for growing boosted trees.

    Attributes:
        features: Columns of the questions that may be asked.
        kinds: Number of values of each question.
        ordered: Number of values of each question, from the first value on, that have an order.
        depth: Depth of each tree.
        rate: Share of a tree's step that is taken.
        ridge: Number added to the curvature of a leaf.
        least_gain: Smallest gain of a split.
        rounds: Largest number of boosting rounds.
        patience: Number of rounds after which growth ends, if the likelihood of held-out responses has not risen.
    """

    features: tuple[int, ...]
    kinds: tuple[int, ...]
    ordered: tuple[int, ...]
    depth: int
    rate: float
    ridge: float
    least_gain: float
    rounds: int
    patience: int

    def cells(self, values: Values) -> NDArray[np.uint32]:
        """Return the histogram cell of each answer (`cells_of`), shape (rows, features)."""
        return cells_of(values, np.array(self.features, np.int64), max(self.kinds))

    def grown(self, values: Values, cells: NDArray[np.uint32], slopes: Floats, weights: Floats) -> list[Grown]:
        """Grow a tree along the slopes of each class. The slopes have shape (classes, rows)."""
        roots = root_sums(cells, slopes, weights, len(self.kinds) * (max(self.kinds) + 1))
        return [self._grown(root, values, cells, own, weights) for root, own in zip(roots, slopes, strict=True)]

    def _grown(self, root: Floats, values: Values, cells: NDArray[np.uint32], slopes: Floats, weights: Floats) -> Grown:
        question = np.full(2**self.depth - 1, -1, np.int64)
        passes = np.zeros((len(question), max(self.kinds)), np.bool_)
        node, sums = np.zeros(len(values), np.int64), root[None]
        features, kinds, ordered = (np.array(each, np.int64) for each in (self.features, self.kinds, self.ordered))
        for level in range(self.depth):
            at = slice(2**level - 1, 2 ** (level + 1) - 1)
            tables = sums.reshape(len(sums), len(kinds), -1, 2)
            question[at], passes[at] = splits(tables, features, kinds, ordered, self.ridge, self.least_gain)
            moved(node, values, question[at], passes[at])
            if level < self.depth - 1:
                sums = halved(sums, cells, node, slopes, weights)
        whole, squares = leaf_sums(node, slopes, weights, 2**self.depth)
        step = np.clip(whole / (squares + self.ridge), -FARTHEST, FARTHEST)
        return Grown(BoostedTree(question, passes, self.rate * step), node)


@dataclass(frozen=True, eq=False, repr=False)
class Boosted:
    """Model of the log odds of classes as sums of trees.

    Attributes:
        intercept: Intercept of each class, shape (classes,).
        rounds: Trees of each round: one tree for two classes, otherwise one tree for each class.
    """

    intercept: Floats
    rounds: tuple[tuple[BoostedTree, ...], ...]

    def __repr__(self) -> str:
        return f"<Boosted: {sum(map(len, self.rounds))} trees in {len(self.rounds)} rounds>"

    def probabilities(self, values: Values) -> Floats:
        """Return class probabilities for rows of value indices, shape (rows, classes)."""
        scores = np.tile(self.intercept, (len(values), 1))
        for trees in self.rounds:
            for number, tree in enumerate(trees, start=scores.shape[1] - len(trees)):
                scores[:, number] += tree.reached(values)
        return softmax(scores)


def boosted(rows: Rows, growths: Sequence[Growth], rng: np.random.Generator) -> Boosted:
    """Fit one ensemble of trees for each of several settings of growth, and return the mean of the ensembles.

    Args:
        rows: Candidate rows behind the responses.
        growths: Settings of each ensemble, the most careful first. With more than `SAMPLE` candidate rows, a single
            ensemble is grown from the first settings with the largest depth.
        rng: Random generator that holds out responses and draws the rows of each tree.
    """
    folds = _folds(rows.counts, rng)
    if len(rows.values) > SAMPLE:  # so many say what noise does not: one ensemble will do, without the fold
        growth = replace(growths[0], depth=max(each.depth for each in growths))
        learners = replace(rows, counts=rows.counts - folds[0])
        return Boosted(np.log(learners.class_shares()), tuple(_advised(rows, growth, folds, rng)))
    intercept, rounds = np.log(rows.class_shares()), list[tuple[BoostedTree, ...]]()
    for growth in growths:
        advised = len(_advised(rows, growth, folds, rng))
        for trees, _ in islice(_rounds(rows, growth, intercept, rng), 1, advised + 1):
            rounds.append(tuple(tree._replace(leaf=tree.leaf / len(growths)) for tree in trees))
    return Boosted(intercept, tuple(rounds))


def _folds(counts: Floats, rng: np.random.Generator) -> list[Floats]:
    """Return the number of people in each held-out fold, by response."""
    left, found = np.floor(counts).astype(np.int64), []
    for fold in range(FOLDS if len(counts) <= FEW_RESPONSES else 1):
        found.append(rng.binomial(left, 1 / (FOLDS - fold)).astype(np.float64))
        left -= found[-1].astype(np.int64)
    return [fold for fold in found if fold.any()]


def _advised(
    rows: Rows, growth: Growth, folds: list[Floats], rng: np.random.Generator
) -> list[tuple[BoostedTree, ...]]:
    """Grow trees on all folds but the first.

    The number of rounds maximises the likelihood of held-out folds.
    """
    runs = []
    for out in folds:
        learners = replace(rows, counts=rows.counts - out)
        intercept = np.log(learners.class_shares())
        runs.append((replace(rows, counts=out), _rounds(learners, growth, intercept, rng)))
    grown: list[tuple[BoostedTree, ...]] = []
    heights: list[float] = []
    best = 0
    while len(heights) <= min(growth.rounds, best + growth.patience):
        height = 0.0
        for number, (judges, rounds) in enumerate(runs):
            trees, scores = next(rounds)
            height += judges.height(scores)
            if number == 0:
                grown.append(trees)
        heights.append(height)
        best = int(np.argmax(heights))
    return grown[1 : best + 1]


def _rounds(
    rows: Rows, growth: Growth, intercept: Floats, rng: np.random.Generator
) -> Iterator[tuple[tuple[BoostedTree, ...], Floats]]:
    """Yield, after each round, all trees grown so far, and what they add to the log odds of each row."""
    scores, weights = np.tile(intercept, (len(rows.values), 1)), rows.counts[rows.response]
    kept, others = np.flatnonzero(weights > 0), np.flatnonzero(weights <= 0)
    some, values, other_values = kept, rows.values[kept[:SAMPLE]], rows.values[others]
    cells = growth.cells(values)
    yield (), scores
    while True:
        slopes = rows.slopes(scores)[1]
        if len(kept) > SAMPLE:
            some = np.sort(rng.choice(kept, SAMPLE, replace=False))
            values = rows.values[some]
            cells = growth.cells(values)
        first = 1 if len(intercept) == 2 else 0  # of two classes the log odds of one say it all
        grown = growth.grown(values, cells, np.ascontiguousarray(slopes[some, first:].T), weights[some])
        for cls, (tree, node) in enumerate(grown, start=first):
            if len(kept) > SAMPLE:
                scores[:, cls] += tree.reached(rows.values)
            else:
                scores[kept, cls] += tree.leaf[node]
                scores[others, cls] += tree.reached(other_values)
        yield tuple(each.tree for each in grown), scores
