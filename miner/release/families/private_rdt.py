"""Release random decision trees with noisy leaf counts: Private-RDT (Jagannathan, Pillaipakkamnatt & Wright 2012).

The structures of the trees are drawn without data. The only query to the data is the number of records of each class at
each leaf. With N trees, noise of scale N / epsilon on every count is epsilon-differentially private for adding or
removing a record. The paper also declares the number of records public. If the number of records is public,
neighbouring tables differ by replacing a record, and the guarantee is 2 epsilon, not epsilon.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import log
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from collector.errors import ModelError, QueryError
from collector.ledger.budget import Cost
from collector.survey.survey import Survey
from miner.learners.random_trees import random_structure
from miner.release.ensemble import Ensemble
from miner.release.family import ReleaseMethod, at_least_one, features_of
from miner.release.noise import Noise
from miner.release.parts.growth import leaf_counts, leaves_of
from miner.release.parts.shrinkage import laplace_variance, shrunk
from miner.release.statement import Statement
from miner.release.table import TrustedTable
from miner.trees.criteria import normalised
from miner.trees.tree import Tree
from miner.weights.layout import Disguise

OTHER_PARTIES = "what other parties release of the same people: p parties cost a person p times epsilon"


@dataclass(frozen=True)
class PrivateRDT(ReleaseMethod):
    """Random decision trees with discrete Laplace noise at every leaf (Algorithm 4).

    Attributes:
        trees: Number of trees, each of which gets an equal part of the budget.
        depth: Number of splits on a path, or None for `published_depth`.
        improved: Whether to shrink predictions towards those of parent nodes and combine trees by geometric means,
            instead of pooling the counts of all trees as in the paper.
    """

    method: ClassVar[str] = "private-rdt"
    adds_up: ClassVar[bool] = True
    trees: int = 10
    depth: int | None = None
    improved: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least_one("trees", self.trees)

    @property
    def mechanism(self) -> str:
        """Return the method in words, with a reference to its paper."""
        reading = "added up and shrunk to the parents" if self.improved else "as they are"
        return (
            f"Private-RDT (Jagannathan et al. 2012, Algorithm 4): {self.trees} trees drawn without data, discrete "
            f"Laplace noise of scale {self.trees}/epsilon on the class counts of every leaf, read {reading}"
        )

    def structures(self, survey: Survey, target: str, rng: np.random.Generator) -> list[Tree]:
        """Draw the structures of the trees without data. Parties with the same seed draw the same trees."""
        disguise = Disguise.of(survey, target)
        depth = published_depth(disguise, self.size) if self.depth is None else self.depth
        return [random_structure(disguise, depth, rng) for _ in range(self.trees)]

    def fit(self, table: TrustedTable, noise: Noise, rng: np.random.Generator) -> Ensemble:
        """Fit the model to a trusted table."""
        return self.counted(self.structures(table.survey, table.target, rng), table, noise)

    def counted(self, structures: Sequence[Tree], table: TrustedTable, noise: Noise) -> Ensemble:
        """Count a table in one pass, and return the trees with noisy counts at their leaves."""
        noisy = [noisy_leaves(tree, table, noise, self.epsilon / len(structures)) for tree in structures]
        return self.read(noisy, batches=1)

    def read(self, counted: Sequence[Tree], batches: int) -> Ensemble:
        """Return trees with the predictions that follow from the noisy counts at their leaves.

        Args:
            counted: Trees whose counts are sums over batches or parties.
            batches: Number of batches or parties whose noisy counts were summed.
        """
        if not self.improved:
            return Ensemble(tuple(with_shares(tree, tree.counts) for tree in counted), "pooled")
        variance = batches * laplace_variance(float(self.epsilon / len(counted)))
        bare = [replace(tree, counts=np.where((tree.question < 0)[:, None], tree.counts, 0.0)) for tree in counted]
        read = (shrunk(tree, tree.counts.astype(np.int64), np.where(tree.question < 0, variance, 0.0)) for tree in bare)
        return Ensemble(tuple(read), "log")

    def merged(self, released: Sequence[Ensemble], batches: Sequence[int]) -> Ensemble:
        """Combine the counts of several parties with different people into one model (section 6.2.1).

        All parties must have counted their people on the same trees. Combining the counts is post-processing, which
        needs only the parties' release files.

        Raises:
            ModelError: If the parties' trees differ.
        """
        first = released[0].trees
        for other in released[1:]:
            if len(first) != len(other.trees) or not all(map(_same, first, other.trees)):
                raise ModelError(
                    "parties",
                    "the trees of the releases differ",
                    "let all parties draw the trees with the same seed, size and depth",
                )
        sums = [
            replace(tree, counts=sum((each.trees[number].counts for each in released), np.zeros_like(tree.counts)))
            for number, tree in enumerate(first)
        ]
        return self.read(sums, sum(batches))


@dataclass(frozen=True)
class VerticalRDT(PrivateRDT):
    """Private-RDT for several parties (Algorithm 6), each of which knows the class and the answers to some questions.

    Each party draws `trees` trees over its questions and spends epsilon. The paper says that the total cost is epsilon,
    because the parties have no attribute in common. Because every person has a row in the table of every party, p
    parties in fact cost p times epsilon.

    Parties with separate tables each make a release with their own questions, and `miner.release.parties.merged`
    combines all trees. The rows of different parties are never matched, so the parties need no common key.

    Attributes:
        parties: Names of the questions of each party. A question belongs to one party only.
    """

    method: ClassVar[str] = "private-rdt-vertical"
    adds_up: ClassVar[bool] = False
    parties: tuple[tuple[str, ...], ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least_one("parties", len(self.parties))

    @property
    def asks(self) -> tuple[str, ...]:
        """Return the questions of all parties."""
        return tuple(name for party in self.parties for name in party)

    @property
    def guarantee(self) -> Cost:
        """Return the privacy cost of all parties together: p parties cost p times epsilon."""
        return Cost(self.epsilon * len(self.parties))

    @property
    def mechanism(self) -> str:
        """Return the method in words, with a reference to its paper."""
        count = len(self.parties)
        if count == 1:
            return f"{super().mechanism}; the questions of one party (Algorithm 6)"
        return (
            f"{super().mechanism}; {count} parties with questions, trees and noise of their own (Algorithm 6): a "
            f"person's row is with every party, so that {count} parties cost {count} times epsilon"
        )

    def missing(self, survey: Survey, target: str) -> list[str]:
        """Return the names of the questions that belong to no party."""
        names = [survey.questions[each].name for each in features_of(survey, target)]
        return [name for name in names if name not in self.asks]

    def statement(self, survey: Survey, target: str) -> Statement:
        """Return the privacy statement of a release."""
        basic = super().statement(survey, target)
        others = (OTHER_PARTIES,) if self.missing(survey, target) else ()
        return replace(basic, uncovered=(*basic.uncovered, *others))

    def check(self, survey: Survey, target: str) -> None:
        """Check that each party has questions other than the class, and that no question belongs to two parties."""
        names = self.asks
        known = {survey.questions[each].name for each in features_of(survey, target)}
        if not all(self.parties) or len(set(names)) < len(names) or not set(names) <= known:
            problem = "they do not share out the questions: one is unknown, the class, or named twice"
            raise QueryError("parties", problem, "give each party different questions of the survey")

    def structures(self, survey: Survey, target: str, rng: np.random.Generator) -> list[Tree]:
        """Draw the trees of each party in turn.

        With the same seed, a party draws the same trees alone as together with other parties.
        """
        disguise, seed = Disguise.of(survey, target), int(rng.integers(2**63))
        drawn = []
        for party in self.parties:
            own = sorted(survey.column(name) for name in party)
            depth = published_depth(disguise, self.size, own) if self.depth is None else self.depth
            of_party = np.random.default_rng([seed, *own])
            drawn += [random_structure(disguise, depth, of_party, own) for _ in range(self.trees)]
        return drawn

    def counted(self, structures: Sequence[Tree], table: TrustedTable, noise: Noise) -> Ensemble:
        """Count a table that has the questions of all parties. Each party divides its epsilon among its trees."""
        return self.read([noisy_leaves(tree, table, noise, self.epsilon / self.trees) for tree in structures], 1)


def published_depth(disguise: Disguise, size: int, features: Sequence[int] | None = None) -> int:
    """Return the paper's default depth of a random tree, at least 1 (Jagannathan et al. 2012, section 5.1)."""
    kinds = [disguise.kinds[each] for each in (disguise.features if features is None else features)]
    return max(1, int(min(len(kinds) / 2, log(max(size, 2)) / log(float(np.mean(kinds))) - 1)))


