"""Codings of questions: the codes that stand for each value, and the complement of each code.

- A *paired* coding gives each code a complement, with all bits flipped. The complement channel may send the complement
  in place of the true code.
- A *plain* coding numbers the values 0, 1, 2, ...
- In a *block* coding (see `collector.coding.block_design`), a code stands for several values. A block coding makes
  estimates of questions with many values more precise.
- In a *thresholds* coding of a scale (see `collector.coding.threshold_coding`), a code stands for all values on one
  side of a threshold.
- In a *routed* coding, people who are not asked the question send a random code, so that the code does not reveal who
  was asked.
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
    """The immutable mapping from the values of a question to codes.

    Raises:
        SurveyError: If the parts of the coding contradict each other.
    """

    def __post_init__(self) -> None:
        problem = contradiction(self)
        if problem:
            raise SurveyError("coding", problem, "publish the survey file again instead of editing the design")

    def complement(self, code: int) -> int:
        """Return the complement of a code (all bits flipped) in a paired coding.

        Raises:
            ValueError: If the coding has no complements, or the code does not belong to the coding.
        """
        if self.complements is None:
            raise ValueError('the coding "plain" has no complement')
        return self.complements[self.codes.index(code)]

    def value_of(self, code: int) -> int | None:
        """Return the position of the value that a code stands for, or None.

        In the szucs coding, the complement of the code of a value without a partner stands for no value. In a routed
        coding, the inverse weights of a code assume that the person was asked the question.

        Raises:
            ValueError: If a code of this coding stands for several values.
        """
        if self.shared:
            raise ValueError("a code stands for several values")
        return next(iter(self.values_of(code)), None)

    def values_of(self, code: int) -> tuple[int, ...]:
        """Return the positions of the values that a code stands for, in ascending order, or an empty tuple."""
        return self._values_of.get(code, ())

    @cached_property
    def _values_of(self) -> dict[int, tuple[int, ...]]:
        owners: dict[int, tuple[int, ...]] = {}
        for value, draws in enumerate(self.draws):
            for code, _ in draws:
                owners[code] = (*owners.get(code, ()), value)
        return owners

    def codes_of(self, value: int) -> tuple[int, ...]:
        """Return the codes that stand for a value."""
        return tuple(code for code, _ in self.draws[value])

    def draw_probabilities(self, value: int) -> dict[int, Fraction]:
        """Return the exact probabilities with which the browser draws the codes of a value."""
        total = sum(weight for _, weight in self.draws[value])
        return {code: Fraction(weight, total) for code, weight in self.draws[value]}

    @cached_property
    def replacement_probabilities(self) -> dict[int, Fraction]:
        """The exact probability with which the uniform channel sends each code in place of the truth."""
        weights = self.replacement or (1,) * len(self.codes)
        return {code: Fraction(weight, sum(weights)) for code, weight in zip(self.codes, weights, strict=True)}

    @property
    def written(self) -> str:
        """The name of the coding in a survey file, with any parameters, as in ``cyclotomic-13-4``."""
        parameters = SHARED[self.scheme].parameters(self.blocks, len(self.codes)) if self.shared else ()
        return "-".join([self.scheme, *map(str, parameters)])

    @property
    def design(self) -> dict[str, Any]:
        """The coding as plain JSON values."""
        replacement = {} if self.replacement is None else {"replacement": list(self.replacement)}
        return replacement | {
            "scheme": self.scheme,
            "codes": list(self.codes),
            "complements": None if self.complements is None else list(self.complements),
            "draws": [[list(draw) for draw in draws] for draws in self.draws],
        }

    def replacement_share(self, codes: Collection[int]) -> Fraction:
        """Return the probability that the uniform channel sends one of some codes in place of the truth."""
        chances = self.replacement_probabilities
        return sum((chances[code] for code in codes), start=Fraction(0))

    @cached_property
    def sharpness(self) -> Fraction | None:
        """The largest ratio P(code | truth) / P(code | replacement), or None if the ratio has no bound.

        The sharpness of a coding with K codes, of which s stand for each value, is K / s.
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
        """The inverse weights of each true code, which are signed weights of the values that add up to 1.

        For a person with value v, the weight of v has the mean 1 over the codes drawn, and any other weight has the
        mean 0. In the szucs coding, the code of a value without a partner and its complement both count for the value.
        The weights of a code that stands for several values are defined in `collector.coding.shared`.
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
    """Return a coding that numbers the values 0, 1, 2, ...

    A plain coding is for undisguised questions and for the uniform channel.

    Args:
        values: Number of values.
        replacement: Probability with which the uniform channel sends each value in place of the truth, or None for
            equal probabilities.

    Raises:
        SurveyError: If a probability in `replacement` cannot be drawn from 32 random bits.
    """
    codes = tuple(range(values))
    weights = None
    if replacement is not None and len(set(replacement)) > 1:
        weights = _whole_weights(replacement, "replacement")
    return Coding("plain", codes, None, tuple(((code, 1),) for code in codes), weights)


@lru_cache(maxsize=64)
def block_coding(scheme: str, values: int, *parameters: int) -> Coding:
    """Return a coding in which a code stands for several values, for the uniform channel.

    Args:
        scheme: Name in `collector.coding.shared.SHARED`.
        values: Number of values.
        parameters: Parameters of the scheme: the order of the projective geometry (a prime power), the size of the
            subsets, or the order of the cyclotomic field and the size of its base set.

    Raises:
        SurveyError: If no design has these parameters, or the design has too many codes.
    """
    blocks, codes = SHARED[scheme].blocks(values, *parameters)
    return Coding(scheme, tuple(range(codes)), None, tuple(tuple((code, 1) for code in block) for block in blocks))


def balanced_coding(prior: Sequence[Fraction]) -> Coding:
    """Return the paired coding that keeps the collector most uncertain about the values.

    Args:
        prior: Expected frequencies of the values, which are positive and add up to 1.

    Returns:
        A paired coding in which the two codes of a pair stand for different values. No other coding has a larger binary
        anonymity (docs/guarantee.md, section 4).
    """
    return _paired_coding("balanced", len(prior), antipodal_pairs(prior))


def szucs_coding(prior: Sequence[Fraction]) -> Coding:
    """Return the coding of Szucs (2013), in which values of similar frequency get complementary codes.

    For k values, codes have ceil(log2 k) bits. If the number of values is odd, the code of the least frequent value
    reveals the value with certainty. Use the szucs coding only to reproduce the paper of Szucs (2013).

    Args:
        prior: Expected frequency of each value.
    """
    paired, alone = neighbours(prior)
    pairs = {pair: Fraction(1) for pair in zip(paired[::2], paired[1::2], strict=True)}
    return _paired_coding("szucs", len(prior), pairs, alone)


def routed_coding(base: Coding, prior: Sequence[Fraction]) -> Coding:
    """Return a coding with an additional value for people who are not asked the question.

    Args:
        base: Plain or balanced coding of the values of people who are asked.
        prior: Frequencies of the values among people who are asked, which add up to 1 and determine the distribution of
            the drawn codes.

    Raises:
        SurveyError: If a frequency in `prior` cannot be drawn from 32 random bits.
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
    """Return the `routed_coding` of a question, based on the balanced or the plain coding.

    Args:
        prior: Expected frequency of each value, and last the share of people who are not asked, which is ignored.
        paired: Whether to use the balanced coding, for the complement channel.

    Raises:
        SurveyError: If the prior needs a coin finer than one in 2^32.
    """
    shares = prior[:-1]
    asked = [share / sum(shares) for share in shares]
    return routed_coding(balanced_coding(asked) if paired else plain_coding(len(asked)), asked)


def _paired_coding(
    scheme: str, values: int, pairs: dict[tuple[int, int], Fraction], alone: int | None = None
) -> Coding:
    """Return a coding in which the two values of each pair have complementary codes."""
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
    """Return the smallest integers that are proportional to some shares."""
    scale = lcm(*(share.denominator for share in shares))
    weights = [int(share * scale) for share in shares]
    divisor = gcd(*weights)
    if sum(weights) // divisor > WORD:
        raise SurveyError(
            place,
            "the probabilities have too many decimals: a coin draws multiples of 1/2^32",
            "write the probabilities with fewer decimals",
        )
    return tuple(weight // divisor for weight in weights)
