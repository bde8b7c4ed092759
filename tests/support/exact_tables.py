"""Exact tables of one question that only tests ask for, from the transition that the packages use."""

from __future__ import annotations

from fractions import Fraction

from collector.channel.channel import Channel
from collector.channel.value_channel import value_transition
from collector.coding.coding import Coding
from collector.coding.common_denominator import whole_rows
from collector.disclosure.disclosure import conditional_entropy
from collector.survey.question import Question


def value_weights(coding: Coding, channel: Channel | None) -> dict[int, tuple[Fraction, ...]]:
    """Counts of each code for each value; their mean over responses is unbiased for the shares of the values."""
    reading = coding.reading
    if channel is None:
        return reading
    own, replaced = channel.weights([coding])
    found = {}
    for code, row in reading.items():
        chances = channel.replacement.sent(code, coding)
        means = [sum(chance * reading[other][value] for other, chance in chances.items()) for value in range(len(row))]
        found[code] = tuple(own * one + replaced * two for one, two in zip(row, means, strict=True))
    return found


def joint_distribution(question: Question, channel: Channel | None) -> dict[int, list[Fraction]]:
    """P(value, code sent)."""
    sent = value_transition(question.coding, channel)
    return {code: [share * each for share, each in zip(question.prior, row, strict=True)] for code, row in sent.items()}


def binary_anonymity(question: Question, channel: Channel | None) -> float:
    """H(value | response) in bits (Szucs 2013), for any channel and coding."""
    return conditional_entropy(*whole_rows(joint_distribution(question, channel)))
