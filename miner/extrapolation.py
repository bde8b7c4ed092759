"""Extrapolate a slow iteration, such as EM, by squared steps (SQUAREM: Varadhan & Roland 2008, scheme S3).

From a point x, two steps of the iteration lead to x1 and x2. With r = x1 - x and v = x2 - 2 x1 + x, the extrapolated
point is x + 2 a r + a^2 v, where a = |r| / |v| is the step length. The caller must reject an extrapolated point that
lowers the objective.
"""

import numpy as np

from miner.arrays import Floats


def step_length(start: Floats, first: Floats, second: Floats) -> float:
    """Return the step length a = |r| / |v|, or 1 if v is 0.

    Args:
        start: Parameters before the two steps, of any shape.
        first: Parameters after one step of the iteration.
        second: Parameters after two steps of the iteration.
    """
    bend = np.sqrt(((second - 2 * first + start) ** 2).sum())
    return float(np.sqrt(((first - start) ** 2).sum()) / bend) if bend > 0.0 else 1.0


def extrapolated(start: Floats, first: Floats, second: Floats, length: float) -> Floats:
    """Return the extrapolated point x + 2 a r + a^2 v for the step length a."""
    point: Floats = start + 2 * length * (first - start) + length**2 * (second - 2 * first + start)
    return point
