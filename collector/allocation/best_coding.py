"""Choice of the coding with which estimates of a question have the smallest variance at a given epsilon.

Codings are compared by the second moment of a response's weight for a value, summed over the values. The variance of
estimates is this second moment minus a constant, divided by the number of respondents.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb
from operator import itemgetter
from typing import TypeVar

from collector.channel.rounding import truth_below
from collector.coding.block_design import MOST_CODES, block_reading, dimension_for, images, points
from collector.coding.coding import Coding, block_coding, plain_coding
from collector.coding.common_denominator import whole
from collector.coding.finite_field import ORDERS

WORTH = 1 / 1000  # exponent of the number of codes, each of which costs bytes of the page and a column of the miner
CLOSELY = 5  # number of candidates, the best by the closed form, that are compared exactly
PROMISING = 1.1  # largest measure in closed form, relative to the plain coding, of a candidate that is compared
Number = TypeVar("Number", Fraction, float)


@dataclass(frozen=True)
class BlockDesign:
    """The parameters of a block design, from which a coding can be built.

    Attributes:
        scheme: ``plain``, ``projective``, ``subsets`` or ``cyclotomic``.
        parameters: Parameters of `collector.coding.coding.block_coding`, empty for the plain coding.
        share: Share s/K of all codes that belong to one value.
        common: Share l/s of a value's codes that any second value also has.
        codes: Number of codes K, or an upper bound of K.
    """

    scheme: str
    parameters: tuple[int, ...]
    share: Fraction
    common: Fraction
    codes: int

    def moment(self, values: int, truth: Fraction) -> Fraction:
        """Return the second moment of a response's inverse weight, which does not depend on the prior.

        The second moment is exact if all codes stand for equally many values.
        """
        return closed_moment(values, truth, self.share, self.common)

    @property
    def written(self) -> str:
        """The name of the coding in a survey file, such as ``cyclotomic-13-4``."""
        return "-".join([self.scheme, *map(str, self.parameters)])

    def truth(self, epsilon: Fraction) -> Fraction:
        """Return the largest truth probability with which the coding keeps an epsilon."""
        return truth_below(epsilon, 1 / self.share)


def closed_moment(values: int, truth: Number, share: Number, common: Number) -> Number:
    """Return the second moment of a block design, ((d + k c) (1 - 2 c) + k c^2) / d^2.

    Here k is the number of values, d is theta (1 - l/s), and c is theta l/s + (1 - theta) s/K.
    """
    spread = truth * (1 - common)
    chance = truth * common + (1 - truth) * share
    return ((spread + values * chance) * (1 - 2 * chance) + values * chance**2) / spread**2


def second_moment(coding: Coding, truth: Fraction, prior: Sequence[Fraction]) -> Fraction:
    """Return the exact second moment of a response's inverse weight for a value, summed over the values.

    Args:
        coding: Plain coding without a replacement distribution, or coding of a block design.
        truth: Truth probability of the uniform channel.
        prior: Frequency of each value.
    """
    if not coding.shared:
        return plain_design(len(prior)).moment(len(prior), truth)
    return _Tally.of(coding).moment(truth, prior)


@dataclass(frozen=True)
class _Tally:
    """The properties of a block coding that determine the second moment of its weights under any prior.

    Attributes:
        codes: Number of codes.
        size: Number of codes of each value.
        kinds: Number of codes, number of codes per value, and (inverse weight, number of values) pairs, for each class
            of codes that stand for equally many values.
    """

    codes: int
    size: int
    kinds: tuple[tuple[int, tuple[int, ...], tuple[tuple[Fraction, int], ...]], ...]

    @classmethod
    def of(cls, coding: Coding) -> "_Tally":
        owners = {code: len(coding.values_of(code)) for code in coding.codes}
        numbers = Counter(owners.values())
        alike = {many: code for code, many in reversed(owners.items())}
        held = [Counter(owners[code] for code in block) for block in coding.blocks]
        reading = block_reading(coding.blocks, [*alike.values()])
        kinds = [
            (numbers[many], tuple(each[many] for each in held), tuple(Counter(reading[code]).items()))
            for many, code in alike.items()
        ]
        return cls(len(coding.codes), len(coding.draws[0]), tuple(kinds))

    def moment(self, truth: Fraction, prior: Sequence[Fraction]) -> Fraction:
        other_share, total = (1 - truth) / len(prior), Fraction(0)
        shares, over = whole(prior)
        for number, held, counts in self.kinds:
            squares = sum(((each - other_share) ** 2 * times for each, times in counts), start=Fraction(0))
            own = sum(share * times for share, times in zip(shares, held, strict=True))
            total += (truth * Fraction(own, over * self.size) + (1 - truth) * Fraction(number, self.codes)) * squares
        return total / truth**2


def plain_design(values: int) -> BlockDesign:
    """Return the design with one code for each value."""
    return BlockDesign("plain", (), Fraction(1, values), Fraction(0), values)


def best_coding(prior: Sequence[Fraction], epsilon: Fraction) -> Coding:
    """Return the plain or block coding with the smallest second moment, with a penalty for many codes.

    A coding with twice as many codes is chosen only if the second moment is at least 0.07 % smaller. A thousand more
    codes make the page about ten kilobytes longer.

    Args:
        prior: Frequency of each value.
        epsilon: Epsilon of local differential privacy, above 0.

    Returns:
        The coding with the smallest product of `second_moment` and the 1000th root of the number of codes.
    """
    return _best_coding(tuple(prior), epsilon)


@lru_cache(maxsize=256)
def _best_coding(prior: tuple[Fraction, ...], epsilon: Fraction) -> Coding:
    values, plain = len(prior), plain_coding(len(prior))
    moments = {plain: second_moment(plain, truth_below(epsilon, Fraction(values)), prior)}
    rough = ((_worth(each.moment(values, each.truth(epsilon)), each.codes), each) for each in designs(values))
    for measure, each in sorted(rough, key=itemgetter(0))[:CLOSELY]:
        if measure > _worth(moments[plain], values) * PROMISING:
            break
        other, tally = _candidate(each.scheme, values, *each.parameters)
        moments[other] = tally.moment(each.truth(epsilon), prior)
    return min(moments, key=lambda coding: _worth(moments[coding], len(coding.codes)))


@lru_cache(maxsize=64)
def _candidate(scheme: str, values: int, *parameters: int) -> tuple[Coding, _Tally]:
    """Return a block coding with its cached numbers for the second moment."""
    coding = block_coding(scheme, values, *parameters)
    return coding, _Tally.of(coding)


def _worth(moment: Fraction, codes: int) -> float:
    return float(moment) * float(codes**WORTH)


def designs(values: int) -> Iterator[BlockDesign]:
    """Yield all block designs for a number of values, except the design with one code per value."""
    for size in range(2, values):
        if comb(values, size) <= MOST_CODES:
            shares = Fraction(size, values), Fraction(size - 1, values - 1)
            yield BlockDesign("subsets", (size,), *shares, comb(values, size))
    for order in ORDERS:
        dimension = dimension_for(order, values)
        codes, size, common = (points(order, each) for each in (dimension, dimension - 1, dimension - 2))
        if codes <= MOST_CODES:
            yield BlockDesign("projective", (order,), Fraction(size, codes), Fraction(common, size), codes)
    for order in ORDERS:
        for size in range(2, order // 2 + 1) if values <= order < 2 * values else ():
            if images(order, size) <= MOST_CODES:
                shares = Fraction(size, order), Fraction(size - 1, order - 1)
                yield BlockDesign("cyclotomic", (order, size), *shares, images(order, size))
