"""List the candidate splits of a node: a child for each value, or two children by a threshold or a subset of values.

A split of any kind is a map from the values of a question to children. The count of a child is a sum of counts of
values, so that one criterion scores all kinds of splits.
"""

from dataclasses import dataclass
from math import pi
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from miner.arrays import Flags, Floats
from miner.trees.counts import Cells
from miner.trees.criteria import ROUNDING, Criterion
from miner.weights.layout import Disguise

Sides = NDArray[np.int16]
MULTIWAY, BINARY = KINDS = ("multiway", "binary")
LUCK = 0.868  # extra noise subtracted for the best threshold, per unit of ln(values - 1)


@dataclass(frozen=True, eq=False)
class Nodes:
    """Nodes of one level of a tree, for which splits are scored.

    Attributes:
        cells: Sums of the responses at the nodes, by question and value.
        totals: Estimated class counts, shape (nodes, classes).
        predictions: Predicted class probabilities, shape (nodes, classes).
        responses: Number of responses in the whole tree.
    """

    cells: Cells
    totals: Floats
    predictions: Floats
    responses: int


@dataclass(frozen=True, eq=False)
class Judged:
    """Best split on each question at each node.

    Attributes:
        scores: Scores of the splits, shape (nodes, questions). Splits are made only if their score is above 0.
        child: Child that each value leads to, counted from 0, shape (nodes, questions, values).
    """

    scores: Floats
    child: Sides


class Splits(Protocol):
    """Interface of a type of split that a tree may use."""

    def asked(self, level: Any, features: list[int]) -> list[int]:  # noqa: ANN401 - see `miner.trees.passes.AnyLevel`
        """Return the questions of a list that need counts at one of the nodes."""

    def judged(self, nodes: Nodes, questions: list[int], disguise: Disguise, criterion: Criterion) -> Judged:
        """Return the best split of each node on each question."""


class EveryQuestion:
    """Base class of splits that use the counts of every question."""

    def asked(self, level: object, features: list[int]) -> list[int]:
        """Return all questions."""
        del level
        return features


@dataclass(frozen=True)
class Multiway(EveryQuestion):
    """Multiway splits: one child for each value, as in Quinlan's ID3 and in Du & Zhan (2003)."""

    def judged(self, nodes: Nodes, questions: list[int], disguise: Disguise, criterion: Criterion) -> Judged:
        """Return the multiway split of each question; a question has only one."""
        counts, squares, spread, admitted = nodes.cells
        odds = admitted * disguise.odds[questions, : counts.shape[2]]
        sums = np.maximum(odds.sum(axis=2), 1)[:, :, None, None]
        spread = spread[:, :, None, :] / sums**2 * odds[..., None] ** 2
        scores = criterion.scores(counts, squares + spread, nodes.totals, nodes.responses)
        child = np.broadcast_to(np.arange(counts.shape[2], dtype=np.int16), counts.shape[:3])
        return Judged(scores, child)


@dataclass(frozen=True)
class Binary(EveryQuestion):
    """Binary splits: ``value <= v`` if values have an order, otherwise ``value in S`` or ``value = v``.

    Values outside the order (no answer, not applicable) may go to either side of a threshold.

    With two classes, the best subset of values consists of the first values in the order of their class shares (Breiman
    et al. 1984, theorem 4.5). With two classes, it is enough to try k - 1 subsets of k values. With more than two
    classes, each value is tried against all other values.

    The best of many splits gains more from noise than a fixed split, so more noise is subtracted from its score. For
    the best subset of k equally frequent values, 2k/pi times as much noise is subtracted (Scott & Knott 1974). For the
    best threshold or the best single value, about 1 + .87 ln(k - 1) times as much noise is subtracted (by simulation).
    """

    def judged(self, nodes: Nodes, questions: list[int], disguise: Disguise, criterion: Criterion) -> Judged:
        """Return the best binary split of each question."""
        shape = nodes.cells.counts.shape[:3]
        scores, child = np.full(shape[:2], -np.inf), np.zeros(shape, np.int16)
        for column, question in enumerate(questions):
            passes, searched = self._candidates(nodes, column, question, disguise, criterion)
            each = self._scores(nodes, column, disguise.odds[question], (passes, searched), criterion)
            best = (each >= each.max(axis=1)[:, None] - ROUNDING).argmax(axis=1)  # the first among equals
            rows = np.arange(len(each))
            scores[:, column] = each[rows, best]
            chosen = np.broadcast_to(passes, (len(each), *passes.shape[1:]))[rows, best]
            child[:, column, : chosen.shape[1]] = ~chosen
        return Judged(scores, child)

    @staticmethod
    def _candidates(
        nodes: Nodes, column: int, question: int, disguise: Disguise, criterion: Criterion
    ) -> tuple[Flags, Floats]:
        """Return candidate splits as flags of the values that lead to the first child, and `searched`.

        The flags of values have shape (nodes or 1, candidates, values). `Criterion.scores` explains `searched`.
        """
        kinds = disguise.kinds[question]
        possible = np.maximum(nodes.cells.admitted[:, column].sum(axis=1), 2)[:, None]
        if disguise.ordered[question] or kinds == 2:
            return _thresholds(kinds, disguise.ordered[question] or kinds, possible)
        if disguise.classes > 2:
            return np.eye(kinds, dtype=np.bool_)[None], 1 + LUCK * np.log(possible - 1)
        counts = nodes.cells.counts[:, column, :kinds]
        shares = criterion.probabilities(counts, np.broadcast_to(nodes.predictions[:, None], counts.shape))[..., 0]
        rank = (-shares).argsort(axis=1, kind="stable").argsort(axis=1)
        return rank[:, None, :] <= np.arange(kinds - 1)[:, None], np.where(possible > 2, 2 * possible / pi, 1.0)

    @staticmethod
    def _scores(
        nodes: Nodes, column: int, odds: Floats, candidates: tuple[Flags, Floats], criterion: Criterion
    ) -> Floats:
        passes, searched = candidates
        kinds = passes.shape[2]
        sides = np.stack([passes, ~passes], axis=2).astype(np.float64)  # by candidate, child and value
        sides = np.broadcast_to(sides, (len(nodes.totals), *sides.shape[1:]))
        counts = sides @ nodes.cells.counts[:, None, column, :kinds]
        squares = sides @ nodes.cells.squares[:, None, column, :kinds]
        possible = nodes.cells.admitted[:, column, :kinds] * odds[:kinds]
        shares = (sides @ possible[:, None, :, None]) / np.maximum(possible.sum(axis=1), 1)[:, None, None, None]
        squares += shares**2 * nodes.cells.spread[:, None, None, column]
        return criterion.scores(counts, squares, nodes.totals, nodes.responses, searched)


def _thresholds(kinds: int, ordered: int, possible: Floats) -> tuple[Flags, Floats]:
    """Return a question's threshold splits as flags of the values of the first child, with their factors of noise.

    Unordered values (from position `ordered` on) are tried on both sides of each threshold.
    """
    above = np.tri(kinds - 1, kinds, dtype=np.bool_)
    below = above[: ordered - 1].copy() if ordered < kinds else above[:0]
    below[:, ordered:] = True
    candidates = possible - 1 if ordered == kinds else np.minimum(2 * (possible - 1), len(above) + len(below))
    return np.concatenate([above, below])[None], 1 + LUCK * np.log(candidates)


WAYS: dict[str, Splits] = {MULTIWAY: Multiway(), BINARY: Binary()}
