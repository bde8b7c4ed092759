"""Check of a coding: the first contradiction between its parts, for designs that come from outside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import gcd
from typing import Protocol

from collector.coding.shared import SHARED

WORD = 2**32  # a coin is drawn from one 32-bit word, in the browser as here
LARGEST_CODE = 2**15 - 1  # the miner keeps codes in 16 bits

Checks = Iterator[tuple[str, bool]]
"""A problem, and whether there is none."""


class CodingFields(Protocol):
    """What is checked: the parts of a `collector.coding.coding.Coding`, whose documentation says what each is."""

    @property
    def scheme(self) -> str:
        """Its name."""

    @property
    def codes(self) -> tuple[int, ...]:
        """Every code that may be sent."""

    @property
    def complements(self) -> tuple[int, ...] | None:
        """The partner of each code."""

    @property
    def draws(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """For each value its codes and their weights."""

    @property
    def replacement(self) -> tuple[int, ...] | None:
        """The weights with which codes are sent in place of the truth."""

    @property
    def shared(self) -> bool:
        """Whether a code may stand for several values."""

    @property
    def blocks(self) -> Sequence[frozenset[int]]:
        """For each value its codes."""


def contradiction(coding: CodingFields) -> str | None:
    """The first problem; None if there is none."""
    problems = (problem for problem, holds in _checks(coding) if not holds)
    return next(problems, None)


def _checks(coding: CodingFields) -> Checks:
    """The checks in order; each may assume that those before it hold."""
    yield from _general(coding)
    if coding.shared:
        yield "the codes that values share are not those of its scheme", _is_shared(coding)
    elif coding.scheme == "plain":
        yield "a plain coding numbers its values from 0", _is_plain(coding)
    else:
        yield "the scheme is not known", coding.scheme in {"szucs", "balanced"}
        yield "a complement does not flip all bits of its code", _is_paired(coding)
    sound = coding.replacement is None or _is_replacement(coding, coding.replacement)
    yield "the weights of its replacement are not one for each code, in lowest terms", sound


def _general(coding: CodingFields) -> Checks:
    codes, used = coding.codes, [code for draws in coding.draws for code, _ in draws]
    ascending = list(codes) == sorted(set(codes)) and all(code >= 0 for code in codes)
    yield "the codes are not ascending non-negative integers", ascending
    yield "a code is larger than 2^15 - 1", all(code <= LARGEST_CODE for code in codes)
    yield "a value has no code", all(coding.draws) and len(coding.draws) > 1
    yield "a code stands for two values", coding.shared or len(used) == len(set(used))
    yield "a value has a code that is not among the codes", set(used) <= set(codes)
    weights = [[weight for _, weight in draws] for draws in coding.draws]
    drawable = all(min(each) > 0 and sum(each) <= WORD for each in weights)
    yield "a weight is not positive, or the weights of a value add up to more than 2^32", drawable


def _is_plain(coding: CodingFields) -> bool:
    numbered = [((code, weight),) for code, ((_, weight), *_) in enumerate(coding.draws)]
    return coding.complements is None and list(coding.draws) == numbered and len(coding.codes) == len(coding.draws)


def _is_paired(coding: CodingFields) -> bool:
    mask, partners = coding.codes[-1], coding.complements or ()
    flips = list(partners) == [mask ^ code for code in coding.codes]
    return (mask & (mask + 1)) == 0 and flips and set(partners) == set(coding.codes)


def _is_shared(coding: CodingFields) -> bool:
    once = all(weight == 1 for draws in coding.draws for _, weight in draws)
    distinct = all(len(block) == len(draws) for block, draws in zip(coding.blocks, coding.draws, strict=True))
    numbered = coding.codes == tuple(range(len(coding.codes))) and coding.complements is None
    return once and distinct and numbered and _is_sound(coding.scheme, tuple(coding.blocks), len(coding.codes))


@lru_cache(maxsize=64)
def _is_sound(scheme: str, blocks: tuple[frozenset[int], ...], codes: int) -> bool:
    """Whether the sets of codes of the values are what the scheme says; many questions of a survey have the same."""
    return SHARED[scheme].is_sound(blocks, codes)


def _is_replacement(coding: CodingFields, weights: tuple[int, ...]) -> bool:
    whole = len(weights) == len(coding.codes) and min(weights) >= 0 and 0 < sum(weights) <= WORD
    return coding.scheme == "plain" and whole and gcd(*weights) == 1 and len(set(weights)) > 1
