"""One question seen through a channel, in values: what is sent for each, and what each code counts for it.

Of a question that shares its group with others, give the channel `at` the questions asked; the others change nothing.
"""

from fractions import Fraction
from math import lcm

from collector.channel.channel import Channel
from collector.channel.replacement import Rows
from collector.coding.coding import Coding
from collector.coding.common_denominator import Over, whole

ByCode = dict[int, tuple[Fraction, ...]]
"""For each code that may be sent, a number for each value."""


def value_transition(coding: Coding, channel: Channel | None) -> ByCode:
    """P(code sent | value), exactly: over the values' draws and the channel's coin.

    Args:
        coding: Coding of the question.
        channel: Its group's; None for a question sent as it is.
    """
    rows, over = whole_transition(coding, channel)
    made = Over(over)
    return {code: tuple(made[each] for each in row) for code, row in rows.items()}


def whole_transition(coding: Coding, channel: Channel | None) -> tuple[Rows, int]:
    """The table of `transition` in whole numbers over one denominator: much faster where there are many values."""
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
