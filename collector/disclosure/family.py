"""Families of questions, and the disclosure of each answer in a family by one whole response.

Questions belong to one family in three cases: they share a coin, they stand on a screen that allows only some
combinations of answers, or the answer to one decides whether the other is asked. The collector knows the design, and
can compare every set of answers that the screens allow with the whole response. The priors treat answers to questions
of different families as independent.

In a split questionnaire, figures of a family are for the draw of questions that discloses most. A family's
probabilities are exact if all its sets of answers and responses can be listed, or if all sets are allowed. Otherwise
they are upper bounds (see `Family.exact`). Section 6 of docs/guarantee.md has the proofs.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import log, log2, tanh

from collector.channel.channel import natural_log
from collector.disclosure.accounting import Ratio, draw_ratio, fewest_asked, largest_ratio
from collector.disclosure.independent_answers import (
    OfUnion,
    Pair,
    Part,
    bits_left,
    chances_of_events,
    coin_range,
    coin_ratios,
    coin_told,
    turned,
)
from collector.disclosure.truths import TooManySetsError, prior, truths
from collector.disclosure.weighed import Sent, Weighed, channel_of, groups_of, weighed
from collector.survey.group import Group
from collector.survey.question import Question
from collector.survey.routing import EVERYBODY, Box
from collector.survey.survey import Survey

MOST_TRUTHS = 4_096
MOST_TERMS = 1_000_000  # largest number of pairs of a set of answers and a response, times questions
FEW = 40  # largest group for which the evidence about its coin is computed for each question
ROUNDING = 1e-9  # more than the floating-point error of bits

Rise = tuple[Fraction | None, Fraction, int | None]
"""P(value), the largest P(value | response), and the code of the question in such a response. None if not known."""
ByValue = tuple[Rise, ...]


@dataclass(frozen=True, eq=False)
class Family:
    """The questions whose answers a whole response discloses together.

    Attributes:
        survey: Design of the survey.
        questions: Questions in survey order, including undisguised questions.
        draws: Names of the questions in each draw that may disclose most, or None if there are too many draws.
    """

    survey: Survey
    questions: tuple[Question, ...]
    draws: tuple[frozenset[str], ...] | None

    def others(self, question: Question) -> tuple[Question, ...]:
        """Return the other questions of the family."""
        return tuple(each for each in self.questions if each != question)

    @property
    def exact(self) -> bool:
        """Whether the family's probabilities are exact, and not only upper bounds."""
        return self.listed is not None or self.free

    @cached_property
    def free(self) -> bool:
        """Whether all combinations of codes are possible.

        All combinations of codes are possible if no screen restricts answers, and if people who are not asked a
        question send a random answer.
        """
        names = {question.name for question in self.questions}
        screens = [screen for screen in self.survey.screens if names & set(screen.questions)]
        routed = {question.name for question in self.questions if question.coding.routed}
        if self.survey.sampling is not None and any(screen.ask_if for screen in screens):
            return False  # its groups are not drawn independently of each other
        return all(
            not self.survey.is_tied(screen) and (not screen.ask_if or routed >= set(screen.questions))
            for screen in screens
        )

    @cached_property
    def rises(self) -> Mapping[str, ByValue]:
        """The most that a whole response can raise the probability of each value of each question."""
        if self.listed is None and self.free:
            return {each.name: self.free_rises(each) for each in self.questions}
        if self.listed is None:
            return {each.name: self.bounded_rises(each) for each in self.questions}
        return {
            each.name: tuple(self.rise(each, {value}) for value in range(len(each.values))) for each in self.questions
        }

    def rise(self, question: Question, values: Collection[int]) -> Rise:
        """Return the prior and the largest posterior probability that a question has one of some values."""
        if self.listed is not None:
            at = self.questions.index(question)
            return self._share(question, values), *_largest([each.largest(at, values) for each in self.listed])
        if self.free:
            return self._free_rise(question, values)
        share = self._share(question, values)
        return share, self._bound(share), None

    def _share(self, question: Question, values: Collection[int]) -> Fraction | None:
        shares = self.prior(question)
        return None if shares is None else sum((shares[value] for value in values), start=Fraction(0))

    def prior(self, question: Question) -> tuple[Fraction, ...] | None:
        """Return the prior probability of each value of a question, or None if its computation takes too long."""
        if question.name not in self._priors:
            try:
                self._priors[question.name] = prior(self.survey, question, MOST_TRUTHS)
            except TooManySetsError:
                self._priors[question.name] = None
        return self._priors[question.name]

    @cached_property
    def _priors(self) -> dict[str, tuple[Fraction, ...] | None]:
        return {}

    def bits(self, question: Question) -> float | None:
        """Return the smallest H(value | whole response) over all draws in bits, or None if it is unknown."""
        if self.listed is None:
            return None
        at = self.questions.index(question)
        return min(each.bits(at) for each in self.listed)

    def bits_at_least(self, question: Question) -> float:
        """Return a lower bound of H(value | whole response) in bits that holds for every draw.

        If two distributions have a ratio of at most e^epsilon, their Kullback-Leibler divergence is at most epsilon
        tanh(epsilon / 2).
        """
        shares, ratio = self.prior(question), self._ratio
        if shares is None:
            return 0.0
        found = self._free_bits(question, shares) if self.free else 0.0
        if ratio is not None:
            epsilon = natural_log(ratio)
            divergence = float(1 - sum(share**2 for share in shares)) * epsilon * tanh(epsilon / 2) / log(2)
            found = max(found, sum(float(share) * -log2(share) for share in shares if share) - divergence)
        return max(found - ROUNDING, 0.0)

    def _free_bits(self, question: Question, shares: Sequence[Fraction]) -> float:
        """Return a lower bound of H(value | whole response), if only the coin makes a group's codes dependent.

        If odds set the coin, the bound assumes that the question is asked alone. If the truth probability is fixed, the
        bound assumes that all questions of the group are asked.
        """
        group = self.survey.group_of(question.name)
        if group is None or set(self.survey.routes.depends_on(question.name)) & set(group.questions):
            return 0.0
        members = (question,) if group.channel.coin.varies else self.survey.members(group)
        few = len(members) <= FEW
        others = [each for each in members if each != question or not few]  # of many, one more: once for all
        key = question.name if few else group.name
        if key not in self._coins:
            self._coins[key] = coin_told(others, group.channel)
        theta = group.channel.truth([each.coding for each in members])
        asked = 1 - shares[-1] if question.coding.routed else 1
        return float(asked) * bits_left(question, group.channel, theta, self._coins[key])

    @cached_property
    def _coins(self) -> dict[str, list[tuple[float, float]]]:
        return {}

    def posteriors(self, question: Question) -> tuple[tuple[str, ...], list[float], dict[Sent, list[float]]] | None:
        """Return P(value) and P(value | response) of a question for each response, or None if they are too many.

        Returns:
            The names of the questions in a response, P(value) of each value, and by response P(value | response).
        """
        if self.listed is None or len(self.listed) > 1:  # not every draw may be among them
            return None
        at = self.questions.index(question)
        joint = {sent: rows[at] for sent, rows in self.listed[0].joint.items()}
        before = [sum(each) for each in zip(*joint.values(), strict=True)]
        names = tuple(each.name for each in self.questions)
        return names, _scaled(before), {sent: _scaled(row) for sent, row in joint.items()}

    @cached_property
    def listed(self) -> list[Weighed] | None:
        """The joint probabilities of answers and responses by draw of questions, or None if they are too many."""
        if self.draws is None:
            return None
        try:
            every = truths(self.survey, self.questions, MOST_TRUTHS)
        except TooManySetsError:
            return None
        return weighed(self.survey, self.questions, every, self.draws, MOST_TERMS)

    def free_rises(self, question: Question) -> ByValue:
        """Return the most that a response can raise each value's probability, if all code combinations are possible.

        All answers are independent under the prior, because people who are not asked a question send a random answer.
        """
        return tuple(self._free_rise(question, {value}) for value in range(len(question.values)))

    def _free_rise(self, question: Question, values: Collection[int]) -> Rise:
        boxes, contrary = self.boxes_of(question, values)
        rises: list[Rise] = []
        for draw in self.telling(question):
            found = OfUnion.of([part for _, part in self.parts_of(boxes, draw)], len(boxes))
            rises.append((1 - found.before, 1 - found.least, None) if contrary else found.largest(question))
        return max(rises, key=lambda each: each[1])

    def telling(self, question: Question) -> tuple[frozenset[str], ...]:
        """Return the draws that may disclose most about a question, if all combinations of codes are possible.

        If odds set the coin, the draw with the fewest questions of the group discloses most. If the truth probability
        is fixed, the draw whose codes are the strongest evidence about the coin discloses most.
        """
        if self.draws is not None and len(self.draws) == 1:
            return self.draws
        group, sampling = self.survey.group_of(question.name), self.survey.sampling
        if group is None or sampling is None:
            return (frozenset({question.name}),)
        if group.channel.coin.varies:
            return (frozenset(each.name for each in fewest_asked(self.survey, group, question.name)),)
        fixed = {name for name in group.questions if not self.survey.may_miss(name)} | {question.name}
        room = sampling.ask - len({*sampling.always, question.name})
        others = [each for each in self.survey.members(group) if each.name not in fixed]
        by_low = sorted(others, key=lambda each: turned(self._coin_range(each)[0]))
        by_high = sorted(others, key=lambda each: -turned(self._coin_range(each)[1]))
        return tuple(frozenset((*fixed, *(each.name for each in some[:room]))) for some in (by_low, by_high))

    def _coin_range(self, question: Question) -> tuple[Pair, Pair]:
        """Return P(code | truth) and P(code | replacement) for the codes with the extreme ratios of both."""
        if question.name not in self._coin_ranges:
            group = self.survey.group_of(question.name)
            self._coin_ranges[question.name] = coin_range(question, None if group is None else group.channel)
        return self._coin_ranges[question.name]

    @cached_property
    def _coin_ranges(self) -> dict[str, tuple[Pair, Pair]]:
        return {}

    def boxes_of(self, question: Question, values: Collection[int]) -> tuple[list[Box], bool]:
        """Return the answers with (or without) some values of a question, as disjoint sets of values by question.

        The second returned value is True if the sets are of answers without the values.
        """
        given_values = frozenset(range(len(question.coding.owners)))
        asked = self.survey.routes.asked_if(question.name) if question.coding.routed else EVERYBODY
        contrary = not given_values.issuperset(values)
        own = given_values.difference(values) if contrary else frozenset(values)
        return [{**box, question.name: own} for box in asked], contrary

    def parts_of(self, boxes: Sequence[Box], draw: Collection[str]) -> Iterator[tuple[Group | None, Part]]:
        """Yield the values that each box of answers allows, for each group or undisguised question."""
        for group, places in groups_of(self.survey, self.questions, draw):
            how, members = channel_of(self.questions, group, places), [self.questions[at] for at in places]
            events = [{each: box[each.name] for each in members if each.name in box} for box in boxes]
            others = [each for each in members if not any(each in event for event in events)]
            if len(others) < len(places):
                theta = Fraction(1) if how is None else how.truth([each.coding for each in members])
                ends = coin_ratios([self._coin_range(each) for each in others])
                yield group, (events, chances_of_events(events, ends, how, theta))

    def bounded_rises(self, question: Question) -> ByValue:
        """Return upper bounds of the probability of each value of a question after a response."""
        shares = self.prior(question) or (None,) * len(question.values)
        return tuple((share, self._bound(share), None) for share in shares)

    @cached_property
    def _ratio(self) -> Ratio:
        """The largest ratio of a response's probabilities under two sets of answers, or None if unbounded."""
        names = {each.name for each in self.questions}
        if any(self.survey.group_of(name) is None for name in names):
            return None
        if self.draws is not None and len(self.draws) == 1:
            return draw_ratio(self.survey, self.draws[0])
        return largest_ratio(self.survey, [each for each in self.survey.groups if names & set(each.questions)])

    def _bound(self, share: Fraction | None) -> Fraction:
        """Return an upper bound of the posterior probability of an event, given its prior probability."""
        ratio = self._ratio
        if share == 0:
            return share
        return Fraction(1) if ratio is None or share is None else share * ratio / (1 - share + share * ratio)


def _largest(found: Sequence[tuple[Fraction, int | None]]) -> tuple[Fraction, int | None]:
    return max(found, key=lambda each: each[0])


def _scaled(weights: Sequence[int]) -> list[float]:
    """Return weights divided by their sum."""
    whole = sum(weights)
    return [each / whole for each in weights]
