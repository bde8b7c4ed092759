"""The precision of estimated frequencies under a design, before anybody has answered.

All variances are exact if the priors are right.

An estimate is the mean of the responses' weights (docs/guarantee.md, section 2). The variance of the estimate is the
variance of one weight divided by the number of respondents. The channel determines how much the disguise adds to the
variance of a direct answer.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement, product
from math import ceil, prod, sqrt
from operator import mul
from typing import NamedTuple

from collector.channel.channel import Channel
from collector.channel.coin import Coin
from collector.coding.coding import Coding
from collector.coding.common_denominator import whole
from collector.disclosure.accounting import code_distribution, states_sum
from collector.survey.question import NOT_APPLICABLE, Question
from collector.survey.routing import Box
from collector.survey.survey import Group, Survey

NORMAL_975 = 1.959963984540054
"""The 97.5 % quantile of the standard normal distribution."""
HUNDREDTHS = [Fraction(number, 100) for number in range(1, 100)]
MOST_REMEMBERED = 2**10  # number of questions whose moments are cached, for every value and many truth probabilities
MOST_TERMS = 2**15  # number of cached variances: a survey of 400 questions at some twenty truth probabilities
_code_chances = lru_cache(maxsize=MOST_REMEMBERED)(code_distribution)


def term_variance(question: Question, channel: Channel | None, value: int) -> Fraction:
    """Return the variance of one response's weight for a value, under the prior.

    Use `response_variance` to take the conditions for asking a question into account.
    """
    return _term_variance(question.coding, question.prior, channel, value)


@lru_cache(maxsize=MOST_TERMS)
def _term_variance(coding: Coding, prior: tuple[Fraction, ...], channel: Channel | None, value: int) -> Fraction:
    share = prior[value]
    if coding.routed:
        asked = 1 - prior[-1]
        share = share / asked if value < len(prior) - 1 else Fraction(0)
    direct = share * (1 - share)
    if channel is None:
        return direct
    if coding.shared:
        return _mean_square(coding, prior, channel, value) - share**2
    codes = _codes_read_as(coding, value)
    replaced, both = channel.replacement.event_chances(codes, coding, _code_chances(coding, prior))
    return direct + channel.replacement.variance(channel.truth([coding]), share, replaced, both)


def _mean_square(coding: Coding, prior: tuple[Fraction, ...], channel: Channel, value: int) -> Fraction:
    """Return the mean square of a response's weight for a value, if codes stand for several values."""
    (true, replaced_by, mean), share = _read_squares(coding, prior)[value], prior[value]
    truth, (own, replaced) = channel.truth([coding]), channel.weights([coding])
    truthful = own**2 * true + 2 * own * replaced * mean * share + (replaced * mean) ** 2
    replaced_square = own**2 * replaced_by + 2 * own * replaced * mean**2 + (replaced * mean) ** 2
    return truth * truthful + (1 - truth) * replaced_square


