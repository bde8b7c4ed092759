"""Sets of codes for values, such that any two values have equally many codes in common: block designs.

Sending a random one of a value's s codes, and now and then a uniform one of all K, is the optimal shape of a locally
private channel where there are many values (Ye & Barg 2018; for block designs Park, Nam & Lee 2023). Two families:

- *subsets*: a code for each set of d values; a value has the sets that it is in (subset selection, Ye & Barg 2018;
  Wang and others 2016).
- *projective*: a code for each point of the projective geometry over the field of q elements, a value for each
  hyperplane; a value has the points that are in it (Feldman, Nelson, Nguyen & Talwar 2022). Its codes are few: about
  as many as values.

k-ary randomized response is s = 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import comb

from collector.errors import SurveyError

BLOCK_SCHEMES = ("projective", "subsets")
MOST_CODES = 2048
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43)
POWERS = {4: (2, (1, 1, 1)), 8: (2, (1, 1, 0, 1)), 9: (3, (1, 0, 1)), 16: (2, (1, 1, 0, 0, 1))}
ORDERS: dict[int, tuple[int, tuple[int, ...]]] = dict(
    sorted(({prime: (prime, (0, 1)) for prime in PRIMES} | POWERS).items())
)
"""For each order of a finite field its prime, and an irreducible polynomial over that, lowest power first."""
Blocks = list[tuple[int, ...]]


def projective_blocks(values: int, order: int) -> tuple[Blocks, int]:
    """The points of so many hyperplanes of the smallest projective geometry that has them, and how many points it has.

    Raises:
        SurveyError: If the order is none that we know, or there would be too many points.
    """
    if order not in ORDERS:
        known = ", ".join(map(str, ORDERS))
        raise SurveyError("coding", "there is no field of this order here", f"use one of: {known}")
    dimension = dimension_for(order, values)
    _check_size(points(order, dimension))
    field, vectors = _Field(order), list(_vectors(order, dimension))
    blocks = [
        tuple(number for number, point in enumerate(vectors) if field.product(plane, point) == 0)
        for plane in vectors[:values]
    ]
    return blocks, len(vectors)


def dimension_for(order: int, values: int) -> int:
    """Of the smallest vector space whose projective geometry has so many hyperplanes, at least 3."""
    dimension = 3
    while points(order, dimension) < values:
        dimension += 1
    return dimension


def points(order: int, dimension: int) -> int:
    """How many points, and hyperplanes, a projective geometry has, given the dimension of its vector space."""
    return sum(order**power for power in range(dimension))


def subset_blocks(values: int, size: int) -> tuple[Blocks, int]:
    """For each value the sets of so many values that it is in, numbered through; and how many sets there are.

    Raises:
        SurveyError: If a set has no room for two values or room for all, or there would be too many sets.
    """
    if not 1 < size < values:
        raise SurveyError(
            "coding", "the size of its subsets is not 2 or more and below the number of values", "mend it"
        )
    _check_size(comb(values, size))
    subsets = list(combinations(range(values), size))
    blocks = [tuple(number for number, each in enumerate(subsets) if value in each) for value in range(values)]
    return blocks, len(subsets)


def _check_size(codes: int) -> None:
    if codes > MOST_CODES:
        raise SurveyError("coding", f"it needs more than {MOST_CODES} codes", "choose another, or drop the coding")


def _vectors(order: int, dimension: int) -> Iterator[tuple[int, ...]]:
    """A vector for each point: those whose first coordinate that is not 0 is 1."""
    for zeros in range(dimension):
        for rest in product(range(order), repeat=dimension - zeros - 1):
            yield (*[0] * zeros, 1, *rest)


class _Field:
    """Arithmetic of a finite field; an element is the number whose digits are its polynomial's coefficients."""

    def __init__(self, order: int) -> None:
        self._prime, self._polynomial = ORDERS[order]
        elements = range(order)
        self._times = [[self._multiply(first, second) for second in elements] for first in elements]
        self._sums = [[self._add(first, second) for second in elements] for first in elements]

    def product(self, first: Sequence[int], second: Sequence[int]) -> int:
        """The scalar product of two vectors."""
        total = 0
        for one, other in zip(first, second, strict=True):
            total = self._sums[total][self._times[one][other]]
        return total

    def _digits(self, element: int) -> list[int]:
        return [element // self._prime**place % self._prime for place in range(len(self._polynomial) - 1)]

    def _number(self, digits: Sequence[int]) -> int:
        return sum(digit * self._prime**place for place, digit in enumerate(digits))

    def _add(self, first: int, second: int) -> int:
        pairs = zip(self._digits(first), self._digits(second), strict=True)
        return self._number([(one + other) % self._prime for one, other in pairs])

    def _multiply(self, first: int, second: int) -> int:
        degree = len(self._polynomial) - 1
        if degree == 1:
            return first * second % self._prime
        digits = [0] * (2 * degree - 1)
        for place, one in enumerate(self._digits(first)):
            for other_place, other in enumerate(self._digits(second)):
                digits[place + other_place] += one * other
        for place in range(len(digits) - 1, degree - 1, -1):  # the polynomial is monic, and 0
            for offset, coefficient in enumerate(self._polynomial):
                digits[place - degree + offset] -= digits[place] * coefficient if offset < degree else 0
        return self._number([digit % self._prime for digit in digits[:degree]])


def is_block_design(blocks: Sequence[frozenset[int]], codes: int) -> bool:
    """Whether values have equally many codes, not all of them, and any two values equally many in common, and fewer."""
    sizes = {len(block) for block in blocks}
    common = {len(first & second) for first, second in combinations(blocks, 2)}
    return len(sizes) == len(common) == 1 and max(common) < max(sizes) < codes


def block_reading(blocks: Sequence[frozenset[int]], codes: Sequence[int]) -> dict[int, tuple[Fraction, ...]]:
    """How to read each code: signed weights of the values, adding up to 1, unbiased over the draw of a value's code.

    With s codes for each value and l in common to any two, value v weighs ([v has the code] - l/s) / (1 - l/s). Where
    the values are not all there could be, these do not add up to 1: what is missing, on average nothing, is dealt
    evenly.
    """
    common = Fraction(len(blocks[0] & blocks[1]), len(blocks[0]))
    with_code, without = Fraction(1), -common / (1 - common)
    reading = {}
    for code in codes:
        has = [code in block for block in blocks]
        missing = (1 - sum(has) * with_code - (len(has) - sum(has)) * without) / len(has)
        own, other = with_code + missing, without + missing
        reading[code] = tuple(own if each else other for each in has)
    return reading
