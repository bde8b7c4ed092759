"""Our own: one greedy tree, half the budget on choosing its questions, half once on its leaves; or naive Bayes.

Nothing is asked but what is used: no size, no count at an inner node. A level of the tree costs one selection by
permute-and-flip (McKenna & Sheldon 2020), whose scores only fall, or only grow, when a record is added, so that the
factor 2 is not needed. The noisy counts of the leaves are added up the tree and every prediction leans on its parent's
(`miner.release.shrinkage`), which is free. How deep, which splits and which score are decided by public facts: the
declared size, epsilon, and how many values questions have. Where these leave too little for any tree, whose leaves
need (values x classes)^2 cells for two questions, the tables of naive Bayes are released instead. The constants were
fitted to public data sets (`benchmarks.releases`); no table that is released has a part in them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np

from collector.errors import QueryError
from collector.survey import Survey
from miner.release.candidates import binary_candidates, multiway_candidates
from miner.release.ensemble import Ensemble, Learnt
from miner.release.family import Family, at_least_one, features_of
from miner.release.growth import Node, Split, grow_privately, leaf_counts, leaves_of
from miner.release.naive_bayes import NaiveBayes
from miner.release.noise import Counts, Noise
from miner.release.scores import SCORES
from miner.release.shrinkage import laplace_variance, shrunk
from miner.release.sum_queries import kinds_of
from miner.release.table import TrustedTable
from miner.trees.tree import Tree

CLEAR = {"multiway": 5, "binary": 40}  # records times epsilon of a selection, at an average node of the last level
TABLES = "tables"
MANY_VALUES = 6  # per question, from which splits are binary
THIN = 10  # records times epsilon, for each of (values times classes)^2 cells, that a tree needs
GROWTH = Fraction(4, 3)  # of what is spent on a selection, from level to level: nodes get smaller
FEW = 2_000  # records times epsilon below which the max operator chooses better than the Gini impurity


@dataclass(frozen=True)
class GreedyTree(Family):
    """One greedy tree.

    Attributes:
        selecting: The share of the budget that chooses questions.
        score: ``max`` or ``gini``; by the declared size and epsilon if None.
        splits: ``multiway``, a child for each value; ``binary``, a threshold of an ordered question or one value
            against the rest; or ``tables``, no tree; by the mean number of values, size and epsilon if None.
        depth: The most questions on a path; by the declared size and epsilon if None.
    """

    method: ClassVar[str] = "ours"
    selecting: Fraction = Fraction(1, 2)
    score: str | None = None
    splits: str | None = None
    depth: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.selecting < 1:
            raise QueryError("selecting", "it is not between 0 and 1", "give a share, such as 1/2")
        if self.score not in {None, "max", "gini"}:
            raise QueryError("score", "there is no such score", "use one of: max, gini")
        if self.splits not in {None, TABLES, *CLEAR}:
            raise QueryError("splits", "there are no such splits", f"use one of: {', '.join([*CLEAR, TABLES])}")
        if self.depth is not None:
            at_least_one("depth", self.depth)

    @property
    def mechanism(self) -> str:
        """See `Family.mechanism`."""
        return (
            f"one greedy tree: {self.selecting} of epsilon on selections by permute-and-flip, {GROWTH} times as much "
            "on each level as above; the rest, and what a path that ends early has left, once on discrete Laplace "
            "noise at the leaves; where that is too little, naive Bayes on tables with such noise"
        )

    def fit(self, table: TrustedTable, noise: Noise, rng: np.random.Generator) -> Learnt:
        """See `Family.fit`."""
        plan = self.plan(table.survey, table.target)
        if plan.splits == TABLES:
            return NaiveBayes(self.epsilon, self.size).fit(table, noise, rng)
        growth = _Growth(plan, noise)
        tree = grow_privately(table.level, growth.choose)
        return Ensemble((self._counted(tree, table, plan, noise, growth.spent),))

    def plan(self, survey: Survey, target: str) -> Plan:
        """How the tree will be grown, by public facts."""
        kinds = [len(survey.questions[each].values) for each in features_of(survey, target)]
        mean, classes = float(np.mean(kinds)), len(survey.question(target).values)
        evidence = self.size * float(self.epsilon)
        splits = self.splits or _splits(mean, classes, evidence)
        branching = 2.0 if splits == "binary" else max(mean, 2.0)
        depth = self.depth or _depth(evidence * float(self.selecting) / CLEAR.get(splits, 1), branching)
        weights = [GROWTH**level for level in range(depth)]
        selections = tuple(self.epsilon * self.selecting * weight / sum(weights) for weight in weights)
        score = self.score or ("max" if evidence < FEW else "gini")
        return Plan(survey, splits, score, selections, self.epsilon * (1 - self.selecting))

    def _counted(self, tree: Tree, table: TrustedTable, plan: Plan, noise: Noise, spent: list[int]) -> Tree:
        """With noisy counts at the leaves; those with selections to spare, which is public, get less noise."""
        counts, variance = leaf_counts(table, tree), np.zeros(len(tree))
        noisy = np.zeros_like(counts)
        leaves, used = leaves_of(tree), np.array(spent)
        for selections in sorted(set(used[leaves].tolist())):
            some = leaves[used[leaves] == selections]
            epsilon = plan.counting + sum(plan.selections[selections:])
            noisy[some] = noise.laplace(counts[some], 1, epsilon)
            variance[some] = laplace_variance(float(epsilon))
        return shrunk(tree, noisy, variance)


@dataclass(frozen=True)
class Plan:
    """Public facts of one tree.

    Attributes:
        survey: The domain.
        splits: ``multiway`` or ``binary``.
        score: ``max`` or ``gini``.
        selections: epsilon of a selection on each level; there are as many levels as a path may have questions.
        counting: epsilon of the leaves.
    """

    survey: Survey
    splits: str
    score: str
    selections: tuple[Fraction, ...]
    counting: Fraction


def _splits(mean: float, classes: int, evidence: float) -> str:
    """Which splits suit questions of so many values on average, with so many records times epsilon."""
    many = mean >= MANY_VALUES
    if (many or classes > len(("yes", "no"))) and evidence < THIN * (mean * classes) ** 2:
        return TABLES
    return "binary" if many else "multiway"


def _depth(evidence: float, branching: float) -> int:
    """The largest D >= 1 with D branching^(D - 1) <= evidence: D selections, the last on branching^(D - 1) nodes."""
    depth = 1
    while (depth + 1) * branching**depth <= evidence:
        depth += 1
    return depth


@dataclass
class _Growth:
    """Chooses for one node after another, and keeps how many selections each path has paid for."""

    plan: Plan
    noise: Noise
    spent: list[int] = field(default_factory=list)

    def choose(self, node: Node, totals: Counts, counts: Counts) -> Split | None:
        """See `miner.release.growth.Choice`."""
        self.spent.append(node.depth)
        if node.depth >= len(self.plan.selections) or not node.open:
            return None
        self.spent[-1] += 1
        score = SCORES[self.plan.score]
        if self.plan.splits == "multiway":
            splits, scores = multiway_candidates(node, kinds_of(self.plan.survey), counts, score.of)
        else:
            splits, scores = binary_candidates(node, self.plan.survey, totals, counts, score.of)
        sensitivity = score.sensitivity(1)  # the same for any table
        return splits[self.noise.flip(scores, sensitivity, self.plan.selections[node.depth], monotone=score.monotone)]
