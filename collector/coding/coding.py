"""A coding: the codes that stand for each value of a question, and the complement of each code.

- A *paired* coding gives each code a complement, with all bits flipped. The complement channel sends it in place of the
  truth.
- A *plain* coding numbers the values and has no complements.
- In a *block* coding (`collector.coding.block_design`) a code stands for several values at once. If there are many
  values, the uniform channel gives more precise estimates with it.
- In a coding of *thresholds* (`collector.coding.threshold_coding`), for scales, a code stands for several values too.
- A *routed* coding extends one of these by the people who are not asked the question. Each of them sends a random code,
  with the distribution of the codes of the others. The code therefore does not reveal whether the question was asked.

All numbers are exact: priors are fractions, and the draw among several codes of one value has integer weights.
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
    """The codes of one question's values, checked when the coding is built. A coding is frozen and hashable.

    Raises:
        SurveyError: If the parts contradict each other.
    """

    def __post_init__(self) -> None:
        problem = contradiction(self)
        if problem:
            raise SurveyError("coding", problem, "publish the survey file again instead of editing the design")

    def complement(self, code: int) -> int:
        """Return the complement of a code: the code with all bits flipped. Only a paired coding has complements.

        Raises:
            ValueError: If the coding is plain, or the code does not belong to the coding.
        """
        if self.complements is None:
            raise ValueError('the coding "plain" has no complement')
        return self.complements[self.codes.index(code)]

    def value_of(self, code: int) -> int | None:
        """Return the index of the value that a code stands for.

        The result is None if the szucs coding left a value without a partner, and the code is the complement of its
        code. In a routed coding the value is that of people who are asked.

        Raises:
            ValueError: If codes stand for several values. Use `values_of` instead.
        """
        if self.shared:
            raise ValueError("a code stands for several values")
        return next(iter(self.values_of(code)), None)

    def values_of(self, code: int) -> tuple[int, ...]:
        """Return the indices of the values that a code stands for, ascending.

        The result is empty if no value has the code.
        """
        return self._values_of.get(code, ())

    @cached_property
    def _values_of(self) -> dict[int, tuple[int, ...]]:
        owners: dict[int, tuple[int, ...]] = {}
        for value, draws in enumerate(self.draws):
            for code, _ in draws:
                owners[code] = (*owners.get(code, ()), value)
        return owners

    def codes_of(self, value: int) -> tuple[int, ...]:
        """Return the codes that stand for the value with this index."""
        return tuple(code for code, _ in self.draws[value])

    def draw_probabilities(self, value: int) -> dict[int, Fraction]:
        """Return the exact probability of each code with which the browser codes a value."""
        total = sum(weight for _, weight in self.draws[value])
        return {code: Fraction(weight, total) for code, weight in self.draws[value]}

    @cached_property
    def replacement_probabilities(self) -> dict[int, Fraction]:
        """The exact probability with which the uniform channel sends each code in place of the truth."""
        weights = self.replacement or (1,) * len(self.codes)
        return {code: Fraction(weight, sum(weights)) for code, weight in zip(self.codes, weights, strict=True)}

    @property
    def written(self) -> str:
        """The coding as a survey file writes it: shared codes with their parameters, such as ``cyclotomic-13-4``."""
        parameters = SHARED[self.scheme].parameters(self.blocks, len(self.codes)) if self.shared else ()
        return "-".join([self.scheme, *map(str, parameters)])

    @property
    def design(self) -> dict[str, Any]:
        """The coding as plain JSON values. The key `replacement` is left out if replacements are uniform."""
        replacement = {} if self.replacement is None else {"replacement": list(self.replacement)}
        return replacement | {
            "scheme": self.scheme,
            "codes": list(self.codes),
            "complements": None if self.complements is None else list(self.complements),
            "draws": [[list(draw) for draw in draws] for draws in self.draws],
        }

    def replacement_share(self, codes: Collection[int]) -> Fraction:
        """Return the probability that the uniform channel sends one of these codes in place of the truth."""
        chances = self.replacement_probabilities
        return sum((chances[code] for code in codes), start=Fraction(0))

    @cached_property
    def sharpness(self) -> Fraction | None:
        """The largest ratio P(code | truth) / P(code | replacement), or None if there is no bound.

        The sharpness is K for k-ary randomized response, and K / s for a block coding.
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
        """The inverse weights of each code if it is the true code: signed weights of the values that add up to 1.

        Over the draw of a value's code, the mean weight of this value is 1, and the mean weight of any other value is
        0. Sums of weights are therefore unbiased counts. A code that stands for one value gives this value the weight
        1. If the szucs coding leaves a value without a partner, the complement of its code counts for this value too.

        A code that stands for several values gets the weights of its `collector.coding.shared.SharedScheme`.
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

    This coding is for questions that are sent as they are, and for the uniform channel.

    Args:
        values: Number of values.
        replacement: Probability with which the uniform channel sends each value in place of the truth, or None for
            even.

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
    """Return a coding in which a code stands for several values, for a question in a group of the uniform channel.

    Args:
        scheme: Name in `collector.coding.shared.SHARED`.
        values: Number of values.
        parameters: Parameters of the scheme: the order of the projective geometry (a prime power), the size of the
            subsets, or the order of the cyclotomic field and the size of its base set. Thresholds have no parameters.

    Raises:
        SurveyError: If no design has these parameters, or the design has too many codes.
    """
    blocks, codes = SHARED[scheme].blocks(values, *parameters)
    return Coding(scheme, tuple(range(codes)), None, tuple(tuple((code, 1) for code in block) for block in blocks))


def balanced_coding(prior: Sequence[Fraction]) -> Coding:
    """Return the coding that leaves the collector as uncertain of every value as possible.

    Args:
        prior: Expected frequency of each value. All frequencies are positive and add up to 1.

    Returns:
        A paired coding in which the two codes of a pair stand for different values. The binary anonymity of this coding
        is the largest possible (docs/guarantee.md, section 4).
    """
    return _paired_coding("balanced", len(prior), antipodal_pairs(prior))


def szucs_coding(prior: Sequence[Fraction]) -> Coding:
    """Return the coding of Szucs (2013): neighbours by frequency get complementary codes of ceil(log2 k) bits.

    With an odd number of values, the least frequent one is left without a partner. The choice of the least frequent
    value leaves the largest binary anonymity (docs/guarantee.md). The value without a partner is revealed with
    certainty, so use this coding only to reproduce the paper.

    Args:
        prior: Expected frequency of each value. All frequencies are positive and add up to 1.
    """
    paired, alone = neighbours(prior)
    pairs = {pair: Fraction(1) for pair in zip(paired[::2], paired[1::2], strict=True)}
    return _paired_coding("szucs", len(prior), pairs, alone)


def routed_coding(base: Coding, prior: Sequence[Fraction]) -> Coding:
    """Return a coding with one more value, for the people who are not asked.

    Their code is drawn from the codes of the other values.

    Args:
        base: Plain or balanced coding of the values of people who are asked.
        prior: Frequency of each of these values among the people who are asked. The frequencies add up to 1. The draw
            has the distribution of their codes.

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
    """Return the `routed_coding` of a question.

    The coding is balanced if the channel sends complements, and plain otherwise.

    Args:
        prior: Expected frequency of each value. The last one, of people who are not asked, is ignored.
        paired: Whether the channel sends complements.

    Raises:
        SurveyError: If the prior needs a coin finer than one in 2^32.
    """
    shares = prior[:-1]
    asked = [share / sum(shares) for share in shares]
    return routed_coding(balanced_coding(asked) if paired else plain_coding(len(asked)), asked)


def _paired_coding(
    scheme: str, values: int, pairs: dict[tuple[int, int], Fraction], alone: int | None = None
) -> Coding:
    """Number the pairs.

    The first value of a pair gets the low code, and the second one that code with all bits flipped.
    """
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
    """Return integers in the same proportions as the shares, in lowest terms."""
    scale = lcm(*(share.denominator for share in shares))
    weights = [int(share * scale) for share in shares]
    divisor = gcd(*weights)
    if sum(weights) // divisor > WORD:
        raise SurveyError(
            place, "the decimals need a coin finer than one in 2^32", "write the number with fewer decimals"
        )
    return tuple(weight // divisor for weight in weights)
