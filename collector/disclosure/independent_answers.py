"""Posterior probabilities, in closed form, of events in a group whose answers are independent under the prior.

Answers are given by people, or drawn at random for people who are not asked. Only the coin of the group makes the
answers to its questions dependent.
"""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import log2, prod
from operator import ge, getitem, le, mul
from typing import Self

from collector.channel.channel import Channel
from collector.channel.value_channel import value_transition, whole_transition
from collector.survey.question import Question

COIN_STEPS = 128
Pair = tuple[Fraction, Fraction]
Ends = list[Pair]
"""The probabilities of some codes under truth and under replacement, for the smallest and the largest ratio."""
Event = Mapping[Question, Collection[int]]
Better = Callable[[Fraction, Fraction], bool]
Outcome = tuple[tuple[Fraction, ...], dict[Question, int]]
"""The probability of each event after a response, and the codes of questions in this response."""
Part = tuple[Sequence[Event], list[Outcome]]
"""The part of each event that lies in one group, and their `chances_of_events`."""


def chances_of_events(events: Sequence[Event], ends: Ends, how: Channel | None, theta: Fraction) -> list[Outcome]:
    """Return the probabilities of events in one group after each response that may be the strongest evidence.

    Args:
        events: Values that belong to each event, by question of the group.
        ends: Probabilities of the codes of questions outside the events, from `coin_ratios`.
        how: Channel of the group, or None for a question that is sent as it is.
        theta: Truth probability of the coin.
    """
    touched = list(dict.fromkeys(question for event in events for question in event))
    tables = [
        [event_table(each, how, event.get(each, range(len(each.values)))) for each in touched] for event in events
    ]
    found = []
    for codes in product(*(each.codes for each in touched)):
        parts = [
            [prod(each, start=Fraction(1)) for each in zip(*map(getitem, table, codes), strict=True)]
            for table in tables
        ]
        for straight, turned in ends:
            own, other = theta * straight, (1 - theta) * turned
            total = own * parts[0][2] + other * parts[0][3]
            if total:
                chances = tuple((own * one + other * two) / total for one, two, *_ in parts)
                found.append((chances, dict(zip(touched, codes, strict=True))))
    return found


@dataclass(frozen=True)
class OfUnion:
    """The probability of a union of disjoint events.

    Attributes:
        before: Probability of the union before a response.
        least: Smallest probability of the union after a response.
        most: Largest probability of the union after a response.
        codes: Codes, by question, in the response after which the union is most probable.
    """

    before: Fraction
    least: Fraction
    most: Fraction
    codes: Mapping[Question, int]

    @classmethod
    def of(cls, parts: Sequence[Part], count: int) -> Self:
        """Return the probability of a union of disjoint events, which are products over independent groups.

        Args:
            parts: Prior probabilities of the events in each group, and their probabilities after each response.
            count: Number of events.
        """
        before = [Fraction(1)] * count
        lows: list[Outcome] = [(tuple(before), {})]
        highs = lows
        left = list(range(count))  # one of each kind of events that differ in the groups to come
        for number, (events, outcomes) in enumerate(parts):
            before = [chance * _prior_chance(event) for chance, event in zip(before, events, strict=True)]
            own = [(tuple(chances[each] for each in left), codes) for chances, codes in outcomes]
            alike = _alike(left, [each for each, _ in parts[number + 1 :]])
            lows, highs = _joined(lows, own, alike, le), _joined(highs, own, alike, ge)
            left = [left[places[0]] for places in alike]
        (least, _), (most, codes) = lows[0], highs[0]
        start = Fraction(0)
        return cls(sum(before, start), sum(least, start), sum(most, start), codes)

    def largest(self, question: Question) -> tuple[Fraction, Fraction, int | None]:
        """Return the prior and the largest posterior probability of the union, and the question's code for this."""
        return self.before, self.most, self.codes.get(question)


def _alike(left: Sequence[int], parts: Sequence[Sequence[Event]]) -> list[list[int]]:
    """Return lists of positions of events. Events in one list are equal in all groups in `parts`."""
    found: dict[Hashable, list[int]] = {}
    for at, each in enumerate(left):
        key = tuple(frozenset((one.name, frozenset(some)) for one, some in events[each].items()) for events in parts)
        found.setdefault(key, []).append(at)
    return list(found.values())


def _prior_chance(event: Event) -> Fraction:
    """Return the prior probability of an event, that is, of answers given by people or drawn at random."""
    shares = (sum((given(each)[value] for value in values), start=Fraction(0)) for each, values in event.items())
    return prod(shares, start=Fraction(1))