def noisy_leaves(tree: Tree, table: TrustedTable, noise: Noise, epsilon: Fraction) -> Tree:
    """Return a tree with discrete Laplace noise on the class counts of all its leaves."""
    counts, leaves = leaf_counts(table, tree), leaves_of(tree)
    noisy = np.zeros(counts.shape)
    noisy[leaves] = noise.laplace(counts[leaves], 1, epsilon)
    return replace(tree, counts=noisy)


def with_shares(tree: Tree, counts: NDArray[np.generic]) -> Tree:
    """Return a tree with noisy counts, and with the class shares that follow from the noisy counts.

    Noisy counts below 0 are treated as 0. If no count of a node is above 0, all classes have equal shares at the node.
    """
    known = counts.astype(np.float64)
    positive = np.maximum(known, 0.0)
    even = np.full_like(known, 1 / known.shape[1])
    shares = np.where(positive.sum(axis=1, keepdims=True) > 0, normalised(positive), even)
    return replace(tree, counts=known, probabilities=shares)


def bare(tree: Tree) -> Tree:
    """Return the structure of a tree without counts."""
    return replace(tree, counts=np.zeros_like(tree.counts))


def _same(one: Tree, two: Tree) -> bool:
    return np.array_equal(one.question, two.question) and np.array_equal(one.child, two.child)
