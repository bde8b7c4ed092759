"""Compiled loops over every set of combinations that a code of two answers may stand for (`miner.fitted_pairs`).

Sets are of K combinations, numbered from 0, and of one point more, K, that every set has: what is the same for all sets
is the amount at that point.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from miner.compiled import compiled

Array = NDArray[Any]


@compiled
def affine_sums(points: int, size: int, amounts: Array) -> Array:
    """Over the affine codes of s of p points: of 1 / what a set has of an amount, by which two points it has.

    The code (g, b) and its mirror image (-g, s - 1 - b) are the same set: half of them are gone through.

    Args:
        points: p.
        size: s.
        amounts: Shape (K + 1,); every set has more than 0.

    Returns:
        Shape (K + 1, K + 1).
    """
    sums, members = np.zeros((len(amounts), len(amounts))), np.empty(size + 1, np.int64)
    for scale in range(1, (points - 1) // 2 + 1):
        inverse = _inverse(scale, points)
        for shift in range(points):
            _add(members[: _fill(members, inverse, shift, points, len(amounts) - 1)], amounts, sums)
    return 2 * sums


@compiled
def subset_sums(points: int, size: int, amounts: Array) -> Array:
    """The same over all sets of s of K combinations."""
    sums, members = np.zeros((len(amounts), len(amounts))), np.append(np.arange(size), points)
    _add(members, amounts, sums)
    while _next(members[:size], points):
        _add(members, amounts, sums)
    return sums


@compiled
def _inverse(number: int, prime: int) -> int:
    """Of a number modulo a prime, by Fermat."""
    found, power, exponent = 1, number, prime - 2
    while exponent:
        if exponent % 2:
            found = found * power % prime
        power, exponent = power * power % prime, exponent // 2
    return found


@compiled
def _fill(members: Array, inverse: int, shift: int, points: int, kinds: int) -> int:
    """Write the combinations of the code (1 / inverse, shift), then the point that every set has; and how many."""
    count = 0
    for place in range(len(members) - 1):
        member = inverse * ((place - shift) % points) % points
        if member < kinds:
            members[count] = member
            count += 1
    members[count] = kinds
    return count + 1


@compiled
def _next(members: Array, points: int) -> bool:
    """Make it the next set in lexicographic order; false if it is the last."""
    size = len(members)
    last = size - 1
    while last >= 0 and members[last] == points - size + last:
        last -= 1
    if last < 0:
        return False
    members[last] += 1
    for place in range(last + 1, size):
        members[place] = members[place - 1] + 1
    return True


@compiled
def _add(members: Array, amounts: Array, sums: Array) -> None:
    """Add 1 / what a set has to the sums of any two of its points."""
    held = 0.0
    for member in members:
        held += amounts[member]
    for member in members:
        for other in members:
            sums[member, other] += 1 / held
