"""The exact table of a group of questions: what is sent for each true state, its inverse, and weights of events.

The packages never build it. What they compute in closed form, or in arrays, is compared with it by tests, for every
registered channel. A state has one code for each question of the group. Fractions throughout.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import prod

from collector.channel.channel import Channel
from collector.channel.replacement import Replacement
from collector.coding.coding import Coding

Codes = tuple[int, ...]
"""One code for each question of a group, in the group's order."""
Event = Sequence[frozenset[int] | None]
"""For each question of a group the codes that belong to the event; None for a question it does not touch."""
Matrix = list[list[Fraction]]


def states(codings: Sequence[Coding]) -> list[Codes]:
    """Every state of a group: all tuples of codes, in lexicographic order."""
    return list(product(*(coding.codes for coding in codings)))


def matches(codes: Codes, event: Event) -> bool:
    """Whether every touched question has one of the event's codes."""
    return all(wanted is None or code in wanted for code, wanted in zip(codes, event, strict=True))


def transition_of(channel: Channel, codings: Sequence[Coding]) -> Matrix:
    """P(response | truth): a row for each true state, a column for each state sent."""
    truth = channel.truth(codings)
    return _mixture(channel, codings, truth, 1 - truth)


def inverse_of(channel: Channel, codings: Sequence[Coding]) -> Matrix:
    """The exact inverse of the transition matrix: Du & Zhan's M^-1, of any size, in closed form."""
    return _mixture(channel, codings, *channel.weights(codings))


def _mixture(channel: Channel, codings: Sequence[Coding], own: Fraction, replaced: Fraction) -> Matrix:
    every = states(codings)
    column = {codes: index for index, codes in enumerate(every)}
    matrix = [[Fraction(0)] * len(every) for _ in every]
    for row, codes in zip(matrix, every, strict=True):
        row[column[codes]] += own
        for sent, probability in states_sent(channel.replacement, codes, codings):
            row[column[sent]] += replaced * probability
    return matrix


def event_weight(channel: Channel, response: Codes, event: Event, codings: Sequence[Coding]) -> Fraction:
    """w_g(r) of docs/guarantee.md, section 2: its mean over responses is unbiased for P(truth in event)."""
    own, replaced = channel.weights(codings)
    return own * matches(response, event) + replaced * share_replaced(channel.replacement, response, event, codings)


def states_sent(replacement: Replacement, codes: Codes, codings: Sequence[Coding]) -> Iterator[tuple[Codes, Fraction]]:
    """Every state that may be sent in place of these codes, with its probability."""
    parts = [replacement.sent(code, coding).items() for code, coding in zip(codes, codings, strict=True)]
    for each in product(*parts):
        yield tuple(code for code, _ in each), prod((chance for _, chance in each), start=Fraction(1))


def share_replaced(replacement: Replacement, codes: Codes, event: Event, codings: Sequence[Coding]) -> Fraction:
    """The chance that the replacement of these codes falls in the event."""
    touched = [each for each in zip(codes, event, codings, strict=True) if each[1] is not None]
    return prod((replacement.into(wanted or (), code, coding) for code, wanted, coding in touched), start=Fraction(1))
