"""Conversion of fractions to integers over one common denominator, because integers are added faster."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import chain, islice
from math import lcm


def whole(fractions: Iterable[Fraction]) -> tuple[list[int], int]:
    """Return the numerators of fractions over their least common denominator, and the denominator."""
    listed = list(fractions)
    over = lcm(*{each.denominator for each in listed})
    return [each.numerator * (over // each.denominator) for each in listed], over


def whole_rows(table: Mapping[int, Sequence[Fraction]]) -> tuple[dict[int, list[int]], int]:
    """Return a table of fractions as numerators over one common denominator, and the denominator."""
    numbers, over = whole(chain.from_iterable(table.values()))
    left = iter(numbers)
    return {code: list(islice(left, len(row))) for code, row in table.items()}, over


class Over(dict[int, Fraction]):
    """A mapping from a numerator to the fraction with a fixed denominator, which builds each fraction once.

    Args:
        denominator: Denominator of all fractions.
    """

    def __init__(self, denominator: int) -> None:
        super().__init__()
        self._denominator = denominator

    def __missing__(self, numerator: int) -> Fraction:
        self[numerator] = made = Fraction(numerator, self._denominator)
        return made
