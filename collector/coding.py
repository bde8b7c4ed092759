"""Answers to codes: which small integers stand for a value, and which code is a value's partner under disguise.

A *paired* coding has an involution, the complement, that flips all bits of a code: it is what the complement channel
sends in place of the truth. A *plain* coding numbers the values and has no complement.

Everything is exact: priors are fractions, and the draw among several codes of one value has integer weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import gcd, lcm, log2

from collector.errors import SurveyError

HALF = Fraction(1, 2)
WORD = 2**32  # a coin is drawn from one 32-bit word, in the browser as here
LARGEST_CODE = 2**15 - 1  # the miner keeps codes in 16 bits

Draw = tuple[int, int]
"""A code and its weight: the value is sent as this code with probability weight / sum of the value's weights."""


@dataclass(frozen=True)
class Coding:
    """How the values of one question become codes. Checked when built; frozen and hashable.

    Attributes:
        scheme: ``plain``, ``szucs`` or ``balanced``.
        codes: Every code that may be sent, ascending.
        complements: The partner of each code, in the order of `codes`; None for a plain coding.
        draws: For each value the codes that stand for it, with positive integer weights.

    Raises:
        SurveyError: If the parts contradict each other.
    """

    scheme: str
    codes: tuple[int, ...]
    complements: tuple[int, ...] | None
    draws: tuple[tuple[Draw, ...], ...]

    def __post_init__(self) -> None:
        problem = self._contradiction()
        if problem:
            raise SurveyError("coding", problem, "publish the survey file again instead of editing the design")

    def _contradiction(self) -> str | None:
        used = [code for draws in self.draws for code, _ in draws]
        partners = self.complements or ()
        mask = max(self.codes, default=0)
        checks = {
            "the codes are not ascending non-negative integers": list(self.codes) == sorted(set(self.codes))
            and min(self.codes, default=-1) >= 0,
            "a code is larger than 2^15 - 1": mask <= LARGEST_CODE,
            "a value has no code": all(self.draws) and len(self.draws) > 1,
            "a code stands for two values": len(used) == len(set(used)),
            "a value has a code that is not among the codes": set(used) <= set(self.codes),
            "a weight is not positive, or the weights of a value add up to more than 2^32": all(
                min(weight for _, weight in draws) > 0 and sum(weight for _, weight in draws) <= WORD
                for draws in self.draws
                if draws
            ),
        }
        if self.scheme == "plain":
            checks["a plain coding numbers its values from 0"] = (
                self.complements is None
                and used == list(self.codes) == list(range(len(self.draws)))
                and all(len(draws) == 1 for draws in self.draws)
            )
        else:
            checks["the scheme is not plain, szucs or balanced"] = self.scheme in {"szucs", "balanced"}
            checks["a complement does not flip all bits of its code"] = (
                (mask & (mask + 1)) == 0
                and list(partners) == [mask ^ code for code in self.codes]
                and set(partners) == set(self.codes)
            )
        return next((problem for problem, holds in checks.items() if not holds), None)

    @cached_property
    def _value_of(self) -> dict[int, int]:
        return {code: value for value, draws in enumerate(self.draws) for code, _ in draws}

    def complement(self, code: int) -> int:
        """The partner of a code: all its bits flipped. Only a paired coding has one.

        Raises:
            ValueError: If the coding is plain or the code is not one of its codes.
        """
        if self.complements is None:
            raise ValueError("a plain coding has no complement")
        return self.complements[self.codes.index(code)]

    def value_of(self, code: int) -> int | None:
        """The index of the value a code stands for; None for the partner of a value that szucs coding left alone."""
        return self._value_of.get(code)

    def codes_of(self, value: int) -> tuple[int, ...]:
        """The codes that stand for the value with this index."""
        return tuple(code for code, _ in self.draws[value])

    def draw_probabilities(self, value: int) -> dict[int, Fraction]:
        """For each code of a value, the exact chance that the browser codes the value so."""
        total = sum(weight for _, weight in self.draws[value])
        return {code: Fraction(weight, total) for code, weight in self.draws[value]}


def plain_coding(values: int) -> Coding:
    """Number the values 0, 1, 2, ...: for questions sent as they are and for the uniform channel."""
    codes = tuple(range(values))
    return Coding("plain", codes, None, tuple(((code, 1),) for code in codes))


def balanced_coding(prior: Sequence[Fraction]) -> Coding:
    """The coding that leaves a collector as unsure of every value as any coding can (DESIGN section 4).

    The values lie around a circle of circumference 1, each on an arc as long as its prior; antipodal arcs become
    complementary codes. Values of like frequency are laid opposite each other, so that few arcs need splitting.
    A value that holds more than half of the prior is split among all others in proportion.

    Args:
        prior: Expected frequency of each value: positive, adding up to 1.

    Returns:
        A paired coding in which the two codes of a pair stand for different values. docs/guarantee.md has the proof
        that its binary anonymity is the largest possible.
    """
    top = max(range(len(prior)), key=lambda value: prior[value])
    if prior[top] > HALF:
        pairs = {(value, top): prior[value] for value in range(len(prior)) if value != top}
    else:
        pairs = _antipodal_pairs(prior)
    return _paired_coding("balanced", len(prior), pairs)


