"""Grow a few greedy trees with distinct roots, noisy histograms and pruning: DPDF (Fletcher & Islam 2015).

The guarantee in the paper does not hold, for three reasons:

- The paper computes the sensitivity of the Gini index from the *noisy* size of a node (section 4). Upward noise in
  the size makes the influence of one record much larger than the paper charges.
- Algorithm 1 as printed makes 2 delta + 1 queries, but spends beta / (2 delta - 1) on each query.
- Eq. 11 bounds the sensitivity for adding a record only. Removing a record can have a larger influence than adding one.

`PublishedDPDF` is the algorithm as printed, for study only. `DPDF` selects questions by the unnormalised Gini impurity,
which has sensitivity 2, and is beta-differentially private. On a path of delta levels, `DPDF` makes 2 delta - 1
queries.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np

from collector.ledger.budget import Cost
from miner.release.ensemble import Ensemble, predicting
from miner.release.families.sum_queries import kinds_of
from miner.release.family import ReleaseMethod, at_least_one, features_of
from miner.release.noise import Counts, Noise
from miner.release.parts.growth import GrowingNode, Split, grow_privately, multiway
from miner.release.parts.scores import SCORES, UNIT
from miner.release.table import TrustedTable
from miner.trees.criteria import normalised
from miner.trees.tree import LEAF, Event, Tree


@dataclass(frozen=True)
class DPDF(ReleaseMethod):
    """DPDF with a valid privacy guarantee. The privacy budget is divided equally among the queries.

    Attributes:
        trees: Number of trees (tau in the paper), at most the number of questions.
        levels: Number of levels of nodes in a tree (delta in the paper).
        least: Smallest noisy size of a node that splits.
    """

    method: ClassVar[str] = "dpdf"
    trees: int = 2
    levels: int = 4
    least: int = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least_one("trees", self.trees)
        at_least_one("levels", self.levels)

    @property
    def mechanism(self) -> str:
        """Return the method in words, with a reference to its paper."""
        return (
            f"DPDF (Fletcher & Islam 2015), mended: {self.trees} trees of {self.levels} levels with distinct roots, a "
            "discrete Laplace histogram at every node, the exponential mechanism on the unnormalised Gini impurity"
        )

    @property
    def each(self) -> Fraction:
        """Return the epsilon of one query."""
        return self.epsilon / (self.trees * (2 * self.levels - 1))

    @property
    def deepest(self) -> int:
        """Return the depth at which every node is a leaf."""
        return self.levels - 1

    def fit(self, table: TrustedTable, noise: Noise, rng: np.random.Generator) -> Ensemble:
        """Fit the model to a trusted table."""
        del rng  # nothing is drawn without the data
        trees: list[Tree] = []
        roots: list[int] = []
        for _ in range(min(self.trees, len(features_of(table.survey, table.target)))):
            growth = _HistogramQueries(self, noise, tuple(roots), kinds_of(table.survey))
            grown = grow_privately(table.level, growth.choose)
            roots.append(int(grown.question[0]))
            trees.append(pruned(predicting(grown, np.array(growth.seen))))
        return Ensemble(tuple(trees), "confidence")

    def select(self, noise: Noise, counts: Counts, size: int) -> int:
        """Select the question on which a node splits."""
        del size  # the sensitivity does not depend on it
        score = SCORES["gini"]
        return noise.exponential(score.of(counts).tolist(), score.sensitivity(self.size), self.each, monotone=False)


@dataclass(frozen=True)
class PublishedDPDF(DPDF):
    """DPDF as printed, for study only, without a differential privacy guarantee."""

    method: ClassVar[str] = "dpdf-published"

    @property
    def guarantee(self) -> Cost | None:
        """Return None, because the published method has no privacy guarantee."""
        return None

    @property
    def mechanism(self) -> str:
        """Return the method in words, with a reference to its paper."""
        return (
            f"DPDF as published (Fletcher & Islam 2015, Algorithm 1): {self.trees} trees, the sensitivity of the Gini "
            "index taken at a noisy size, which the data decide"
        )

    @property
    def deepest(self) -> int:
        """Return the depth at which every node is a leaf."""
        return self.levels

    def select(self, noise: Noise, counts: Counts, size: int) -> int:
        """Select a question by the normalised Gini index, with the sensitivity from Eq. 11 of the paper."""
        records = int(counts[0].sum())
        scores = np.floor_divide(SCORES["gini"].of(counts) * UNIT, max(records, 1))
        shown = max(size, 1)
        bound = 1 - (shown / (shown + 1)) ** 2 - (1 / (shown + 1)) ** 2
        sensitivity = max(1, round(bound * UNIT * UNIT))
        return noise.exponential(scores.tolist(), sensitivity, self.each, monotone=False)


@dataclass
class _HistogramQueries:
    """Rule that chooses the splits of DPDF, and stores the noisy class histograms of the nodes."""

    family: DPDF
    noise: Noise
    roots: tuple[int, ...]  # of the trees before
    kinds: list[int]
    seen: list[Counts] = field(default_factory=list)

    def choose(self, node: GrowingNode, totals: Counts, counts: Counts) -> Split | None:
        """Choose the split of one node of the tree, or make the node a leaf.

        For the arguments, see `miner.release.parts.growth.Choice`.
        """
        noisy = self.noise.laplace(totals, 1, self.family.each)
        self.seen.append(noisy)
        size = int(np.maximum(noisy, 0).sum())
        candidates = [each for each in node.open if node.depth > 0 or each not in self.roots]
        if not candidates or node.depth >= self.family.deepest or (node.depth > 0 and size < self.family.least):
            return None
        return multiway(candidates[self.family.select(self.noise, counts[candidates], size)], self.kinds)


def pruned(tree: Tree) -> Tree:
    """Prune leaves from the bottom up if their mean noisy Gini index is not below their parent's (Eq. 27).

    Pruning reads only noisy histograms, so it costs no epsilon. The children of the root are never pruned.
    """
    children, cut = tree.children(), set()
    sizes = np.maximum(tree.counts, 0.0).sum(axis=1)
    impurity = 1 - (normalised(np.maximum(tree.counts, 0.0)) ** 2).sum(axis=1)
    for node in range(len(tree) - 1, 0, -1):
        below = children[node]
        if below and all(not children[each] for each in below):
            weights = normalised(sizes[below])
            if (weights * impurity[below]).sum() >= impurity[node]:
                children[node] = []
                cut.add(node)
    return tree.cut(cut)


@dataclass(frozen=True)
class Rule:
    """Rule of a forest: the path to a node, and the class that the node predicts.

    Attributes:
        event: Conditions on the path, as {question index: admitted value indices}.
        label: Index of the predicted class.
        confidence: Noisy share of the predicted class at the node.
        support: Noisy share of all records that meet the conditions.
        whole: Whether the path ends in a leaf, not in an inner node.
    """

    event: Event
    label: int
    confidence: float
    support: float
    whole: bool


def rules_of(ensemble: Ensemble) -> list[Rule]:
    """Return the rules of all leaves and inner nodes of all trees, sorted by confidence from high to low.

    Reading rules from noisy histograms has no additional privacy cost.
    """
    found = []
    for tree in ensemble.trees:
        size = np.maximum(tree.counts, 0.0).sum(axis=1)
        everybody = max(size[0], 1.0)
        for node, event, depth in tree.walk():
            if depth:
                label = int(tree.label[node])
                confidence, support = float(tree.probabilities[node, label]), float(size[node] / everybody)
                found.append(Rule(event, label, confidence, support, whole=bool(tree.question[node] == LEAF)))
    return sorted(found, key=lambda rule: (-rule.confidence, -rule.support))
