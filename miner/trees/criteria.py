"""Split criteria and leaf predictions, computed from estimated class counts.

Counts are signed, because an unbiased estimate may be negative. They are clipped to valid probabilities only where a
probability is needed.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from miner.arrays import Floats

ROUNDING = 1e-12
ONCE: Floats = np.ones((1, 1))


class Criterion(Protocol):
    """A split criterion: scores of splits, and class probabilities of nodes."""

    def scores(
        self, counts: Floats, squares: Floats, totals: Floats, responses: int, searched: Floats = ONCE
    ) -> Floats:
        """The score of each split at each node; a split is made only if its score is above 0.

        Args:
            counts: Shape (nodes, splits, children, classes): estimated counts.
            squares: The same shape: sums of squared weights.
            totals: Shape (nodes, classes): estimated counts of the nodes.
            responses: Number of responses in the whole tree.
            searched: Shape (nodes, splits), or broadcast to it: the expected gain from noise alone, relative to a split
                that is fixed before the counts are seen. It is above 1 where the best of several splits is taken.

        Returns:
            Shape (nodes, splits).
        """

    def probabilities(self, totals: Floats, parents: Floats) -> Floats:
        """Class probabilities of nodes, shape (nodes, classes), given those of their parents (same shape)."""


def entropy(shares: Floats) -> Floats:
    """Entropy in bits over the last axis, of shares that sum to 1; it is 0 where all shares are 0."""
    logs = np.log2(np.where(shares > 0, shares, 1.0))
    bits: Floats = -(shares * logs).sum(axis=-1)
    return bits


def normalised(amounts: Floats) -> Floats:
    """Non-negative amounts divided by their sum over the last axis; zeros where all amounts are 0."""
    total = amounts.sum(axis=-1, keepdims=True)
    shares: Floats = np.divide(amounts, total, out=np.zeros_like(amounts), where=total > 0)
    return shares


@dataclass(frozen=True)
class Faithful:
    """Du & Zhan's MRR ID3 (2003, section 4): Quinlan's information gain on estimated probabilities.

    Each estimated share, of a node or of a class, is clipped to [0, 1]. A node whose estimated share is not above 0 is
    empty; it gets the prediction of its parent.
    """

    def scores(
        self, counts: Floats, squares: Floats, totals: Floats, responses: int, searched: Floats = ONCE
    ) -> Floats:
        """Information gain in bits."""
        del squares, searched
        cells = np.clip(counts / responses, 0.0, 1.0)
        before = entropy(normalised(np.clip(totals / responses, 0.0, 1.0)))
        weights = normalised(np.clip(counts.sum(axis=-1) / responses, 0.0, 1.0))
        gain: Floats = before[:, None] - (weights * entropy(normalised(cells))).sum(axis=-1)
        return gain

    def probabilities(self, totals: Floats, parents: Floats) -> Floats:
        """Class shares of the clipped counts; the parent's where the node is empty."""
        return np.where(totals.sum(axis=-1, keepdims=True) > 0, normalised(np.maximum(totals, 0.0)), parents)


@dataclass(frozen=True)
class Robust:
    """The Gini gain minus its expectation under noise alone; predictions are shrunk towards the parent's.

    For two children and two classes the score is ``2 T1 T0 / T (D^2 - kappa V)``: D the difference between the class
    shares of the children, V its variance estimated from the squared weights. With kappa = 1 it is unbiased for the
    gain; with kappa = 4 it is positive only for a difference of two standard errors.

    Attributes:
        kappa: Factor of the noise that is subtracted.
        least_size: The smallest effective size ``T^2 / sum of squared weights`` of a child; smaller ones are ignored.
        shrinkage: Weight of the parent's prediction, in responses.
    """

    kappa: float = 4.0
    least_size: float = 3.0
    shrinkage: float = 2.0

    def scores(
        self, counts: Floats, squares: Floats, totals: Floats, responses: int, searched: Floats = ONCE
    ) -> Floats:
        """The Gini gain in responses, corrected for noise; -inf where fewer than two children are large enough."""
        del totals, responses
        size, spread = counts.sum(axis=-1), squares.sum(axis=-1)
        real = (size > 0) & (size**2 >= self.least_size * spread)
        size = np.where(real, size, 0.0)
        shares = np.divide(counts, size[..., None], out=np.zeros_like(counts), where=real[..., None])
        fraction = normalised(size)
        mean = (fraction[..., None] * shares).sum(axis=-2, keepdims=True)
        gain = (size * ((shares - mean) ** 2).sum(axis=-1)).sum(axis=-1)
        # Var(A/T) = sum of w^2 ([class] - A/T)^2 / T^2, summed over classes
        noise = (squares * (1 - 2 * shares)).sum(axis=-1) + (shares**2).sum(axis=-1) * spread
        noise = np.divide(noise * (1 - fraction), size, out=np.zeros_like(size), where=real).sum(axis=-1)
        score: Floats = np.where(real.sum(axis=-1) > 1, gain - self.kappa * searched * noise, -np.inf)
        return score

    def probabilities(self, totals: Floats, parents: Floats) -> Floats:
        """Class shares of the clipped counts, after `shrinkage` responses with the parent's class shares are added."""
        return normalised(np.maximum(totals, 0.0) + self.shrinkage * parents)
