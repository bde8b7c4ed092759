"""Shares in plain words: as people out of a round number of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import lcm

from respondent.pages.languages import Interface

PEOPLE = 100
MOST_PEOPLE = 1000


def people(shares: Iterable[Fraction], interface: Interface) -> tuple[int, list[str]]:
    """A number of people, and how many of them each share is: exactly where a number up to 1,000 allows it."""
    exact = list(shares)
    base = lcm(*(share.denominator for share in exact))
    if PEOPLE % base == 0:
        base = PEOPLE
    if base <= MOST_PEOPLE:
        return base, [str(int(share * base)) for share in exact]
    return MOST_PEOPLE, [about(share, MOST_PEOPLE, interface) for share in exact]


def spans(shares: Iterable[Sequence[Fraction]], interface: Interface) -> tuple[int, list[str]]:
    """The same of several lists of shares: of each how many it is, from least to most if it differs."""
    base, counts = people([end for each in shares for end in (min(each), max(each))], interface)
    return base, [_from_to(low, high, interface) for low, high in zip(counts[::2], counts[1::2], strict=True)]


def span(shares: Sequence[Fraction], base: int, interface: Interface) -> str:
    """From the least of some shares to the most, as numbers out of `base`."""
    return _from_to(about(min(shares), base, interface), about(max(shares), base, interface), interface)


def _from_to(low: str, high: str, interface: Interface) -> str:
    return low if low == high else interface.gettext("{first} to {last}").format(first=low, last=high)


def about(share: Fraction, base: int, interface: Interface) -> str:
    """A share as a number out of `base`: exact if it can be, never rounded to none or all."""
    _ = interface.gettext
    people = share * base
    if people.denominator == 1:
        return str(people)
    if people < 1:
        return _("fewer than 1")
    if people > base - 1:
        return _("more than {number}").format(number=base - 1)
    return _("about {number}").format(number=round(people))
