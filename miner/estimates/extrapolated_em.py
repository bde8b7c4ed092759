"""EM for shares that sum to 1, accelerated by squared extrapolation (Varadhan & Roland 2008).

Where each response has a chance that is linear in the shares, the log-likelihood is concave in them and has one top. A
step multiplies each share by its slope (Dempster, Laird & Rubin 1977): it never lowers the likelihood, and is slow
under much disguise. Two steps point further (Varadhan & Roland 2008, scheme S3). How far off the top one may be is
known at every step (Lindsay 1983): by at most the largest slope less the mean one.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from miner.arrays import Floats

MOST_STEPS = 2000
CLOSE = 1e-3  # of the log-likelihood's top, in all: far below what a response's chance can tell
SMALLEST = 1e-300
SHORT = 0.5  # beyond two steps, which is not worth trying


class Likelihood(Protocol):
    """What is climbed."""

    def slopes(self, shares: Floats) -> tuple[Floats, float]:
        """Of the log-likelihood by each share, shape as theirs; and itself, up to a constant."""


class _Step(NamedTuple):
    """From some shares: the next, by how much the log-likelihood can still grow at most, and what it is."""

    moved: Floats
    gap: float
    height: float


def top(likelihood: Likelihood, count: int) -> Floats | None:
    """The likeliest shares, to `CLOSE` of the largest log-likelihood; None if that is not reached.

    Args:
        likelihood: Of shares that add up to 1.
        count: How many there are.
    """
    shares = np.full(count, 1 / count)
    for _ in range(MOST_STEPS):
        shares, gap = _squared_step(likelihood, shares)
        if gap <= CLOSE:
            return shares
    return None


def _step(likelihood: Likelihood, shares: Floats) -> _Step:
    slopes, height = likelihood.slopes(shares)
    moved = shares * slopes
    return _Step(moved / moved.sum(), float(slopes.max() - moved.sum()), height)


def _squared_step(likelihood: Likelihood, shares: Floats) -> tuple[Floats, float]:
    """Two steps, extrapolated as far as that is at least as likely; and the gap before them."""
    first, gap, _ = _step(likelihood, shares)
    second = _step(likelihood, first).moved
    change, bend = first - shares, second - 2 * first + shares
    size = float(np.sqrt((bend**2).sum()))
    length = float(np.sqrt((change**2).sum())) / size if size else 0.0
    least = likelihood.slopes(second)[1] if length > 1 + SHORT else 0.0
    while length > 1 + SHORT:
        leap = np.maximum(shares + 2 * length * change + length**2 * bend, 0)
        leap = np.where(leap > 0, leap, second * 1e-3)  # a share at 0 would stay there
        landed = _step(likelihood, leap / leap.sum())
        if landed.height >= least:
            return landed.moved, gap
        length = (1 + length) / 2
    return second, gap