def _joined(some: list[Outcome], others: list[Outcome], alike: list[list[int]], better: Better) -> list[Outcome]:
    """Return the responses to earlier groups combined with the responses to one more group."""
    found: list[Outcome] = []
    for one, own in some:
        for other, codes in others:
            chances = list(map(mul, one, other))
            sums = tuple(sum((chances[at] for at in places), start=Fraction(0)) for places in alike)
            if not any(all(map(better, each, sums)) for each, _ in found):
                found = [each for each in found if not all(map(better, sums, each[0]))]
                found.append((sums, {**own, **codes}))
    return found


def coin_range(question: Question, how: Channel | None) -> tuple[Pair, Pair]:
    """Return P(code | truth) and P(code | replacement) for the codes with the extreme ratios of both."""
    pairs = [row[2:] for row in event_table(question, how, ()).values() if any(row[2:])]
    ordered = sorted(pairs, key=turned)
    return ordered[0], ordered[-1]


def coin_ratios(ranges: Sequence[tuple[Pair, Pair]]) -> Ends:
    """Return P(codes | truth) and P(codes | replacement) for the codes with the extreme ratios of both.

    Args:
        ranges: Pairs of probabilities that `coin_range` returns for each question.
    """
    return [_joint([low for low, _ in ranges]), _joint([high for _, high in ranges])]


def turned(pair: Pair) -> Fraction:
    """Return the second of two probabilities divided by the sum of both."""
    return pair[1] / sum(pair)


def _joint(pairs: Sequence[Pair]) -> Pair:
    straight, turned = (prod((pair[side] for pair in pairs), start=Fraction(1)) for side in (0, 1))
    return straight, turned


def replaced(question: Question, how: Channel) -> dict[int, tuple[Fraction, ...]]:
    """Return P(code sent | value) if the coin says that the true code is replaced."""
    rows, over = how.replacement.replaced_chances(question.coding, *whole_transition(question.coding, None))
    return {code: tuple(Fraction(each, over) for each in row) for code, row in rows.items()}


def given(question: Question) -> tuple[Fraction, ...]:
    """Return the prior of the answers to a question, including answers that the browser draws at random.

    The prior of ``not_applicable`` is 0 in a routed coding, in which people who are not asked send a random answer.
    """
    if not question.coding.routed:
        return question.prior
    asked = sum(question.prior[:-1])
    return (*(share / asked for share in question.prior[:-1]), Fraction(0))


def event_table(
    question: Question, how: Channel | None, values: Collection[int]
) -> dict[int, tuple[Fraction, Fraction, Fraction, Fraction]]:
    """Return P(event and code) and P(code) for each code of a question, given the truth or a replacement."""
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


def coin_told(questions: Sequence[Question], how: Channel) -> list[tuple[float, float]]:
    """Return the evidence of several questions' codes about their coin, as pairs of probabilities.

    One pair, P(codes | truth) and P(codes | replacement), stands for all codes that are about equally strong evidence.
    Rounding to a grid of `COIN_STEPS` points may overstate, but never understates, the evidence.
    """
    sets = {COIN_STEPS // 2: 2.0}  # by the share of the second chance in the sum of both: that sum
    for question in questions:
        wider: dict[int, float] = {}
        for *_, straight, other in event_table(question, how, ()).values():
            for step, mass in sets.items():
                one, two = ((COIN_STEPS - step) * mass * float(straight), step * mass * float(other))
                if not one + two:
                    continue
                place = COIN_STEPS * two / (one + two)
                low = min(int(place), COIN_STEPS - 1)
                for at, share in ((low, low + 1 - place), (low + 1, place - low)):
                    if share > 0:
                        wider[at] = wider.get(at, 0.0) + share * (one + two) / COIN_STEPS
        sets = wider
    return [((1 - step / COIN_STEPS) * mass, step / COIN_STEPS * mass) for step, mass in sets.items()]


def bits_left(question: Question, how: Channel, theta: Fraction, evidence: Sequence[tuple[float, float]]) -> float:
    """Return H(answer | code, evidence about the coin) in bits, given the evidence that `coin_told` returns."""
    own, other = value_transition(question.coding, None), replaced(question, how)
    prior, bits = [float(share) for share in given(question)], 0.0
    for code in question.codes:
        pairs = [
            (share * float(one), share * float(two))
            for share, one, two in zip(prior, own[code], other[code], strict=True)
        ]
        for straight, turned_over in evidence:
            row = [float(theta) * straight * one + float(1 - theta) * turned_over * two for one, two in pairs]
            total = sum(row)
            bits += sum(each * log2(total / each) for each in row if each)
    return bits
