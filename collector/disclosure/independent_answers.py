"""Posteriors of events in a group whose answers are independent under the prior, in closed form.

The answers are those that are given, and those that are drawn where a question is not asked; the coin alone connects
them.
"""

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod

from collector.channel.channel import Channel
from collector.channel.value_channel import value_transition, whole_transition
from collector.survey.question import Question

Pair = tuple[Fraction, Fraction]
Ends = list[Pair]
"""The chances of some codes if the coin says truth, and if it does not: those of smallest and of largest ratio."""


def extremes(
    event: Mapping[Question, Collection[int]], ends: Ends, how: Channel | None, theta: Fraction
) -> tuple[Fraction, Fraction, dict[Question, int]]:
    """The smallest and the largest probability of an event after a response, and the codes of its questions then.

    The other codes of the group tell of the coin alone. With A the chance of the event and its codes if the coin says
    truth, B if it does not, A' and B' those of the codes, and k the ratio of the chances of all other codes under both,
    it is (theta A + (1 - theta) k B) / (theta A' + (1 - theta) k B'): monotone in k.

    Args:
        event: Questions of the group, each with the values that are in the event.
        ends: `coin_ratios` of the other questions.
        how: The channel of the group; None for a question sent as it is.
        theta: With what chance the coin says truth.
    """
    tables = [event_table(question, how, values) for question, values in event.items()]
    every = []
    for outcome in product(*(table.items() for table in tables)):
        parts = [prod(each, start=Fraction(1)) for each in zip(*(row for _, row in outcome), strict=True)]
        for straight, turned in ends:
            own, other = theta * straight, (1 - theta) * turned
            total = own * parts[2] + other * parts[3]
            if total:
                chance = (own * parts[0] + other * parts[1]) / total
                every.append((chance, dict(zip(event, (code for code, _ in outcome), strict=True))))
    least, most = min(each for each, _ in every), max(each for each, _ in every)
    return least, most, next(codes for each, codes in every if each == most)


def coin_range(question: Question, how: Channel | None) -> tuple[Pair, Pair]:
    """The chances of two codes of a question under both sides of the coin: those of smallest and of largest ratio."""
    pairs = [row[2:] for row in event_table(question, how, ()).values() if any(row[2:])]
    ordered = sorted(pairs, key=_turned)
    return ordered[0], ordered[-1]


def coin_ratios(always: Sequence[tuple[Pair, Pair]], drawn: Sequence[tuple[Pair, Pair]], room: int) -> Ends:
    """The extreme ratios of the chances of the codes of some questions under both sides of the coin.

    Args:
        always: `coin_range` of questions that are asked of everybody.
        drawn: Those of other questions.
        room: How many of these may be asked together.
    """
    lows = [*always, *sorted(drawn, key=lambda each: _turned(each[0]))[:room]]
    highs = [*always, *sorted(drawn, key=lambda each: -_turned(each[1]))[:room]]
    return [_joint([low for low, _ in lows]), _joint([high for _, high in highs])]


def _turned(pair: Pair) -> Fraction:
    return pair[1] / sum(pair)


def _joint(pairs: Sequence[Pair]) -> Pair:
    straight, turned = (prod((pair[side] for pair in pairs), start=Fraction(1)) for side in (0, 1))
    return straight, turned


def replaced(question: Question, how: Channel) -> dict[int, tuple[Fraction, ...]]:
    """P(code sent | value) if the coin says to replace."""
    rows, over = how.replacement.replaced_chances(question.coding, *whole_transition(question.coding, None))
    return {code: tuple(Fraction(each, over) for each in row) for code, row in rows.items()}


def given(question: Question) -> tuple[Fraction, ...]:
    """The prior of the answers that are given or drawn: 0 for ``not_applicable`` where others are drawn for it."""
    if not question.coding.routed:
        return question.prior
    asked = sum(question.prior[:-1])
    return (*(share / asked for share in question.prior[:-1]), Fraction(0))


def event_table(
    question: Question, how: Channel | None, values: Collection[int]
) -> dict[int, tuple[Fraction, Fraction, Fraction, Fraction]]:
    """Probabilities of each code: (with the event, alone) if the truth is sent, then if a replacement is."""
    prior, own = given(question), value_transition(question.coding, None)
    other = own if how is None else replaced(question, how)

    def chance(row: Sequence[Fraction], some: Collection[int]) -> Fraction:
        return sum((prior[value] * row[value] for value in some), start=Fraction(0))

    every = range(len(prior))
    return {
        code: (
            chance(own[code], values),
            chance(other[code], values),
            chance(own[code], every),
            chance(other[code], every),
        )
        for code in question.codes
    }
