"""Choose the questions of a tree by the exponential mechanism: DiffPID3 (Friedman & Schuster 2010, Algorithm 3).

With budget B and depth d, every node of the tree spends B / (d + 1). A node spends half of its budget on its noisy
size. A node spends the other half of its budget on the choice of a question or, if it is a leaf, on class counts. The
nodes of one level have disjoint records, and a path has d + 1 nodes, so the whole tree spends the budget B.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np

from collector.errors import QueryError
from collector.survey.survey import Survey
from miner.release.ensemble import Ensemble, predicting
from miner.release.families.sum_queries import kinds_of, worth_splitting
from miner.release.family import ReleaseMethod, at_least_one, features_of
from miner.release.noise import Counts, Noise
from miner.release.parts.growth import GrowingNode, Split, grow_privately, multiway
from miner.release.parts.scores import SCORES
from miner.release.statement import Statement
from miner.release.table import TrustedTable

MOST = 10  # largest size of a table, as a multiple of the declared size


@dataclass(frozen=True)
class DiffPID3(ReleaseMethod):
    """DiffPID3 with unnormalised split scores, of sensitivity 1 (max), 2 (Gini) or log2(n + 1) + 1 / ln 2 (gain).

    The exponential mechanism selects with probabilities proportional to exp(epsilon score / (2 sensitivity)). A node
    becomes a leaf if no question is left or the largest depth is reached. A node also becomes a leaf if its noisy size
    is small relative to the noise (`worth_splitting`).

    Attributes:
        score: Score of a split: ``max``, ``gini`` or ``gain``.
        depth: Largest number of splits on a path.
    """

    method: ClassVar[str] = "diffpid3"
    score: str = "max"
    depth: int = 4

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least_one("depth", self.depth)
        if self.score not in SCORES:
            raise QueryError("score", "there is no such score", f"use one of: {', '.join(SCORES)}")
        if self.score == "gain" and self.counting:
            problem = "the sensitivity of the information gain needs a size that is public"
            raise QueryError("size", problem, "give the approximate number of records (--size)")

    @property
    def mechanism(self) -> str:
        """Return the method in words, with a reference to its paper."""
        return (
            f"DiffPID3 (Friedman & Schuster 2010, Algorithm 3): discrete Laplace noise on sizes and leaf counts, the "
            f"exponential mechanism on the {self.score} score, depth {self.depth}, epsilon/{2 * (self.depth + 1)} each"
        )

    @property
    def most(self) -> int:
        """Return the largest number of records for which the sensitivity of the information gain is computed."""
        return MOST * self.size

    def statement(self, survey: Survey, target: str) -> Statement:
        """Return the privacy statement of a release, without reading the data."""
        basic = super().statement(survey, target)
        bound = (f"that the table has at most {self.most} records",) if self.score == "gain" else ()
        return Statement(basic.mechanism, basic.adding, basic.public + bound, basic.uncovered)

    def fit(self, table: TrustedTable, noise: Noise, rng: np.random.Generator) -> Ensemble:
        """Fit the model to a trusted table."""
        del rng  # nothing is drawn without the data
        levels = min(self.depth, len(features_of(table.survey, table.target)))
        growth = _ClassCountQueries(self, levels, self.epsilon / (2 * (levels + 1)), noise, kinds_of(table.survey))
        tree = grow_privately(table.level, growth.choose)
        return Ensemble((predicting(tree, np.array(growth.seen)),))

    def admit(self, table: TrustedTable) -> None:
        """Check that the table is not larger than the sensitivity of the information gain allows."""
        if self.score == "gain" and len(table) > self.most:
            raise QueryError(
                "size",
                f"the table has more than {self.most} records, ten times the stated size",
                "state a size near the number of records",
            )


@dataclass
class _ClassCountQueries:
    """Rule that chooses the splits of DiffPID3, and stores the noisy class counts of the nodes."""

    family: DiffPID3
    levels: int
    each: Fraction  # epsilon'
    noise: Noise
    kinds: list[int]
    seen: list[Counts] = field(default_factory=list)

    def choose(self, node: GrowingNode, totals: Counts, counts: Counts) -> Split | None:
        """Choose the split of one node of the tree, or make the node a leaf.

        For the arguments, see `miner.release.parts.growth.Choice`.
        """
        size = int(self.noise.laplace(totals.sum(keepdims=True), 1, self.each)[0])
        if not node.open or node.depth >= self.levels or not worth_splitting(size, node, self.kinds, totals, self.each):
            self.seen.append(self.noise.laplace(totals, 1, self.each))
            return None
        self.seen.append(np.zeros_like(totals))
        score = SCORES[self.family.score]
        scores = score.of(counts[list(node.open)])
        sensitivity = score.sensitivity(self.family.most)
        pick = self.noise.exponential(scores.tolist(), sensitivity, self.each, monotone=False)
        return multiway(node.open[pick], self.kinds)
