"""The choice of which values get complementary codes."""

from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

HALF = Fraction(1, 2)


def antipodal_pairs(prior: Sequence[Fraction]) -> dict[tuple[int, int], Fraction]:
    """The pairs of the balanced coding: which values face each other on a circle, and along how long an arc.

    The values lie around a circle of circumference 1, each on an arc as long as its prior; antipodal arcs become
    complementary codes. Values of like frequency are laid opposite each other, so that few arcs need splitting.
    A value that holds more than half of the prior is split among all others in proportion.
    """
    top = max(range(len(prior)), key=lambda value: prior[value])
    if prior[top] > HALF:
        return {(value, top): prior[value] for value in range(len(prior)) if value != top}
    ranked = by_frequency(prior)
    order = ranked[::2] + ranked[1::2]
    ends: list[Fraction] = []
    for value in order:
        ends.append((ends[-1] if ends else Fraction(0)) + prior[value])

    def value_at(point: Fraction) -> int:
        return order[bisect_right(ends, point)]

    cuts = [*sorted({end % HALF for end in ends} | {Fraction(0)}), HALF]
    pairs: dict[tuple[int, int], Fraction] = {}
    for start, end in pairwise(cuts):
        first, second = sorted((value_at(start), value_at(start + HALF)))
        pairs[first, second] = end - start
    return pairs


def neighbours(prior: Sequence[Fraction]) -> tuple[list[int], int | None]:
    """The pairs of the seed coding, one after the other: neighbours by frequency; and the value left alone, if any.

    Of an odd number of values it is the least frequent: no other leaves a larger binary anonymity (docs/guarantee.md).
    """
    ranked = by_frequency(prior)
    return (ranked[:-1], ranked[-1]) if len(ranked) % 2 else (ranked, None)


def by_frequency(prior: Sequence[Fraction]) -> list[int]:
    """The values, the most frequent first."""
    return sorted(range(len(prior)), key=lambda value: -prior[value])