def response_variance(survey: Survey, question: Question, value: int) -> Fraction:
    """Return the variance of a value's estimate times the number of respondents.

    The estimate of a value's share is the mean weight among the respondents who were asked the question. The variance
    is the variance of one weight, divided by the share of respondents who are asked the question. The formula is a
    first-order approximation, because the number of respondents who are asked a question is random. If the coin has the
    odds o and the questions asked have the sharpness K, the mean square of the weight is the mean of ``s + (s + t - 2 p
    u) K/o + (t - u^2) (K/o)^2`` over the draws that ask the question. The formula uses the share p of the value, the
    mean squares s and t of the inverse weights of a true code and of a replacement, and the mean inverse weight u of a
    replacement.
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


def is_filtered(question: Question) -> bool:
    """Return whether a question is not asked of everybody, as its last value says."""
    return question.values[-1] == NOT_APPLICABLE


def share_asked(survey: Survey, question: Question) -> Fraction:
    """Return the expected share of people among whom the shares of a question are planned.

    These are the people who are asked the question or, in a split questionnaire, all people.
    """
    return 1 - question.prior[-1] if is_filtered(question) and survey.sampling is None else Fraction(1)


def reported_share(question: Question, value: int, asked: Fraction) -> Fraction:
    """Return the expected share that is reported for a value, given the `share_asked` of its question.

    The share of those who were not asked is among all respondents.
    """
    return question.prior[value] / (1 if value == len(question.values) - 1 else asked)


def reported_variance(survey: Survey, question: Question, value: int) -> Fraction:
    """Return the variance of the reported share of a value (`reported_share`) times the number of respondents.

    A share among the respondents who were asked is a ratio of two estimates, each with its own error. Its variance is
    the first-order approximation: that of the weight of the value, less the share times the weight of being asked,
    divided by the squared share of respondents who are asked. In a split questionnaire, and where the priors say that
    nobody is asked, no such shares are planned, and the variance is that of the share among all.
    """
    last = len(question.values) - 1
    asked = _boxes_of(survey, question, last) if is_filtered(question) and survey.sampling is None else ()
    share_asked = _share(survey, asked)
    if value == last or not share_asked:
        return response_variance(survey, question, value)
    having = _boxes_of(survey, question, value)
    ratio = _share(survey, having) / share_asked
    counted = [*((Fraction(1), box) for box in having), *((-ratio, box) for box in asked)]
    return _mean_square_of(survey, counted) / share_asked**2


def _boxes_of(survey: Survey, question: Question, value: int) -> tuple[Box, ...]:
    """Return the answers with which a question is asked and has a value, or with which it is asked for the last."""
    last = len(question.values) - 1
    if question.coding.routed:
        boxes = survey.routes.asked_if(question.name)
        return boxes if value == last else tuple({**box, question.name: frozenset({value})} for box in boxes)
    return ({question.name: frozenset(range(last) if value == last else {value})},)


def _routed_variance(survey: Survey, question: Question, value: int) -> Fraction:
    """Return the variance of one response's weight for a value of a question with a routed coding.

    The weight counts the event that the question is asked and the answer has the value.
    """
    boxes = _boxes_of(survey, question, value)
    return _mean_square_of(survey, [(Fraction(1), box) for box in boxes]) - _share(survey, boxes) ** 2


def _share(survey: Survey, boxes: Sequence[Box]) -> Fraction:
    """Return the expected share of respondents whose answers are in one of some disjoint boxes."""
    chances = (prod((_chance(survey.question(name), box) for name in box), start=Fraction(1)) for box in boxes)
    return sum(chances, start=Fraction(0))


def _mean_square_of(survey: Survey, counted: Sequence[tuple[Fraction, Box]]) -> Fraction:
    """Return the mean square of a weighted sum of one response's weights for boxes of answers."""
    homes: dict[str, tuple[Group | None, list[Question]]] = {}
    for name in dict.fromkeys(each for _, box in counted for each in box):
        home = survey.group_of(name)
        homes.setdefault(f"question {name}" if home is None else home.name, (home, []))[1].append(survey.question(name))
    square = Fraction(0)
    for (times, one), (others, other) in combinations_with_replacement(counted, 2):
        means = (_mean_product(survey, *home, (one, other)) for home in homes.values())
        square += prod(means, start=times * others) * (1 if one is other else 2)
    return square


def _chance(question: Question, box: Box) -> Fraction:
    """Return the probability that an answer, given by a person or drawn, is in a set of values."""
    chances, counts = _code_chances(question.coding, question.prior), _counts(question, box)
    return sum((chance * counts[code] for code, chance in chances.items()), start=Fraction(0))


def _counts(question: Question, box: Box) -> dict[int, Fraction]:
    """Return the weight of each code of a question in the estimated share of a set of values."""
    if question.name not in box:
        return dict.fromkeys(question.codes, Fraction(1))
    reading, values = question.coding.reading, box[question.name]
    return {code: sum((reading[code][value] for value in values), start=Fraction(0)) for code in question.codes}


def _mean_product(
    survey: Survey, group: Group | None, questions: Sequence[Question], boxes: tuple[Box, Box]
) -> Fraction:
    """Return the mean product of a response's weights for two combinations of answers to one group."""
    ways = list(product((0, 1), repeat=3))  # the side of the coin, and for each box whether the code is replaced
    sums = dict.fromkeys(ways, Fraction(1))
    for question in questions:
        pairs = [
            [counts, _replaced_counts(question, group, counts)] for counts in (_counts(question, b) for b in boxes)
        ]
        chances = _code_chances(question.coding, question.prior)
        drawn = [chances, _replaced_chances(question, group, chances)]
        for side, one, other in ways:
            mean = (chance * pairs[0][one][code] * pairs[1][other][code] for code, chance in drawn[side].items())
            sums[side, one, other] *= sum(mean, start=Fraction(0))
    if group is None:
        return sums[0, 0, 0]
    theta, weights = survey.truth_at(group, group.questions), survey.weights_at(group, group.questions)
    sides = theta, 1 - theta
    parts = (sides[side] * weights[one] * weights[other] * part for (side, one, other), part in sums.items())
    return sum(parts, start=Fraction(0))


