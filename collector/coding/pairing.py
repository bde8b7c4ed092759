"""The choice of pairs of values that get complementary codes."""

from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

HALF = Fraction(1, 2)


def antipodal_pairs(prior: Sequence[Fraction]) -> dict[tuple[int, int], Fraction]:
    """Return pairs of values whose arcs lie opposite each other on a circle, with the lengths of the opposite arcs.

    The values lie around a circle of circumference 1, and the length of each value's arc is its prior. Values with
    similar frequencies are placed opposite each other. A value with a prior above 1/2 is paired with each of the other
    values.
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
    """Return pairs of values that are neighbours in order of frequency, and the value without a partner or None.

    If the number of values is odd, the least frequent value has no partner.
    """
    ranked = by_frequency(prior)
    return (ranked[:-1], ranked[-1]) if len(ranked) % 2 else (ranked, None)


def by_frequency(prior: Sequence[Fraction]) -> list[int]:
    """Return the values sorted by frequency, the most frequent first."""
    return sorted(range(len(prior)), key=lambda value: -prior[value])
