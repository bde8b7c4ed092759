"""Release the project's own method: one greedy tree, additive scores, both combined, or naive Bayes.

Public facts alone determine which form of model is released. The sizes and the counts of inner nodes are not queried,
because they are not used. Each level of the tree costs one selection by permute-and-flip (McKenna & Sheldon 2020). The
split scores are monotone, so that the selection does not need the factor 2.

The noisy counts of the leaves are summed up the tree, and each prediction is shrunk towards its parent's prediction
(`miner.release.parts.shrinkage`). Summing noisy counts and shrinking predictions are post-processing and cost no
epsilon. The depth, the kind of splits and the score are determined by `miner.release.parts.budget_shares`.
`budget_shares` also determines whether a part of the budget, or all of it, is used for other models: additive scores
(`miner.release.parts.mixture`) or naive Bayes.
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

    Settings that are None are determined by public facts.

    Attributes:
        selecting: Share of the tree's budget that is spent on the selection of questions.
        form: Form of the model: ``tree``; ``mixture`` of a tree and additive scores; ``scores`` alone; or ``tables`` of
            naive Bayes.
        score: Score of a split, ``max`` or ``gini``. If None, the score follows from the declared size and epsilon.
        splits: Kind of splits: ``multiway``, with a child for each value; or ``binary``, by a threshold of an ordered
            question or one value against the rest. If None, the kind of splits follows from the mean number of values.
        depth: Largest number of splits on a path. If None, the depth follows from the declared size and epsilon.
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
        """Fit the model to the data, after the cost is charged."""
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
        """Return the public facts about a table."""
        return Facts.of(survey, target, self.size * float(self.epsilon))

    def plan(self, survey: Survey, target: str) -> "TreeSchema":
        """Return the settings for the growth of the tree, which follow from public facts."""
        facts = self.facts(survey, target)
        splits = self.splits or facts.splits
        depth = self.depth or facts.depth(splits, float(self.selecting))
        weights = [GROWTH**level for level in range(depth)]
        selections = tuple(self.epsilon * self.selecting * weight / sum(weights) for weight in weights)
        score = self.score or likely_score(facts)
        return TreeSchema(survey, splits, score, selections, self.epsilon * (1 - self.selecting))

    def grown(self, table: TrustedTable, noise: Noise) -> Tree:
        """Grow the tree, with the whole budget of epsilon."""
        plan = self.plan(table.survey, table.target)
        growth = _SplitSelection(plan, noise)
        tree = grow_privately(table.level, growth.choose)
        return self._counted(tree, table, plan, noise, growth.spent)

    def _counted(self, tree: Tree, table: TrustedTable, plan: "TreeSchema", noise: Noise, spent: list[int]) -> Tree:
        """Return the tree with noisy counts at the leaves.

        If a path has made fewer selections than were budgeted, its leaf gets less noise. The number of selections on a
        path is public.
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
        selections: Epsilon of a selection on each level. There are as many selections as questions on the longest path.
        counting: Epsilon of the counts at the leaves.
    """

    survey: Survey
    splits: str
    score: str
    selections: tuple[Fraction, ...]
    counting: Fraction


@dataclass
class _SplitSelection:
    """Function object that selects the splits of nodes, and stores the number of selections on each path."""

    plan: TreeSchema
    noise: Noise
    spent: list[int] = field(default_factory=list)

    def choose(self, node: GrowingNode, totals: Counts, counts: Counts) -> Split | None:
        """Choose the split of one node of the tree, or make the node a leaf.

        The arguments are those of `miner.release.parts.growth.Choice`.
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
