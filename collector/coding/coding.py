"""A coding: the codes that stand for each value of a question, and the complement of each code.

A *paired* coding has an involution, the complement, that flips all bits of a code: it is what the complement channel
sends in place of the truth. A *plain* coding numbers the values and has no complement. In a *block* coding
(`collector.coding.block_design`) a code stands for several values at once: it is what the uniform channel sends less
noisily where there are many of them. So it does in a coding of *thresholds* (`collector.coding.threshold_coding`), for
scales. A *routed* coding is one of these for the values that answer a question; whoever is not asked it is coded as a
draw from what the others are coded as, so that the code says nothing of whether the question was asked.

Everything is exact: priors are fractions, and the draw among several codes of one value has integer weights.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import gcd, lcm
from typing import Any

from collector.coding.coding_check import ROUTED, WORD, CodingParts, Draw, contradiction
from collector.coding.pairing import antipodal_pairs, neighbours
from collector.coding.shared import SHARED
from collector.errors import SurveyError

__all__ = [
    "HALF",
    "WORD",
    "Coding",
    "Draw",
    "balanced_coding",
    "block_coding",
    "drawn_coding",
    "plain_coding",
    "routed_coding",
    "szucs_coding",
]

HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Coding(CodingParts):
    """The codes of one question's values: `CodingParts`, checked when built. Frozen and hashable.

    Raises:
        SurveyError: If the parts contradict each other.
    """

    def __post_init__(self) -> None:
        problem = contradiction(self)
        if problem:
            raise SurveyError("coding", problem, "publish the survey file again instead of editing the design")

    def complement(self, code: int) -> int:
        """The partner of a code: all its bits flipped. Only a paired coding has one.

        Raises:
            ValueError: If the coding is plain or the code is not one of its codes.
        """
        if self.complements is None:
            raise ValueError("a plain coding has no complement")
        return self.complements[self.codes.index(code)]

    def value_of(self, code: int) -> int | None:
        """The index of the value a code stands for; None for the partner of a value that szucs coding left alone.

        In a routed coding it is the value of those who are asked.

        Raises:
            ValueError: If codes stand for several values: `values_of` tells which.
        """
        if self.shared:
            raise ValueError("a code stands for several values")
        return next(iter(self.values_of(code)), None)

    def values_of(self, code: int) -> tuple[int, ...]:
        """The indices of the values a code stands for, ascending; none for a code that is never the truth's."""
        return self._values_of.get(code, ())

    @cached_property
    def _values_of(self) -> dict[int, tuple[int, ...]]:
        owners: dict[int, tuple[int, ...]] = {}
        for value, draws in enumerate(self.draws):
            for code, _ in draws:
                owners[code] = (*owners.get(code, ()), value)
        return owners

    def codes_of(self, value: int) -> tuple[int, ...]:
        """The codes that stand for the value with this index."""
        return tuple(code for code, _ in self.draws[value])

    def draw_probabilities(self, value: int) -> dict[int, Fraction]:
        """Exact chances with which the browser codes a value, by code."""
        total = sum(weight for _, weight in self.draws[value])
        return {code: Fraction(weight, total) for code, weight in self.draws[value]}

    @cached_property
    def replacement_probabilities(self) -> dict[int, Fraction]:
        """Exact chances with which the uniform channel sends each code in place of the truth."""
        weights = self.replacement or (1,) * len(self.codes)
        return {code: Fraction(weight, sum(weights)) for code, weight in zip(self.codes, weights, strict=True)}

    @property
    def written(self) -> str:
        """The coding as a survey file writes it: shared codes with their parameters, such as ``cyclotomic-13-4``."""
        parameters = SHARED[self.scheme].parameters(self.blocks, len(self.codes)) if self.shared else ()
        return "-".join([self.scheme, *map(str, parameters)])

    @property
    def design(self) -> dict[str, Any]:
        """The coding as plain JSON values; `replacement` stands there only where there is one."""
        replacement = {} if self.replacement is None else {"replacement": list(self.replacement)}
        return replacement | {
            "scheme": self.scheme,
            "codes": list(self.codes),
            "complements": None if self.complements is None else list(self.complements),
            "draws": [[list(draw) for draw in draws] for draws in self.draws],
        }

    def replacement_share(self, codes: Collection[int]) -> Fraction:
        """The chance that the uniform channel sends one of these codes in place of the truth."""
        chances = self.replacement_probabilities
        return sum((chances[code] for code in codes), start=Fraction(0))

    @cached_property
    def sharpness(self) -> Fraction | None:
        """The largest ratio P(code | truth) / P(code | replacement); None if it has no bound.

        K for k-ary randomized response, K / s for a block coding.
        """
        weights = self.replacement or (1,) * len(self.codes)
        chances = dict(zip(self.codes, weights, strict=True))
        drawn = {
            (weight, sum(each for _, each in draws), chances[code]) for draws in self.draws for code, weight in draws
        }
        if any(chance == 0 for *_, chance in drawn):
            return None
        return max(Fraction(weight * sum(weights), whole * chance) for weight, whole, chance in drawn)

    @cached_property
    def reading(self) -> dict[int, tuple[Fraction, ...]]:
        """Inverse weights of each code if it is the truth: signed weights of the values, adding up to 1.

        Over the draw of a value's code, the mean weight of the value itself is 1 and that of any other 0, so that
        counting weights instead of values is unbiased. A code that stands for one value gives it all; the partner of a
        value that szucs coding left alone, which is sent for no other, is read as that value.

        A code that stands for several values is read as its `collector.coding.shared.SharedScheme` says.
        """
        if self.shared:
            return SHARED[self.scheme].reading(self.blocks, self.codes)
        whole = {}
        for code in self.codes:
            value = self.value_of(code)
            owner = self.value_of(self.complement(code)) if value is None else value
            whole[code] = tuple(Fraction(owner == each) for each in range(len(self.draws)))
        return whole


