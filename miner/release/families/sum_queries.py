"""Grow a tree by ID3 from sum queries (Blum, Dwork, McSherry & Nissim 2005; Jagannathan et al. 2012, section 4).

DP-ID3 reads the data only through noisy counts. Each node queries its size, its class counts, and one table of value by
class for each remaining question. Every query on a path gets an equal part of the privacy budget.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from math import sqrt
from typing import ClassVar

import numpy as np

from collector.survey.survey import Survey
from miner.release.ensemble import Ensemble, predicting
from miner.release.family import ReleaseMethod, features_of
from miner.release.noise import Counts, Noise
from miner.release.parts.growth import GrowingNode, Split, grow_privately, multiway
from miner.release.parts.scores import information
from miner.release.table import TrustedTable


@dataclass(frozen=True)
class SumQueriesID3(ReleaseMethod):
    """DP-ID3 with a stopping rule on noisy counts.

    The papers on DP-ID3 do not say when to stop splitting. Here, a node splits if a question is left and its noisy size
    is large relative to the noise (`worth_splitting`).

    Attributes:
        depth: Largest number of questions on a path, or None for all questions, as in the papers. A smaller depth
            leaves more budget for each query.
    """

    method: ClassVar[str] = "dp-id3"
    depth: int | None = None

    @property
    def mechanism(self) -> str:
        """Return the method in words, with a reference to its paper."""
        return (
            "DP-ID3 on sum queries (Blum et al. 2005; Jagannathan et al. 2012, section 4): discrete Laplace noise on "
            "sizes, class counts and tables of value by class, split while the noisy size is sqrt(2)/epsilon' a cell"
        )

    def queries(self, features: int) -> int:
        """Return the largest number of queries that one record can affect.

        With k questions, a record affects up to k (k + 1) / 2 tables, and k + 1 sizes and lists of class counts.
        """
        levels = features if self.depth is None else min(self.depth, features)
        tables = sum(features - level for level in range(levels))
        return tables + 2 * (levels + 1)

    def fit(self, table: TrustedTable, noise: Noise, rng: np.random.Generator) -> Ensemble:
        """Fit the model to a trusted table."""
        del rng  # nothing is drawn without the data
        features = features_of(table.survey, table.target)
        growth = _NodeQueries(
            self, self.epsilon / self.queries(len(features)), noise, kinds_of(table.survey), len(features)
        )
        tree = grow_privately(table.level, growth.choose)
        return Ensemble((predicting(tree, np.array(growth.seen)),))


@dataclass
class _NodeQueries:
    """Rule that chooses the splits of DP-ID3, and stores the noisy class counts of the nodes."""

    family: SumQueriesID3
    each: Fraction  # epsilon of a query
    noise: Noise
    kinds: list[int]
    features: int
    seen: list[Counts] = field(default_factory=list)

    def choose(self, node: GrowingNode, totals: Counts, counts: Counts) -> Split | None:
        """Choose the split of one node of the tree, or make the node a leaf.

        For the arguments, see `miner.release.parts.growth.Choice`.
        """
        size = int(self.noise.laplace(totals.sum(keepdims=True), 1, self.each)[0])
        self.seen.append(self.noise.laplace(totals, 1, self.each))
        deepest = self.features if self.family.depth is None else self.family.depth
        if not node.open or node.depth >= deepest or not worth_splitting(size, node, self.kinds, totals, self.each):
            return None
        tables = [
            np.maximum(self.noise.laplace(counts[each, : self.kinds[each]], 1, self.each), 0) for each in node.open
        ]
        best = int(np.argmax([information(table) for table in tables]))  # the first among equals
        return multiway(node.open[best], self.kinds)


def worth_splitting(size: int, node: GrowingNode, kinds: list[int], totals: Counts, each: Fraction) -> bool:
    """Return whether a node is large enough to split (Friedman & Schuster 2010)."""
    cells = max(kinds[question] for question in node.open) * len(totals)
    return size >= cells * sqrt(2) / float(each)


def kinds_of(survey: Survey) -> list[int]:
    """Return the number of values of each question."""
    return [len(question.values) for question in survey.questions]