def _replaced(question: Question, group: Group | None, code: int) -> Mapping[int, Fraction]:
    return {} if group is None else group.channel.replacement.sent(code, question.coding)


def _replaced_counts(question: Question, group: Group | None, counts: Mapping[int, Fraction]) -> dict[int, Fraction]:
    """Return the mean inverse weight of the replacements of each code."""
    found, before, mean = {}, None, Fraction(0)
    for code in counts:
        sent = _replaced(question, group, code)
        if sent is not before:  # often the same for all codes
            mean = sum((chance * counts[each] for each, chance in sent.items()), start=Fraction(0))
            before = sent
        found[code] = mean
    return found


def _replaced_chances(question: Question, group: Group | None, chances: Mapping[int, Fraction]) -> dict[int, Fraction]:
    """Return the prior probability of each code that may be sent as a replacement."""
    found = dict.fromkeys(chances, Fraction(0))
    for code, chance in chances.items():
        for each, share in _replaced(question, group, code).items():
            found[each] += chance * share
    return found


class _Squares(NamedTuple):
    """Means and mean squares of the inverse weights of codes for one value.

    Attributes:
        true: Mean square of the weight if the true code is sent.
        replaced_by: Mean square of the weight if a replacement is sent.
        mean: Mean of the weight if a replacement is sent.
    """

    true: Fraction
    replaced_by: Fraction
    mean: Fraction


@lru_cache(maxsize=MOST_REMEMBERED)
def _read_squares(coding: Coding, prior: tuple[Fraction, ...]) -> tuple[_Squares, ...]:
    """Return the means and mean squares of the inverse weights, for each value of a question."""
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


def _codes_read_as(coding: Coding, value: int) -> set[int]:
    """Return the codes that count for a value of a question in estimates."""
    own = set(coding.codes_of(value))
    if coding.complements is None:
        return own
    return own | {coding.complement(code) for code in own if coding.value_of(coding.complement(code)) is None}


def largest_variance(survey: Survey, question: Question, group: Group) -> Fraction:
    """Return the largest variance of a reported share, times the respondents, if a question's group were another.

    Args:
        survey: Survey without sampling.
        question: Question of the group.
        group: Group that replaces the survey's group of the same name.
    """
    if not is_filtered(question):
        return worst_variance(question, group.channel)
    family = survey.only(survey.together(question.name))
    family = replace(family, groups=tuple(group if each.name == group.name else each for each in family.groups))
    return max(reported_variance(family, question, value) for value in range(len(question.values)))


def worst_variance(question: Question, channel: Channel | None) -> Fraction:
    """Return the largest variance of one response's weight, over all values of a question."""
    return max(term_variance(question, channel, value) for value in range(len(question.values)))


def interval_width(variance: Fraction, respondents: int) -> float:
    """Return the expected length of a 95 % interval."""
    return 2 * NORMAL_975 * sqrt(variance / respondents)


def respondents_for(variance: Fraction, width: float) -> int:
    """Return the number of respondents that gives 95 % intervals of at most a given width above 0."""
    return max(1, ceil(float(variance) * (2 * NORMAL_975 / width) ** 2))


def with_truth(group: Group, truth: Fraction) -> Group:
    """Return a copy of a group with another truth probability."""
    return replace(group, channel=replace(group.channel, coin=Coin(truth)))


def other_truths(group: Group) -> Iterator[Fraction]:
    """Return the truth probabilities in hundredths that a group's channel allows, the strongest disguise first."""
    end, own = group.channel.replacement.uninformative_at, group.channel.coin.fixed
    if own is None or own > end:
        yield from (truth for truth in HUNDREDTHS if truth > end)
    else:
        yield from (truth for truth in reversed(HUNDREDTHS) if truth < end)


def strongest_disguise(
    survey: Survey, group: Group, questions: tuple[Question, ...], respondents: int, width: float
) -> Group | None:
    """Return the group with the strongest disguise that gives a wanted width of intervals.

    Args:
        survey: Survey without sampling.
        group: Group of the survey.
        questions: Questions of the group.
        respondents: Expected number of respondents.
        width: Largest allowed length of a 95 % interval, for every value of every question.

    Returns:
        The group with another truth probability in hundredths, or None if no such probability gives the width.
    """

    def affords(truth: Fraction) -> bool:
        other = with_truth(group, truth)
        return all(interval_width(largest_variance(survey, each, other), respondents) <= width for each in questions)

    truths = list(other_truths(group))
    first = bisect_left(truths, x=True, key=affords)  # the less disguise, the shorter
    return with_truth(group, truths[first]) if first < len(truths) else None