def plain_coding(values: int, replacement: Sequence[Fraction] | None = None) -> Coding:
    """Number the values 0, 1, 2, ...: for questions sent as they are and for the uniform channel.

    Args:
        values: How many there are.
        replacement: With what probability the uniform channel sends each in place of the truth; evenly unless given.

    Raises:
        SurveyError: If the probabilities need a coin finer than one in 2^32.
    """
    codes = tuple(range(values))
    weights = None
    if replacement is not None and len(set(replacement)) > 1:
        weights = _whole_weights(replacement, "replacement")
    return Coding("plain", codes, None, tuple(((code, 1),) for code in codes), weights)


@lru_cache(maxsize=64)
def block_coding(scheme: str, values: int, *parameters: int) -> Coding:
    """A coding in which a code stands for several values, for a question in a group of the uniform channel.

    Args:
        scheme: A name in `collector.coding.shared.SHARED`.
        values: How many there are.
        parameters: The order of the projective geometry (a prime power); the size of the subsets; or the order of the
            field and the size of the base set; of thresholds none.

    Raises:
        SurveyError: If there is no such design, or it has too many codes.
    """
    blocks, codes = SHARED[scheme].blocks(values, *parameters)
    return Coding(scheme, tuple(range(codes)), None, tuple(tuple((code, 1) for code in block) for block in blocks))


def balanced_coding(prior: Sequence[Fraction]) -> Coding:
    """The coding that leaves a collector as unsure of every value as any coding can (docs/guarantee.md, section 4).

    Args:
        prior: Expected frequency of each value: positive, adding up to 1.

    Returns:
        A paired coding in which the two codes of a pair stand for different values. docs/guarantee.md has the proof
        that its binary anonymity is the largest possible.
    """
    return _paired_coding("balanced", len(prior), antipodal_pairs(prior))


def szucs_coding(prior: Sequence[Fraction]) -> Coding:
    """The seed coding (Szucs 2013): neighbours by frequency get complementary codes of ceil(log2 k) bits.

    With an odd number of values one is left alone, the least frequent or the most frequent, whichever leaves the
    larger binary anonymity: the least frequent, as docs/guarantee.md proves. That value is revealed with certainty: use
    it to reproduce the paper, not to protect.

    Args:
        prior: Expected frequency of each value: positive, adding up to 1.
    """
    paired, alone = neighbours(prior)
    pairs = {pair: Fraction(1) for pair in zip(paired[::2], paired[1::2], strict=True)}
    return _paired_coding("szucs", len(prior), pairs, alone)


def routed_coding(base: Coding, prior: Sequence[Fraction]) -> Coding:
    """A coding with one more value, of those who are not asked: a draw from the codes of the others.

    Args:
        base: A plain or balanced coding of the values that answer the question.
        prior: How frequent each of these is among those who are asked; adding up to 1. The draw has the
            distribution of their codes.

    Raises:
        SurveyError: If the prior needs a coin finer than one in 2^32.
    """
    chances = {
        code: share * chance
        for value, share in enumerate(prior)
        for code, chance in base.draw_probabilities(value).items()
    }
    drawn = sorted(chances)
    weights = _whole_weights([chances[code] for code in drawn], "prior")
    draws = (*base.draws, tuple(zip(drawn, weights, strict=True)))
    return Coding(ROUTED, base.codes, base.complements, draws)


def drawn_coding(prior: Sequence[Fraction], *, paired: bool) -> Coding:
    """The `routed_coding` of a question, balanced for a channel that sends complements.

    Args:
        prior: Expected frequency of each value; the last, of those who are not asked, does not matter.
        paired: Whether each code has a complement.

    Raises:
        SurveyError: If the prior needs a coin finer than one in 2^32.
    """
    shares = prior[:-1]
    asked = [share / sum(shares) for share in shares]
    return routed_coding(balanced_coding(asked) if paired else plain_coding(len(asked)), asked)


def _paired_coding(
    scheme: str, values: int, pairs: dict[tuple[int, int], Fraction], alone: int | None = None
) -> Coding:
    """Number the pairs; the first value of a pair gets the low code, its partner that code with all bits flipped."""
    count = len(pairs) + (alone is not None)
    mask = 2 ** (2 * count - 1).bit_length() - 1
    shares: list[list[tuple[int, Fraction]]] = [[] for _ in range(values)]
    for low, ((first, second), length) in enumerate(pairs.items()):
        shares[first].append((low, length))
        shares[second].append((mask ^ low, length))
    if alone is not None:
        shares[alone].append((count - 1, Fraction(1)))
    codes = sorted({code for low in range(count) for code in (low, mask ^ low)})
    draws = tuple(_integer_weights(share) for share in shares)
    return Coding(scheme, tuple(codes), tuple(mask ^ code for code in codes), draws)


def _integer_weights(share: list[tuple[int, Fraction]]) -> tuple[Draw, ...]:
    weights = _whole_weights([length for _, length in share], "prior")
    return tuple((code, weight) for (code, _), weight in zip(share, weights, strict=True))


def _whole_weights(shares: Sequence[Fraction], place: str) -> tuple[int, ...]:
    """Integers in the same proportions, in lowest terms."""
    scale = lcm(*(share.denominator for share in shares))
    weights = [int(share * scale) for share in shares]
    divisor = gcd(*weights)
    if sum(weights) // divisor > WORD:
        raise SurveyError(place, "its decimals need a coin finer than one in 2^32", "write it with fewer decimals")
    return tuple(weight // divisor for weight in weights)
