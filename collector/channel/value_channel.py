"""The probability of each code sent, given a person's answer to a question.

For a question in a group of several questions, use the channel that `Channel.at` returns for the questions asked.
"""

from fractions import Fraction
from math import lcm

from collector.channel.channel import Channel
from collector.channel.replacement import Rows
from collector.coding.coding import Coding
from collector.coding.common_denominator import Over, whole

ByCode = dict[int, tuple[Fraction, ...]]
"""A number for each value, by the code that may be sent."""


def value_transition(coding: Coding, channel: Channel | None) -> ByCode:
    """Return the exact P(code sent | value), over the draw of the value's code and the channel's coin.

    Args:
        coding: Coding of the question.
        channel: Channel of the question's group, or None for an undisguised question.
    """
    rows, over = whole_transition(coding, channel)
    made = Over(over)
    return {code: tuple(made[each] for each in row) for code, row in rows.items()}


def whole_transition(coding: Coding, channel: Channel | None) -> tuple[Rows, int]:
    """Return P(code sent | value) as numerators of fractions, and their common denominator."""
    totals = [sum(weight for _, weight in draws) for draws in coding.draws]
    own_over = lcm(*totals)
    own = {code: [0] * len(totals) for code in coding.codes}
    for value, (draws, total) in enumerate(zip(coding.draws, totals, strict=True)):
        for code, weight in draws:
            own[code][value] = weight * (own_over // total)
    if channel is None:
        return own, own_over
    truth = channel.truth([coding])
    replaced, replaced_over = channel.replacement.replaced_chances(coding, own, own_over)
    return _mixed(own, replaced, truth / own_over, (1 - truth) / replaced_over)


def _mixed(ones: Rows, twos: Rows, share: Fraction, other: Fraction) -> tuple[Rows, int]:
    (kept, replaced), over = whole([share, other])
    return {
        code: [kept * one + replaced * two for one, two in zip(row, twos[code], strict=True)]
        for code, row in ones.items()
    }, over