def _antipodal_pairs(prior: Sequence[Fraction]) -> dict[tuple[int, int], Fraction]:
    """Which values face each other on the circle, and along how long an arc."""
    ranked = _by_frequency(prior)
    order = ranked[::2] + ranked[1::2]
    ends: list[Fraction] = []
    for value in order:
        ends.append((ends[-1] if ends else Fraction(0)) + prior[value])

    def value_at(point: Fraction) -> int:
        return next(value for value, end in zip(order, ends, strict=True) if point < end)

    cuts = [*sorted({end % HALF for end in ends} | {Fraction(0)}), HALF]
    pairs: dict[tuple[int, int], Fraction] = {}
    for start, end in pairwise(cuts):
        first, second = sorted((value_at(start), value_at(start + HALF)))
        pairs[first, second] = pairs.get((first, second), Fraction(0)) + end - start
    return pairs


def szucs_coding(prior: Sequence[Fraction], truth: Fraction) -> Coding:
    """The seed coding (Szucs 2013): neighbours by frequency get complementary codes of ceil(log2 k) bits.

    With an odd number of values one is left alone, the least frequent or the most frequent, whichever leaves the
    larger binary anonymity. That value is revealed with certainty: use it to reproduce the paper, not to protect.

    Args:
        prior: Expected frequency of each value: positive, adding up to 1.
        truth: The truth probability of the question's group.
    """
    ranked = _by_frequency(prior)
    if len(ranked) % 2 == 0:
        alone, paired = None, ranked
    else:
        without_last, without_first = ranked[:-1], ranked[1:]
        if _neighbours_anonymity(prior, without_last, truth) >= _neighbours_anonymity(prior, without_first, truth):
            alone, paired = ranked[-1], without_last
        else:
            alone, paired = ranked[0], without_first
    pairs = {(first, second): Fraction(1) for first, second in zip(paired[::2], paired[1::2], strict=True)}
    return _paired_coding("szucs", len(prior), pairs, alone)


def _by_frequency(prior: Sequence[Fraction]) -> list[int]:
    return sorted(range(len(prior)), key=lambda value: -prior[value])


def _paired_coding(
    scheme: str, values: int, pairs: dict[tuple[int, int], Fraction], alone: int | None = None
) -> Coding:
    """Number the pairs; the first value of a pair gets the low code, its partner that code with all bits flipped."""
    count = len(pairs) + (alone is not None)
    mask = 2 ** max(1, (2 * count - 1).bit_length()) - 1
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
    scale = lcm(*(length.denominator for _, length in share))
    weights = [int(length * scale) for _, length in share]
    divisor = gcd(*weights)
    if sum(weights) // divisor > WORD:
        raise SurveyError("prior", "its decimals need a coin finer than one in 2^32", "write it with fewer decimals")
    return tuple((code, weight // divisor) for (code, _), weight in zip(share, weights, strict=True))


def binary_entropy(probability: float | Fraction) -> float:
    """h(p) in bits, with h(0) = h(1) = 0."""
    p = float(probability)
    return 0.0 if p in {0.0, 1.0} else -p * log2(p) - (1 - p) * log2(1 - p)


def pair_anonymity(share: Fraction, truth: Fraction) -> float:
    """H(value | response) in bits within one complementary pair, of which one value holds `share`.

    Szucs 2013: h(share) + h(theta) - h(theta share + (1 - theta)(1 - share)). Concave in `share` and largest at 1/2,
    where it is h(theta).
    """
    sent = truth * share + (1 - truth) * (1 - share)
    return binary_entropy(share) + binary_entropy(truth) - binary_entropy(sent)


def anonymity_bound(prior: Sequence[Fraction], truth: Fraction) -> float:
    """The largest H(value | response), in bits, that any coding gives one question of a complement group.

    h(theta) where no value holds more than half of the prior, else `pair_anonymity` of the largest. docs/guarantee.md
    has the proof.
    """
    return pair_anonymity(max(HALF, *prior), truth)


def _neighbours_anonymity(prior: Sequence[Fraction], paired: Sequence[int], truth: Fraction) -> float:
    anonymity = 0.0
    for first, second in zip(paired[::2], paired[1::2], strict=True):
        mass = prior[first] + prior[second]
        anonymity += float(mass) * pair_anonymity(prior[first] / mass, truth)
    return anonymity
