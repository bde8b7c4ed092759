"""The search for the smallest epsilon that a delta allows."""

from __future__ import annotations

from collections.abc import Callable

HALVINGS = 40  # number of halvings of the local epsilon, after which the rest is below the printed precision


def least_epsilon(delta_of: Callable[[float], float], delta: float, local: float) -> float:
    """Return the smallest epsilon whose delta is small enough, rounded up.

    Args:
        delta_of: Function from an epsilon to its delta, which falls as epsilon grows, and is small enough at the local
            epsilon.
        delta: Largest delta that is small enough.
        local: Local epsilon.
    """
    low, high = 0.0, local
    if delta_of(low) <= delta:
        return low
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if delta_of(middle) <= delta else (middle, high)
    return high
