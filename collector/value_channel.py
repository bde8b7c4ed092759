"""One question seen through a channel, in values: what is sent for each, and what each code counts for it.

Of a question that shares its group with others, give the channel `at` the questions asked; the others change nothing.
"""

from __future__ import annotations

from fractions import Fraction

from collector.channel import Channel, ComplementChannel
from collector.coding import Coding
from collector.whole import Over, whole, whole_rows

ByCode = dict[int, tuple[Fraction, ...]]
"""For each code that may be sent, a number for each value."""


def value_transition(coding: Coding, channel: Channel | None) -> ByCode:
    """P(code sent | value), exactly: over the values' draws and the channel's coin.

    Args:
        coding: Of the question.
        channel: Its group's; None for a question sent as it is.
    """
    draws = [coding.draw_probabilities(value) for value in range(len(coding.draws))]
    own = {code: tuple(draw.get(code, Fraction(0)) for draw in draws) for code in coding.codes}
    if channel is None:
        return own
    if isinstance(channel, ComplementChannel):
        lies = {code: own[coding.complement(code)] for code in coding.codes}
    else:
        lies = {code: (chance,) * len(draws) for code, chance in coding.replacement_probabilities.items()}
    return _mixed(own, lies, channel.truth, 1 - channel.truth)


def value_weights(coding: Coding, channel: Channel | None) -> ByCode:
    """What each code counts for each value; the weights of a code add up to 1.

    Their mean over responses is unbiased for the shares of the values, whatever the coding: with T the `transition` in
    values, the sum over codes of T(code, value) times weight(code, other) is 1 where the two are the same, else 0.
    """
    reading = coding.reading
    if channel is None:
        return reading
    if isinstance(channel, ComplementChannel):
        lies = {code: reading[coding.complement(code)] for code in coding.codes}
    else:
        lies = dict.fromkeys(coding.codes, _mean_reading(coding))
    return _mixed(reading, lies, *channel.weights)


def _mean_reading(coding: Coding) -> tuple[Fraction, ...]:
    """The mean reading of a replacement."""
    chances = coding.replacement_probabilities
    columns = zip(*(coding.reading[code] for code in coding.codes), strict=True)
    return tuple(
        sum((chances[code] * each for code, each in zip(coding.codes, column, strict=True)), start=Fraction(0))
        for column in columns
    )


def _mixed(first: ByCode, second: ByCode, share: Fraction, other: Fraction) -> ByCode:
    ones, ones_over = whole_rows(first)
    twos, twos_over = whole_rows(second)
    (kept, replaced), over = whole([share / ones_over, other / twos_over])
    made = Over(over)
    return {
        code: tuple(made[kept * one + replaced * two] for one, two in zip(row, twos[code], strict=True))
        for code, row in ones.items()
    }
