"""Maximise a likelihood over shares that sum to 1, by an accelerated EM algorithm.

If the probability of each response is linear in the shares, the log-likelihood is concave and has one maximum. An EM
step multiplies each share by the derivative of the log-likelihood by the share (Dempster, Laird & Rubin 1977). EM
converges slowly under a strong disguise, so the algorithm extrapolates from pairs of EM steps (`miner.extrapolation`).
The log-likelihood is below its maximum by at most its largest slope minus its mean slope (Lindsay 1983).
"""

from typing import NamedTuple, Protocol

import numpy as np

from miner.arrays import Floats
from miner.extrapolation import extrapolated, step_length

MOST_STEPS = 2000
CLOSE = 1e-3  # accepted distance from the maximum log-likelihood, far below the contribution of a response
SMALLEST = 1e-300
SHORT = 0.5  # smallest extrapolation beyond two steps that is tried


class ShareLikelihood(Protocol):
    """Interface of a log-likelihood as a function of shares that sum to 1."""

    def slopes(self, shares: Floats) -> tuple[Floats, float]:
        """Return the derivatives of the log-likelihood by each share, and the log-likelihood up to a constant."""


class _Step(NamedTuple):
    """Result of one EM step: new shares, an upper bound on the further increase, and the log-likelihood."""

    moved: Floats
    gap: float
    height: float


def maximum(likelihood: ShareLikelihood, count: int) -> Floats | None:
    """Return the maximum likelihood shares, or None without convergence.

    Args:
        likelihood: Log-likelihood of shares that add up to 1.
        count: Number of shares.
    """
    shares = np.full(count, 1 / count)
    for _ in range(MOST_STEPS):
        shares, gap = _squared_step(likelihood, shares)
        if gap <= CLOSE:
            return shares
    return None


def _step(likelihood: ShareLikelihood, shares: Floats) -> _Step:
    slopes, height = likelihood.slopes(shares)
    moved = shares * slopes
    return _Step(moved / moved.sum(), float(slopes.max() - moved.sum()), height)


def _squared_step(likelihood: ShareLikelihood, shares: Floats) -> tuple[Floats, float]:
    """Extrapolate two EM steps as far as the likelihood does not decrease."""
    first, gap, _ = _step(likelihood, shares)
    second = _step(likelihood, first).moved
    length = step_length(shares, first, second)
    least = likelihood.slopes(second)[1] if length > 1 + SHORT else 0.0
    while length > 1 + SHORT:
        leap = np.maximum(extrapolated(shares, first, second, length), 0)
        leap = np.where(leap > 0, leap, second * 1e-3)  # a share of 0 would not change again
        landed = _step(likelihood, leap / leap.sum())
        if landed.height >= least:
            return landed.moved, gap
        length = (1 + length) / 2
    return second, gap
