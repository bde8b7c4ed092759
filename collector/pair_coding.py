"""One code for the answers to two questions: a set of their combinations that has the true one in it.

Where a respondent is asked two questions, of k1 and k2 values, the combination of the answers is one of K = k1 k2. A
code of its own for each, or for sets of them that are no products, makes tables of two questions as precise as subset
selection over the combinations is (Ye & Barg 2018; Wang and others 2016), which two separate codes do not reach. Three
families, all by formula, so that nothing long is published. A code is two numbers below 2^15, its *digits*:

- *plain*: (x, 0) for the combination x, for s = 1;
- *subsets*: all sets of s of the K combinations, as a bit mask in two halves;
- *affine*: (g, b) with 0 < g < p, 0 <= b < p, for a prime p of at least K, stands for the x with (g x + b) mod p < s.
  As the maps x -> g x + b take any two points to any other two, once each, any two points are in equally many sets.
  The points from K up stand for nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, product
from math import comb, isqrt, log2
from typing import Any, TypeVar

from collector.errors import SurveyError

Number = TypeVar("Number", float, Fraction)
PairCode = tuple[int, int]
"""The two digits of a code."""
PLAIN, SUBSETS, AFFINE = PAIR_SCHEMES = ("plain", "subsets", "affine")
DIGIT = 2**15  # digits are below this: the miner keeps them in 16 bits
HALF_MASK = 15  # bits of a digit
MOST_BITS = 2 * HALF_MASK  # combinations that a mask has room for
LARGEST_PRIME = 32_749  # below 2^15


@dataclass(frozen=True)
class PairCoding:
    """How the combinations of two answers are coded: a block design of one of the families above.

    Attributes:
        combinations: K.
        scheme: ``plain``, ``subsets`` or ``affine``.
        points: Of the design: K, or the prime p.
        size: s, how many points a code stands for.

    Raises:
        SurveyError: If there is no such design.
    """

    combinations: int
    scheme: str
    points: int
    size: int

    def __post_init__(self) -> None:
        problem = next((problem for problem, holds in self._checks() if not holds), None)
        if problem:
            raise SurveyError("together", problem, "publish the survey file again instead of editing the design")

    def _checks(self) -> Iterator[tuple[str, bool]]:
        yield "the scheme is not known", self.scheme in PAIR_SCHEMES
        yield "there are fewer than 4 combinations, or too many", 4 <= self.combinations <= LARGEST_PRIME  # noqa: PLR2004 - of two questions of two values
        yield "a code stands for no combination, or for all", 1 <= self.size < self.combinations
        yield "plain codes stand for one combination", (self.scheme == PLAIN) == (self.size == 1)
        points = prime_from(self.combinations) if self.scheme == AFFINE else self.combinations
        yield "its points are not the combinations, or the next prime", self.points == points
        yield f"there are more than {MOST_BITS} combinations", self.scheme != SUBSETS or self.points <= MOST_BITS

    @property
    def sharpness(self) -> Fraction:
        """How many times as likely the truth makes a code as a replacement does: n/s of n points."""
        return Fraction(self.points, self.size)

    @property
    def common(self) -> Fraction:
        """The chance that another combination is in a code of the true one: (s-1)/(n-1)."""
        return Fraction(self.size - 1, self.points - 1)

    @property
    def count(self) -> int:
        """How many codes there are."""
        if self.scheme == AFFINE:
            return self.points * (self.points - 1)
        return comb(self.points, self.size)

    @property
    def codes(self) -> Iterator[PairCode]:
        """Every code. There may be far too many to list."""
        if self.scheme == SUBSETS:
            for some in combinations(range(self.points), self.size):
                yield mask_digits(sum(1 << each for each in some))
        elif self.scheme == AFFINE:
            yield from product(range(1, self.points), range(self.points))
        else:
            yield from ((each, 0) for each in range(self.points))

    def is_code(self, first: int, second: int) -> bool:
        """Whether two digits are a code."""
        if not (0 <= first < DIGIT and 0 <= second < DIGIT):
            return False
        if self.scheme == SUBSETS:
            mask = first + DIGIT * second
            return mask.bit_count() == self.size and mask < 1 << self.points
        if self.scheme == AFFINE:
            return 0 < first < self.points > second
        return first < self.points and second == 0

    def has(self, code: PairCode, combination: int) -> bool:
        """Whether a code stands for a combination, among others."""
        first, second = code
        if self.scheme == SUBSETS:
            return bool((first + DIGIT * second) >> combination & 1)
        if self.scheme == AFFINE:
            return (first * combination + second) % self.points < self.size
        return combination == first

    def reading(self, code: PairCode) -> tuple[Fraction, ...]:
        """How to read a code if it is the truth's: signed weights of the combinations, adding up to 1.

        Unbiased over the draw of a combination's code, as `collector.block_design.block_reading` has it: with c in
        `common`, ([x in code] - c)/(1 - c), and what these lack of 1, on average nothing, dealt evenly.
        """
        owned = [self.has(code, each) for each in range(self.combinations)]
        scale, even = 1 / (1 - self.common), Fraction(1, self.combinations)
        return tuple(even + scale * (each - even * sum(owned)) for each in owned)

    def variance(self, frequency: Number, share: Number, truth: Number) -> Number:
        """Variance of what one response counts for an event, given the combination's own frequencies.

        With F the sum over the points of a code of [x in E] - |E|/K, a response counts |E|/K + F / (theta (1 - c)).
        Exact where any three points are in equally many codes, as plain codes and subsets have it; and where answers
        are even and the points are the combinations. Of other affine codes it is the mean over ways to number them.

        Args:
            frequency: Of the event.
            share: |E|/K, the part of the combinations that belongs to it.
            truth: theta, above 0.
        """
        one: Number = type(share)(1)
        size, points = one * self.size, one * self.points
        common = (size - 1) / (points - 1)
        triple = common * (size - 2) / (points - 2)
        spread = self.combinations * share * (1 - share)
        squared = frequency * (1 - share) ** 2 + (1 - frequency) * share**2
        own = squared * (1 - 2 * common + triple) + (common - triple) * (spread - squared)
        moment = truth * own + (1 - truth) * size / points * (1 - common) * spread
        return moment / (truth * (1 - common)) ** 2 - (frequency - share) ** 2

    def truth(self, odds: Number) -> Number:
        """The chance of sending the truth, o / (o + n/s): every response then has exactly the ratio 1 + o."""
        return odds / (odds + type(odds)(self.points) / self.size)

    def most_bits(self, odds: float) -> float:
        """What a response tells of the answers at most, in bits: the divergence of its chances from even ones."""
        truth, share = self.truth(odds), self.size / self.points
        other = 1 - truth
        own = other * (1 + odds)
        return share * own * log2(own) + (1 - share) * other * log2(other)

    @property
    def design(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            "combinations": self.combinations,
            "scheme": self.scheme,
            "points": self.points,
            "size": self.size,
        }


def mask_digits(mask: int) -> PairCode:
    """The two halves of a bit mask, the low one first."""
    return mask % DIGIT, mask // DIGIT


@lru_cache(maxsize=4096)
def prime_from(number: int) -> int:
    """The smallest prime that is not below a number."""
    found = max(2, number)
    while any(found % each == 0 for each in range(2, isqrt(found) + 1)):
        found += 1
    return found


@lru_cache(maxsize=4096)
def best_pair_coding(kinds: int, odds: float) -> PairCoding:
    """The coding of so many combinations under which their frequencies vary least, answers being even; at least 4.

    Raises:
        SurveyError: If there are too many for a code of two digits.
    """
    every = [PairCoding(kinds, PLAIN, kinds, 1)]
    scheme, points = (SUBSETS, kinds) if kinds <= MOST_BITS else (AFFINE, prime_from(kinds))
    every += [PairCoding(kinds, scheme, points, size) for size in range(2, kinds // 2 + 1)]
    return min(every, key=lambda each: table_variance(each, odds))


def table_variance(coding: PairCoding, odds: float) -> float:
    """The variance of one response, summed over all combinations, answers being even; rounded, to be alike anywhere."""
    even = 1 / coding.combinations
    return float(f"{coding.combinations * coding.variance(even, even, coding.truth(odds)):.9g}")


def pair_codings(numbers: Sequence[int], odds: Fraction) -> tuple[PairCoding, ...]:
    """The best coding for each of these numbers of combinations, ascending.

    Raises:
        SurveyError: If one is too large.
    """
    return tuple(best_pair_coding(each, float(odds)) for each in sorted(set(numbers)))
