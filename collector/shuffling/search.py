"""The search for the smallest epsilon whose delta is allowed."""

from __future__ import annotations

from collections.abc import Callable

HALVINGS = 40  # number of halvings of the local epsilon, after which the rest is below the printed precision


def least_epsilon(delta_of: Callable[[float], float], delta: float, local: float) -> float:
    """Return the smallest epsilon, rounded up, whose delta is at most an allowed delta.

    Args:
        delta_of: Decreasing function from an epsilon to its delta, which is at most `delta` at the local epsilon.
        delta: Largest allowed delta.
        local: Local epsilon.
    """
    low, high = 0.0, local
    if delta_of(low) <= delta:
        return low
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if delta_of(middle) <= delta else (middle, high)
    return high
