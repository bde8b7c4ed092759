"""Release random decision trees counted on samples, with small counts set to 0 (Waseda, Nojima & Wang 2024).

The paper calls the method k-AnonToRdt. Each tree is counted on a separate sample, so that the guarantees of N trees
compose to (N epsilon, N delta). If all trees were counted on one sample, the privacy guarantees would not compose. The
privacy ledger is charged the exact delta.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import exp, floor
from typing import ClassVar

import numpy as np

from collector.errors import QueryError
from collector.ledger.budget import Cost
from collector.survey.survey import Survey
from miner.learners.random_trees import random_structure
from miner.release.ensemble import Ensemble
from miner.release.families.private_rdt import published_depth, with_shares
from miner.release.family import ReleaseMethod, at_least_one
from miner.release.noise import Noise
from miner.release.parts.growth import leaf_counts
from miner.release.parts.sampled_anonymity import FINEST, SampledCount, largest_beta, least_k
from miner.release.statement import Statement
from miner.release.table import TrustedTable
from miner.weights.layout import Disguise


@dataclass(frozen=True)
class KAnonymousRDT(ReleaseMethod):
    """Release family of k-AnonToRdt (random trees counted on samples, with small counts set to 0).

    Any two of the threshold k, the sampling share beta and the guarantee (epsilon, delta) determine the third.

    Attributes:
        delta: Total delta, which is divided equally among the trees, like epsilon.
        trees: Number of trees.
        k: Threshold below which counts are published as 0, or None for the smallest threshold that gives (epsilon,
            delta).
        beta: Share of the records that each tree is counted from, or None for the largest share that k allows (without
            k, for (1 - exp(-epsilon)) / 2 with the epsilon of one tree).
        depth: Number of splits on a path, or None for `published_depth`.
    """

    method: ClassVar[str] = "k-anon-rdt"
    delta: Fraction = Fraction(1, 100_000)
    trees: int = 4
    k: int | None = None
    beta: Fraction | None = None
    depth: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least_one("trees", self.trees)
        if not 0 < self.delta < 1:
            raise QueryError("delta", "delta is not between 0 and 1", "give a small delta, such as 0.00001")

    @cached_property
    def cell(self) -> SampledCount:
        """Return the threshold k and the sampling share beta. If k or beta is None, it is computed.

        Raises:
            QueryError: If k and beta do not give (epsilon, delta), or no k and beta do.
        """
        epsilon, delta = float(self.epsilon / self.trees), float(self.delta / self.trees)
        beta = self.beta
        if beta is None and self.k is None:
            beta = Fraction(floor((1 - exp(-epsilon)) / 2 * FINEST), FINEST)
        if beta is None:
            beta = largest_beta(self.k or 1, epsilon, delta)
        cell = SampledCount(least_k(beta, epsilon, delta) if self.k is None else self.k, beta)
        if cell.exact_delta(epsilon) > delta:
            raise QueryError("k, beta", "k and beta do not lead to this epsilon and delta", "leave out k or beta")
        return cell

    @property
    def guarantee(self) -> Cost:
        """Return the guarantee: epsilon, and the exact delta of all trees together."""
        exact = self.cell.exact_delta(float(self.epsilon / self.trees))
        return Cost(self.epsilon, min(Fraction(1), self.trees * Fraction(exact)))

    @property
    def mechanism(self) -> str:
        """Return the method in words, with a reference to its paper."""
        cell = self.cell
        return (
            f"k-AnonToRdt (Waseda et al. 2024): {self.trees} random trees, each counted from a sample of its own of "
            f"share {cell.beta}, counts below {cell.k} set to 0; no noise"
        )

    def statement(self, survey: Survey, target: str) -> Statement:
        """Return the privacy statement of a release.

        The statement also gives the delta of the paper's theorem, where its conditions hold.
        """
        basic, epsilon = super().statement(survey, target), float(self.epsilon / self.trees)
        if not self.cell.admits(epsilon):
            return replace(
                basic, uncovered=(*basic.uncovered, "the paper's theorem, which needs epsilon >= -ln(1 - beta)")
            )
        by_theorem = self.trees * self.cell.theorem_delta(epsilon)
        return replace(basic, mechanism=f"{basic.mechanism} (delta by the paper's theorem: {by_theorem:.3g})")

    def fit(self, table: TrustedTable, noise: Noise, rng: np.random.Generator) -> Ensemble:
        """Fit the model to a trusted table."""
        disguise = Disguise.of(table.survey, table.target)
        depth = published_depth(disguise, self.size) if self.depth is None else self.depth
        trees = []
        for _ in range(self.trees):
            structure = random_structure(disguise, depth, rng)
            sampled = table.take(noise.sample(len(table), self.cell.beta))
            counts = leaf_counts(sampled, structure)
            trees.append(with_shares(structure, np.where(counts < self.cell.k, 0, counts)))
        return Ensemble(tuple(trees), "pooled")
