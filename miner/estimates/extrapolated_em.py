"""EM for shares that sum to 1, accelerated by `miner.extrapolation`.

If the probability of each response is linear in the shares, the log-likelihood is concave and has one maximum. A step
multiplies each share by its slope (Dempster, Laird & Rubin 1977): it never lowers the likelihood, and converges slowly
under a strong disguise. Two steps are therefore extrapolated. At each step the distance of the log-likelihood to its
maximum is at most the largest slope minus the mean slope (Lindsay 1983).
"""

from typing import NamedTuple, Protocol

import numpy as np

from miner.arrays import Floats
from miner.extrapolation import extrapolated, step_length

MOST_STEPS = 2000
CLOSE = 1e-3  # distance from the maximum log-likelihood: far below one response's contribution
SMALLEST = 1e-300
SHORT = 0.5  # shorter extrapolations beyond two steps are not tried


class ShareLikelihood(Protocol):
    """A log-likelihood of shares."""

    def slopes(self, shares: Floats) -> tuple[Floats, float]:
        """Derivatives of the log-likelihood in each share, shape (shares,); and its value, up to a constant."""


class _Step(NamedTuple):
    """The next shares, an upper bound on the remaining increase of the log-likelihood, and its value."""

    moved: Floats
    gap: float
    height: float


def maximum(likelihood: ShareLikelihood, count: int) -> Floats | None:
    """The maximum likelihood shares, to within `CLOSE` of the maximum; None without convergence.

    Args:
        likelihood: Likelihood of shares that add up to 1.
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
    """Two steps, extrapolated as far as the likelihood does not decrease; and the gap before them."""
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
