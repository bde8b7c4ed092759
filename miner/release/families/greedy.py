"""Release the project's own method: one greedy tree, additive scores, both combined, or naive Bayes.

Public facts alone determine which form of model is released. Each level of the tree costs one selection by
permute-and-flip (McKenna & Sheldon 2020).

Noisy counts of the leaves are summed up the tree, and each node's prediction is shrunk towards the prediction of its
parent node (`miner.release.parts.shrinkage`). Summing and shrinking are post-processing and cost no epsilon.
`miner.release.parts.budget_shares` determines the form of the model, and the depth, splits and split score of the tree.
"""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np

from collector.errors import QueryError
from collector.survey.survey import Survey
from miner.release.ensemble import Ensemble, ReleasedModel
from miner.release.families.naive_bayes import NaiveBayes
from miner.release.families.sum_queries import kinds_of
from miner.release.family import ReleaseMethod, at_least_one
from miner.release.noise import Counts, Noise
from miner.release.parts.additive import WEIGHING, fitted_scores
from miner.release.parts.budget_shares import (
    FORMS,
    GROWTH,
    SCORED,
    SPLITS,
    TABLES,
    TREE,
    Facts,
    likely_form,
    likely_score,
)
from miner.release.parts.candidates import binary_candidates, multiway_candidates
from miner.release.parts.growth import GrowingNode, Split, grow_privately, leaf_counts, leaves_of
from miner.release.parts.mixture import mixture
from miner.release.parts.scores import SCORES
from miner.release.parts.shrinkage import laplace_variance, shrunk
from miner.release.table import TrustedTable
from miner.trees.tree import Tree

MIXED_TREE = Fraction(2, 5)  # share of a mixture's budget for its tree; the rest is for scores and weighing


@dataclass(frozen=True)
class GreedyTree(ReleaseMethod):
    """Release family of one greedy tree, alone or combined with additive scores.

    Public facts determine every setting that is None.

    Attributes:
        selecting: Share of the tree's budget that is spent on selecting splits.
        form: Form of the model: ``tree``, ``scores`` (additive), ``mixture`` (of a tree and additive scores), or
            ``tables`` (naive Bayes).
        score: Score of a split, ``max`` or ``gini``, or None to choose it by the number of records and epsilon.
        splits: Kind of splits, ``multiway`` (a child for each value) or ``binary`` (two children), or None to choose it
            by the mean number of values.
        depth: Largest number of splits on a path, or None to choose it by the number of records and epsilon.
    """

    method: ClassVar[str] = "ours"
    selecting: Fraction = Fraction(1, 2)
    form: str | None = None
    score: str | None = None
    splits: str | None = None
    depth: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.selecting < 1:
            raise QueryError("selecting", "the share is not between 0 and 1", "give a share, such as 1/2")
        if self.form not in {None, *FORMS}:
            raise QueryError("form", "there is no such variant of the criterion", f"use one of: {', '.join(FORMS)}")
        if self.score not in {None, "max", "gini"}:
            raise QueryError("score", "there is no such score", "use one of: max, gini")
        if self.splits not in {None, *SPLITS}:
            raise QueryError("splits", "there is no such kind of split", f"use one of: {', '.join(SPLITS)}")
        if self.depth is not None:
            at_least_one("depth", self.depth)

    @property
    def mechanism(self) -> str:
        """Return the method in words, with a reference to its paper."""
        return (
            f"one greedy tree: {self.selecting} of its epsilon on selections by permute-and-flip, {GROWTH} times as "
            "much on each level as above; the rest, and what a path that ends early has left, once on discrete Laplace "
            f"noise at the leaves. Where public facts speak for company, {MIXED_TREE} of epsilon for the tree, "
            f"{WEIGHING} for a choice of weight by permute-and-flip, the rest for tables and corrections of scores "
            "with such noise; where they speak against any tree, scores alone, or naive Bayes on tables with such noise"
        )

    def fit(self, table: TrustedTable, noise: Noise, rng: np.random.Generator) -> ReleasedModel:
        """Fit the model to a trusted table."""
        form = self.form or likely_form(self.facts(table.survey, table.target), self.selecting, self.splits)
        if form == TABLES:
            return NaiveBayes(self.epsilon, self.size).fit(table, noise, rng)
        if form == TREE:
            return Ensemble((self.grown(table, noise),))
        if form == SCORED:
            return fitted_scores(table, self.epsilon, noise, corrected=False)
        tree = replace(self, epsilon=self.epsilon * MIXED_TREE).grown(table, noise)
        scores = fitted_scores(table, self.epsilon * (1 - MIXED_TREE - WEIGHING), noise, corrected=True)
        return mixture(tree, scores, table, self.epsilon * WEIGHING, noise)

    def facts(self, survey: Survey, target: str) -> Facts:
        """Return the public facts about a table, such as its declared number of records."""
        return Facts.of(survey, target, self.size * float(self.epsilon))

    def plan(self, survey: Survey, target: str) -> "TreeSchema":
        """Return the settings for growing the tree, which follow from public facts."""
        facts = self.facts(survey, target)
        splits = self.splits or facts.splits
        depth = self.depth or facts.depth(splits, float(self.selecting))
        weights = [GROWTH**level for level in range(depth)]
        selections = tuple(self.epsilon * self.selecting * weight / sum(weights) for weight in weights)
        score = self.score or likely_score(facts)
        return TreeSchema(survey, splits, score, selections, self.epsilon * (1 - self.selecting))

    def grown(self, table: TrustedTable, noise: Noise) -> Tree:
        """Grow the tree with noisy counts at its leaves, and spend all of epsilon on it."""
        plan = self.plan(table.survey, table.target)
        growth = _SplitSelection(plan, noise)
        tree = grow_privately(table.level, growth.choose)
        return self._counted(tree, table, plan, noise, growth.spent)

    def _counted(self, tree: Tree, table: TrustedTable, plan: "TreeSchema", noise: Noise, spent: list[int]) -> Tree:
        """Return the tree with noisy counts at the leaves.

        A leaf gets less noise if fewer splits were selected on its path than were budgeted.
        """
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
class TreeSchema:
    """Settings for the growth of one tree, all of them public.

    Attributes:
        survey: Survey that defines the questions and their values.
        splits: Kind of splits, ``multiway`` or ``binary``.
        score: Score of a split, ``max`` or ``gini``.
        selections: Epsilon of selecting one split, for each level of the tree.
        counting: Epsilon spent on the counts of the leaves.
    """

    survey: Survey
    splits: str
    score: str
    selections: tuple[Fraction, ...]
    counting: Fraction


@dataclass
class _SplitSelection:
    """Rule that selects the splits of a tree by permute-and-flip."""

    plan: TreeSchema
    noise: Noise
    spent: list[int] = field(default_factory=list)

    def choose(self, node: GrowingNode, totals: Counts, counts: Counts) -> Split | None:
        """Choose the split of one node of the tree, or make the node a leaf.

        For the arguments, see `miner.release.parts.growth.Choice`.
        """
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
