"""Arithmetic of small finite fields, for the construction of block designs (see `collector.coding.block_design`)."""

from collections.abc import Sequence
from functools import lru_cache

PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61)
POWERS = {
    4: (2, (1, 1, 1)),
    8: (2, (1, 1, 0, 1)),
    9: (3, (1, 0, 1)),
    16: (2, (1, 1, 0, 0, 1)),
    25: (5, (2, 0, 1)),
    27: (3, (1, 2, 0, 1)),
    32: (2, (1, 0, 1, 0, 0, 1)),
    49: (7, (1, 0, 1)),
    64: (2, (1, 1, 0, 0, 0, 0, 1)),
}
ORDERS: dict[int, tuple[int, tuple[int, ...]]] = dict(
    sorted(({prime: (prime, (0, 1)) for prime in PRIMES} | POWERS).items())
)
"""The prime and an irreducible polynomial over it, lowest power first, by order of the finite field."""


class Field:
    """The addition and multiplication of a finite field.

    An element of the field is a polynomial, written as the number whose base-p digits are the coefficients, where p is
    the field's characteristic.

    Attributes:
        times: Table of the products of any two elements.
        sums: Table of the sums of any two elements.
    """

    def __init__(self, order: int) -> None:
        self._prime, self._polynomial = ORDERS[order]
        elements = range(order)
        self.times = [[self._multiply(first, second) for second in elements] for first in elements]
        self.sums = [[self._add(first, second) for second in elements] for first in elements]

    def product(self, first: Sequence[int], second: Sequence[int]) -> int:
        """Return the scalar product of two vectors."""
        total = 0
        for one, other in zip(first, second, strict=True):
            total = self.sums[total][self.times[one][other]]
        return total

    def powers(self, element: int) -> list[int]:
        """Return the different powers of a non-zero element, beginning with 1."""
        found = [1]
        while (power := self.times[found[-1]][element]) != 1:
            found.append(power)
        return found

    @property
    def primitive_powers(self) -> list[int]:
        """The powers of the first primitive element: all non-zero elements of the field."""
        order = len(self.times)
        return next(powers for powers in map(self.powers, range(1, order)) if len(powers) == order - 1)

    def _digits(self, element: int) -> list[int]:
        return [element // self._prime**place % self._prime for place in range(len(self._polynomial) - 1)]

    def _number(self, digits: Sequence[int]) -> int:
        return sum(digit * self._prime**place for place, digit in enumerate(digits))

    def _add(self, first: int, second: int) -> int:
        pairs = zip(self._digits(first), self._digits(second), strict=True)
        return self._number([(one + other) % self._prime for one, other in pairs])

    def _multiply(self, first: int, second: int) -> int:
        degree = len(self._polynomial) - 1
        digits = [0] * (2 * degree - 1)
        for place, one in enumerate(self._digits(first)):
            for other_place, other in enumerate(self._digits(second)):
                digits[place + other_place] += one * other
        for place in range(len(digits) - 1, degree - 1, -1):  # the polynomial is monic, and 0
            for offset, coefficient in enumerate(self._polynomial):
                digits[place - degree + offset] -= digits[place] * coefficient
        return self._number([digit % self._prime for digit in digits[:degree]])


@lru_cache(maxsize=64)
def field(order: int) -> Field:
    """Return the finite field with this order, which must be in `ORDERS`."""
    return Field(order)
