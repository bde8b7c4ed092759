"""Precision of estimates of frequencies under a design, before anybody has answered: exact under its priors.

An estimate is the mean of one term of each response (docs/guarantee.md, section 2), so that its variance is that of one
term over the number of respondents. The channel says what the disguise adds to the variance of a direct answer.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from math import ceil, prod, sqrt
from operator import mul
from typing import NamedTuple

from collector.channel.channel import Channel
from collector.channel.coin import Coin
from collector.coding.coding import Coding
from collector.coding.common_denominator import whole
from collector.disclosure.accounting import states_sum
from collector.disclosure.disclosure import code_distribution
from collector.survey.question import Question
from collector.survey.survey import Group, Survey

NORMAL_975 = 1.959963984540054
"""The 97.5 % quantile of the standard normal distribution."""
_code_chances = lru_cache(maxsize=64)(code_distribution)  # questions: asked for every value and many truths


def term_variance(question: Question, channel: Channel | None, value: int) -> Fraction:
    """Variance of what one response counts for a value's frequency, if the prior is right; no channel: sent openly.

    Where those who are not asked are coded as a draw, it is that of the answers sent, drawn or not: what a response
    counts for those who are asked follows from their conditions, too (`response_variance`).
    """
    share = question.prior[value]
    if question.coding.routed:
        asked = 1 - question.prior[-1]
        share = share / asked if value < len(question.values) - 1 else Fraction(0)
    direct = share * (1 - share)
    if channel is None:
        return direct
    if question.coding.shared:
        return _mean_square(question, channel, value) - share**2
    codes = _codes_read_as(question, value)
    chances = _code_chances(question.coding, question.prior)
    replaced, both = channel.replacement.event_chances(codes, question.coding, chances)
    return direct + channel.replacement.variance(channel.truth([question.coding]), share, replaced, both)


def _mean_square(question: Question, channel: Channel, value: int) -> Fraction:
    """Mean square of the weight of one response for a value, where codes are shared and replacements averaged.

    A true code of any value weighs, on average, as much as the value's share.
    """
    (true, replaced_by, mean), share = _read_squares(question.coding, question.prior)[value], question.prior[value]
    truth, (own, replaced) = channel.truth([question.coding]), channel.weights([question.coding])
    truthful = own**2 * true + 2 * own * replaced * mean * share + (replaced * mean) ** 2
    replaced_square = own**2 * replaced_by + 2 * own * replaced * mean**2 + (replaced * mean) ** 2
    return truth * truthful + (1 - truth) * replaced_square


def response_variance(survey: Survey, question: Question, value: int) -> Fraction:
    """Variance of a value's estimate times the number of respondents, where not everybody may be asked.

    The estimate is the mean among those who were asked: the variance of one of their weights, over the share of the
    respondents that they are (to first order: how many are asked is itself a matter of chance). With odds o and
    sharpness K of what is asked, the mean square of the weight is that of s + (s + t - 2 p u) K/o + (t - u^2) (K/o)^2
    over the draws that ask the question: s and t are the mean squares of what a code counts, the truth's and that of a
    replacement, and u is the mean of the latter. Where each value has its own code they are p, u and its share u.
    """
    group, share = survey.group_of(question.name), question.prior[value]
    if question.coding.routed:
        return _routed_variance(survey, question, value)
    asked = survey.asking_probability([question.name])
    odds = None if group is None else group.channel.coin.odds
    if group is None or odds is None:
        return term_variance(question, None if group is None else group.channel, value) / asked
    true, replaced_by, mean = _read_squares(question.coding, question.prior)[value]
    states, squares = (states_sum(survey, group, [question.name], power) / asked for power in (1, 2))
    square = true + (true + replaced_by - 2 * share * mean) * states / odds
    square += (replaced_by - mean**2) * squares / odds**2
    return (square - share**2) / asked


def _routed_variance(survey: Survey, question: Question, value: int) -> Fraction:
    """Variance of what a response counts for a value of a question whose answers are drawn where it is not asked.

    The event is that all its conditions hold and that its own code is the value's. Given the groups, answers that are
    drawn or given are independent under the priors: the mean square of the weight is a product over groups.
    """
    event: dict[str, frozenset[int]] = survey.asked_if(question.name)
    if value < len(question.values) - 1:
        event[question.name] = frozenset({value})
    homes: dict[str, list[str]] = {}
    for name in event:
        home = survey.group_of(name)
        homes.setdefault(f"question {name}" if home is None else home.name, []).append(name)
    square = share = Fraction(1)
    for names in homes.values():
        mean_square, part = _mean_square_of_event(
            survey.group_of(names[0]), {survey.question(name): event[name] for name in names}
        )
        square, share = square * mean_square, share * part
    return square - share**2


def _mean_square_of_event(group: Group | None, event: Mapping[Question, frozenset[int]]) -> tuple[Fraction, Fraction]:
    """The mean square of what a response counts for an event of one group, and the chance of the event."""
    counts = {
        question: {code: sum(row[value] for value in values) for code, row in question.coding.reading.items()}
        for question, values in event.items()
    }
    chances = {question: _code_chances(question.coding, question.prior) for question in event}

    def product_of(power: int, drawn: Callable[[Question], Mapping[int, Fraction]]) -> Fraction:
        return prod(
            (
                sum((drawn(one)[code] * count**power for code, count in counts[one].items()), start=Fraction(0))
                for one in event
            ),
            start=Fraction(1),
        )

    share = product_of(1, chances.__getitem__)
    if group is None:
        return share, share
    codings = [question.coding for question in event]
    theta = group.channel.truth(codings)
    if group.channel.replacement.paired:
        pairs = [
            group.channel.replacement.event_chances(
                [code for code, count in counts[each].items() if count], each.coding, chances[each]
            )
            for each in event
        ]
        replaced, both = (prod(each, start=Fraction(1)) for each in zip(*pairs, strict=True))
        return share + group.channel.replacement.variance(theta, share, replaced, both), share
    own, other = group.channel.weights(codings)
    mean, true, lie = (
        product_of(power, drawn)
        for power, drawn in (
            (1, lambda each: each.coding.replacement_probabilities),
            (2, chances.__getitem__),
            (2, lambda each: each.coding.replacement_probabilities),
        )
    )
    straight = own**2 * true + 2 * own * other * mean * share + (other * mean) ** 2
    replaced_square = own**2 * lie + 2 * own * other * mean**2 + (other * mean) ** 2
    return theta * straight + (1 - theta) * replaced_square, share


class _Squares(NamedTuple):
    """Moments of a code's weight for a value: mean squares of truth and replacement, and the replacement's mean."""

    true: Fraction
    replaced_by: Fraction
    mean: Fraction


@lru_cache(maxsize=64)  # questions: asked for every value and many truths
def _read_squares(coding: Coding, prior: tuple[Fraction, ...]) -> tuple[_Squares, ...]:
    """One for each value."""
    chances = code_distribution(coding, prior)
    sent, sent_over = whole(chances[code] for code in coding.codes)
    odds_sent, lies_over = whole(coding.replacement_probabilities[code] for code in coding.codes)
    found = []
    for value in range(len(prior)):
        counts, over = whole(coding.reading[code][value] for code in coding.codes)
        squares = [each * each for each in counts]
        true = Fraction(sum(map(mul, sent, squares)), sent_over * over**2)
        replaced_by = Fraction(sum(map(mul, odds_sent, squares)), lies_over * over**2)
        found.append(_Squares(true, replaced_by, Fraction(sum(map(mul, odds_sent, counts)), lies_over * over)))
    return tuple(found)


def _codes_read_as(question: Question, value: int) -> set[int]:
    """The codes that an estimate takes for a value: its own, and the partner that szucs coding leaves without one."""
    own, coding = set(question.coding.codes_of(value)), question.coding
    if coding.complements is None:
        return own
    return own | {coding.complement(code) for code in own if coding.value_of(coding.complement(code)) is None}


def worst_variance(question: Question, channel: Channel | None) -> Fraction:
    """The largest `term_variance` of any value."""
    return max(term_variance(question, channel, value) for value in range(len(question.values)))


def interval_width(variance: Fraction, respondents: int) -> float:
    """The length to expect of a 95 % interval."""
    return 2 * NORMAL_975 * sqrt(variance / respondents)


def respondents_for(variance: Fraction, width: float) -> int:
    """Number of respondents for 95 % intervals of at most this width, which is above 0."""
    return max(1, ceil(float(variance) * (2 * NORMAL_975 / width) ** 2))


def with_truth(group: Group, truth: Fraction) -> Group:
    """Copy of a group with another truth probability; the coding stays."""
    return replace(group, channel=replace(group.channel, coin=Coin(truth)))


def other_truths(group: Group) -> Iterator[Fraction]:
    """Truth probabilities in hundredths that the group's channel allows, the strongest disguise first.

    Those on the side that the group's own is on of the truth at which responses say nothing; never 0 or 1.
    """
    end, own = group.channel.replacement.uninformative_at, group.channel.coin.fixed
    every = [Fraction(number, 100) for number in range(1, 100)]
    if own is None or own > end:
        yield from (truth for truth in every if truth > end)
    else:
        yield from (truth for truth in reversed(every) if truth < end)


def strongest_disguise(group: Group, questions: tuple[Question, ...], respondents: int, width: float) -> Group | None:
    """The group with the truth probability, in hundredths, that protects most and still affords a precision.

    Args:
        group: The group.
        questions: Its members.
        respondents: How many will answer.
        width: The longest 95 % interval wanted, for every value of every question.

    Returns:
        None if no disguise affords it.
    """

    def affords(truth: Fraction) -> bool:
        channel = with_truth(group, truth).channel
        return all(interval_width(worst_variance(each, channel), respondents) <= width for each in questions)

    truths = list(other_truths(group))
    first = bisect_left(truths, x=True, key=affords)  # the less disguise, the shorter
    return with_truth(group, truths[first]) if first < len(truths) else None
