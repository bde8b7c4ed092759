"""Extrapolate a slow iteration, such as EM, by squared steps (SQUAREM: Varadhan & Roland 2008, scheme S3).

A point x is followed by two steps, to x1 and x2. With r = x1 - x and v = x2 - 2 x1 + x, the extrapolated point is x + 2
a r + a^2 v. The step length is a = |r| / |v|, and a = 1 gives x2. The caller chooses the scale of the parameters, and
rejects an extrapolated point that lowers the objective. The package numba can compile these functions, but they also
work without numba.
"""

import numpy as np

from miner.arrays import Floats


def step_length(start: Floats, first: Floats, second: Floats) -> float:
    """Return the step length a = |r| / |v|, or 1 if v is 0.

    Args:
        start: Point of any shape.
        first: Point after one step, of the same shape.
        second: Point after two steps.
    """
    bend = np.sqrt(((second - 2 * first + start) ** 2).sum())
    return float(np.sqrt(((first - start) ** 2).sum()) / bend) if bend > 0.0 else 1.0


def extrapolated(start: Floats, first: Floats, second: Floats, length: float) -> Floats:
    """Return the point x + 2 a r + a^2 v for the step length a. The arguments are those of `step_length`."""
    point: Floats = start + 2 * length * (first - start) + length**2 * (second - 2 * first + start)
    return point
