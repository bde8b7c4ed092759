"""The check of a coding in an unchecked design, which finds the first contradiction between the parts of the coding."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import gcd

from collector.coding.shared import SHARED

ROUTED = "routed"
WORD = 2**32  # number of values of the 32-bit word from which a coin is drawn, here and in the browser
LARGEST_CODE = 2**15 - 1  # largest code, because the miner stores codes in 16 bits

Draw = tuple[int, int]
"""A code and its weight. The value is sent as this code with probability weight / sum of the value's weights."""
Checks = Iterator[tuple[str, bool]]
"""Problems, each with whether it is absent."""


@dataclass(frozen=True)
class CodingParts:
    """The parts of a coding (`collector.coding.coding.Coding`) that the check compares.

    Attributes:
        scheme: ``plain``, ``szucs``, ``balanced``, ``routed``, or a name in `collector.coding.shared.SHARED`.
        codes: Every code that may be sent, ascending.
        complements: Complement of each code, in the order of `codes`, or None if the coding is not paired.
        draws: Codes that stand for each value, with positive integer weights.
        replacement: Integer weights with which the uniform channel sends each code of a plain coding in place of the
            truth, in the order of `codes`, or None if all weights are equal.
    """

    scheme: str
    codes: tuple[int, ...]
    complements: tuple[int, ...] | None
    draws: tuple[tuple[Draw, ...], ...]
    replacement: tuple[int, ...] | None = None

    @property
    def shared(self) -> bool:
        """Whether a code may stand for several values."""
        return self.scheme in SHARED

    @property
    def routed(self) -> bool:
        """Whether the last value is for people who are not asked, who send a code of another value."""
        return self.scheme == ROUTED

    @property
    def owners(self) -> tuple[tuple[Draw, ...], ...]:
        """The codes, with weights, of each value except the value for people who are not asked."""
        return self.draws[:-1] if self.routed else self.draws

    @cached_property
    def blocks(self) -> list[frozenset[int]]:
        """The set of codes of each value."""
        return [frozenset(code for code, _ in draws) for draws in self.draws]


def contradiction(coding: CodingParts) -> str | None:
    """Return the first contradiction between the parts of a coding, or None."""
    problems = (problem for problem, holds in _checks(coding) if not holds)
    return next(problems, None)


def _checks(coding: CodingParts) -> Checks:
    """Yield whether each check of the coding passed; later checks assume that earlier checks passed."""
    yield from _general(coding)
    if coding.shared:
        yield "the codes that values share are not those of its scheme", _is_shared(coding)
    elif coding.scheme == "plain" or (coding.routed and coding.complements is None):
        yield "a plain coding numbers its values from 0", _is_plain(coding)
    else:
        yield "the scheme is not known", coding.scheme in {"szucs", "balanced", ROUTED}
        yield "a complement does not flip all bits of its code", _is_paired(coding)
    sound = coding.replacement is None or _is_replacement(coding, coding.replacement)
    yield "the weights of its replacement are not one for each code, in lowest terms", sound


def _general(coding: CodingParts) -> Checks:
    codes, used = coding.codes, [code for draws in coding.owners for code, _ in draws]
    ascending = list(codes) == sorted(set(codes)) and all(code >= 0 for code in codes)
    yield "the codes are not ascending non-negative integers", ascending
    yield "a code is larger than 2^15 - 1", all(code <= LARGEST_CODE for code in codes)
    yield "a value has no code", all(coding.draws) and len(coding.draws) > 1
    yield "a code stands for two values", coding.shared or len(used) == len(set(used))
    yield "a value has a code that is not among the codes", set(used) <= set(codes)
    drawn = [code for code, _ in coding.draws[-1]]
    yield "the last value is not drawn from the codes of the others", not coding.routed or drawn == sorted(used)
    weights = [[weight for _, weight in draws] for draws in coding.draws]
    drawable = all(min(each) > 0 and sum(each) <= WORD for each in weights)
    yield "a weight is not positive, or the weights of a value add up to more than 2^32", drawable


def _is_plain(coding: CodingParts) -> bool:
    numbered = [((code, weight),) for code, ((_, weight), *_) in enumerate(coding.owners)]
    return coding.complements is None and list(coding.owners) == numbered and len(coding.codes) == len(coding.owners)


def _is_paired(coding: CodingParts) -> bool:
    mask, partners = coding.codes[-1], coding.complements or ()
    flips = list(partners) == [mask ^ code for code in coding.codes]
    return (mask & (mask + 1)) == 0 and flips and set(partners) == set(coding.codes)


def _is_shared(coding: CodingParts) -> bool:
    once = all(weight == 1 for draws in coding.draws for _, weight in draws)
    distinct = all(len(block) == len(draws) for block, draws in zip(coding.blocks, coding.draws, strict=True))
    numbered = coding.codes == tuple(range(len(coding.codes))) and coding.complements is None
    return once and distinct and numbered and _is_sound(coding.scheme, tuple(coding.blocks), len(coding.codes))


@lru_cache(maxsize=64)
def _is_sound(scheme: str, blocks: tuple[frozenset[int], ...], codes: int) -> bool:
    """Return whether the sets of codes of all values belong to a coding scheme."""
    return SHARED[scheme].is_sound(blocks, codes)


def _is_replacement(coding: CodingParts, weights: tuple[int, ...]) -> bool:
    whole = len(weights) == len(coding.codes) and min(weights) >= 0 and sum(weights) <= WORD
    return coding.scheme == "plain" and whole and gcd(*weights) == 1 and len(set(weights)) > 1
