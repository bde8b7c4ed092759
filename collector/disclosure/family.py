"""Families of questions, and the disclosure of each of their answers by one whole response.

Questions belong together if they share a coin, stand on a screen that allows some combinations only, or if one is
asked depending on another. The collector knows the design, so it weighs every set of answers that the screens allow
against the whole response. Different families are independent under the priors.

Every figure is exact where the sets of answers and the responses of a family can be listed, or where all sets of
answers are allowed; elsewhere it is an upper bound (`Family.exact`). docs/guarantee.md, section 6, has the proof.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import lcm, log2, prod

from collector.channel.channel import Channel
from collector.channel.value_channel import value_transition
from collector.coding.common_denominator import whole, whole_rows
from collector.disclosure.independent_answers import (
    OfUnion,
    Pair,
    Part,
    chances_of_events,
    coin_range,
    coin_ratios,
    replaced,
)
from collector.disclosure.truths import TooManySetsError, Truth, is_tied, marginals, truths
from collector.survey.group import Group
from collector.survey.question import Question
from collector.survey.routing import EVERYBODY, Box
from collector.survey.survey import Survey

MOST_TRUTHS = 4_096
MOST_TERMS = 300_000  # pairs of a set of answers and a response, times questions

Sent = tuple[int, ...]
"""A code for each question of a family that is sent, in survey order."""
Rise = tuple[Fraction, Fraction, int | None]
"""P(value), the largest P(value | response), and the code of the question in such a response; None if not known."""
ByValue = tuple[Rise, ...]


@dataclass(frozen=True, eq=False)
class Family:
    """Questions whose answers a whole response discloses together.

    Attributes:
        survey: Their design.
        questions: In survey order, those included that are sent as they are.
        sent: The names of those of which a response may have codes; of the others nothing is sent.
        room: In a split questionnaire, how many of those that are not asked of everybody may be asked together with
            one of them; None if all are.
    """

    survey: Survey
    questions: tuple[Question, ...]
    sent: frozenset[str]
    room: int | None = None

    def others(self, question: Question) -> tuple[Question, ...]:
        """The questions but this one."""
        return tuple(each for each in self.questions if each != question)

    @property
    def exact(self) -> bool:
        """Whether figures are exact; otherwise they are upper bounds."""
        return self.free or self.listed is not None

    @cached_property
    def free(self) -> bool:
        """Whether any codes may be sent together: no screen ties answers, and who is not asked sends a drawn answer."""
        names = {question.name for question in self.questions}
        screens = [screen for screen in self.survey.screens if names & set(screen.questions)]
        routed = {question.name for question in self.questions if question.coding.routed}
        return all(
            not is_tied(self.survey, screen) and (not screen.ask_if or routed >= set(screen.questions))
            for screen in screens
        )

    @cached_property
    def rises(self) -> Mapping[str, ByValue]:
        """Largest rise of the probability of each value of each question by a whole response."""
        if self.listed is not None:
            return self._listed_rises
        if self.free:
            return {each.name: self.free_rises(each) for each in self.questions}
        return {each.name: self.bounded_rises(each) for each in self.questions}

    def rise(self, question: Question, values: Collection[int]) -> tuple[Fraction, Fraction]:
        """The prior chance of some values of a question together, and the largest after a response."""
        if self.listed is not None:
            joint, over = self.listed
            rows = [each[self.questions.index(question)] for each in joint.values()]
            parts = [(sum(row[value] for value in values), sum(row)) for row in rows]
            return Fraction(sum(part for part, _ in parts), over), max(Fraction(*part) for part in parts if part[1])
        if self.free:
            return self._free_rise(question, values)[:2]
        share = min(sum((self._marginals[question.name][value] for value in values), start=Fraction(0)), Fraction(1))
        return share, self._bound(share)

    def bits(self, question: Question) -> float | None:
        """H(value | whole response), in bits; None if the responses are too many to be listed."""
        if self.listed is None:
            return None
        joint, over = self.listed
        at, bits = self.questions.index(question), 0.0
        for rows in joint.values():
            row = rows[at]
            total = sum(row)
            bits += sum(each / over * log2(total / each) for each in row if each)
        return bits

    def surest(self, question: Question) -> tuple[tuple[str, ...], dict[Sent, float]] | None:
        """The largest P(value | response) of a question for each response to the family; None if not listed.

        Returns:
            The names of the questions that a response has codes of, in the order of these, and the probabilities.
        """
        if self.listed is None:
            return None
        at = self.questions.index(question)
        names = tuple(self.questions[place].name for _, places in self.groups for place in places)
        return names, {sent: max(rows[at]) / sum(rows[at]) for sent, rows in self.listed[0].items()}

    @cached_property
    def groups(self) -> list[tuple[Group | None, tuple[int, ...]]]:
        """The groups, and questions sent as they are, with the positions of those that are sent."""
        found: dict[str, tuple[Group | None, list[int]]] = {}
        for at, question in enumerate(self.questions):
            if question.name not in self.sent:
                continue
            group = self.survey.group_of(question.name)
            key = f"question {question.name}" if group is None else group.name
            found.setdefault(key, (group, []))[1].append(at)
        return [(group, tuple(places)) for group, places in found.values()]

    def _channel(self, group: Group | None, places: Sequence[int]) -> Channel | None:
        return None if group is None else group.channel.at([self.questions[at].coding for at in places])

    @cached_property
    def listed(self) -> tuple[dict[Sent, list[list[int]]], int] | None:
        """P(value, response) of each question, in whole numbers over a denominator; None if there are too many."""
        if self.room is not None:
            return None
        try:
            every = truths(self.survey, self.questions, MOST_TRUTHS)
        except TooManySetsError:
            return None
        kernels = []
        width = len(every) * len(self.questions)
        for group, places in self.groups:
            kernel = self._kernel(group, places, {tuple(truth[at] for at in places) for truth, _ in every}, width)
            if kernel is None:
                return None
            kernels.append((places, kernel))
            width *= max(map(len, kernel[0].values()))
            if width > MOST_TERMS:
                return None
        chances, over = whole(chance for _, chance in every)
        sizes = [len(question.values) for question in self.questions]
        joint: dict[Sent, list[list[int]]] = defaultdict(lambda: [[0] * size for size in sizes])
        for (truth, _), chance in zip(every, chances, strict=True):
            outcomes: list[tuple[Sent, int]] = [((), chance)]
            for places, (kernel_rows, _) in kernels:
                row = kernel_rows[tuple(truth[at] for at in places)]
                outcomes = [((*sent, *more), weight * each) for sent, weight in outcomes for more, each in row]
            for sent, weight in outcomes:
                for counts, value in zip(joint[sent], truth, strict=True):
                    counts[value] += weight
        return dict(joint), over * prod(each for _, (_, each) in kernels)

    def _kernel(
        self, group: Group | None, places: Sequence[int], parts: set[Truth], width: int
    ) -> tuple[dict[Truth, list[tuple[Sent, int]]], int] | None:
        """P(codes sent | values) of one group, in whole numbers over a denominator; None if it is too large."""
        members, how = [self.questions[at] for at in places], self._channel(group, places)
        own = [value_transition(each.coding, None) for each in members]
        theta = Fraction(1) if how is None else how.truth([each.coding for each in members])
        lies = [replaced(each, how) for each in members] if how is not None and theta < 1 else []
        ways = [[whole_rows(table) for table in tables] for tables in (own, lies)]
        overs = [prod(each for _, each in tables) for tables in ways]
        over = lcm(*overs)
        shares = [
            theta.numerator * (over // overs[0]),
            (theta.denominator - theta.numerator) * (over // overs[1]),
        ]
        found: dict[Truth, list[tuple[Sent, int]]] = {}
        terms = 0
        for part in parts:
            row: dict[Sent, int] = defaultdict(int)
            for share, tables in zip(shares, ways, strict=True):
                if not share:
                    continue
                chances = [
                    [(code, each[value]) for code, each in table.items() if each[value]]
                    for (table, _), value in zip(tables, part, strict=True)
                ]
                terms += prod(map(len, chances))
                if terms > MOST_TERMS:
                    return None
                for outcome in product(*chances):
                    row[tuple(code for code, _ in outcome)] += share * prod(count for _, count in outcome)
            found[part] = list(row.items())
            if width * len(row) > MOST_TERMS:
                return None
        return found, theta.denominator * over

    @cached_property
    def _listed_rises(self) -> Mapping[str, ByValue]:
        joint, over = self.listed or ({}, 1)
        order = [at for _, places in self.groups for at in places]
        found = {}
        for at, question in enumerate(self.questions):
            code_at = order.index(at) if at in order else None
            before = [0] * len(question.values)
            best: list[tuple[int, int, int | None]] = [(0, 1, None)] * len(question.values)
            for sent in sorted(joint):
                row = joint[sent][at]
                total = sum(row)
                for value, each in enumerate(row):
                    before[value] += each
                    most, of, _ = best[value]
                    if each * of > most * total:
                        best[value] = each, total, None if code_at is None else sent[code_at]
            found[question.name] = tuple(
                (Fraction(share, over), Fraction(most, of), code)
                for share, (most, of, code) in zip(before, best, strict=True)
            )
        return found

    def free_rises(self, question: Question) -> ByValue:
        """Exact figures if any codes may be sent together.

        Whoever is not asked sends a drawn answer, so that all answers, given or drawn, are independent under the
        prior. "It was asked, and has this value" is then a union of disjoint boxes, and the probability of each a
        product over groups; that it was not asked is the contrary of such an event.
        """
        return tuple(self._free_rise(question, {value}) for value in range(len(question.values)))

    def _free_rise(self, question: Question, values: Collection[int]) -> Rise:
        boxes, contrary = self.boxes_of(question, values)
        found = OfUnion.of([part for _, part in self.parts_of(boxes)], len(boxes))
        return (1 - found.before, 1 - found.least, None) if contrary else found.largest(question)

    def boxes_of(self, question: Question, values: Collection[int]) -> tuple[list[Box], bool]:
        """Disjoint boxes of answers, given or drawn, with some values of a question; or with all others, and True."""
        given = frozenset(range(len(question.coding.owners)))
        asked = self.survey.routes.asked_if(question.name) if question.coding.routed else EVERYBODY
        contrary = not given.issuperset(values)
        own = given.difference(values) if contrary else frozenset(values)
        return [{**box, question.name: own} for box in asked], contrary

    def parts_of(self, boxes: Sequence[Box]) -> Iterator[tuple[Group | None, Part]]:
        """The part of each box in each group, or question sent as it is, with the chances after its responses."""
        for group, places in self.groups:
            how, members = self._channel(group, places), {at: self.questions[at] for at in places}
            events = [{each: box[each.name] for each in members.values() if each.name in box} for box in boxes]
            others = [at for at, each in members.items() if not any(each in event for event in events)]
            if len(others) < len(places):
                theta = Fraction(1) if how is None else how.truth([each.coding for each in members.values()])
                drawn = [self._coin_ranges[at] for at in others if self.survey.may_miss(members[at].name)]
                always = [self._coin_ranges[at] for at in others if not self.survey.may_miss(members[at].name)]
                ends = coin_ratios(always, drawn, len(drawn) if self.room is None else self.room)
                yield group, (events, chances_of_events(events, ends, how, theta))

    @cached_property
    def _coin_ranges(self) -> dict[int, tuple[Pair, Pair]]:
        """Pairs of P(code | coin says truth or not) with the extreme ratios, for each question sent, by position."""
        groups = [(self._channel(group, places), places) for group, places in self.groups]
        return {at: coin_range(self.questions[at], how) for how, places in groups for at in places}

    def bounded_rises(self, question: Question) -> ByValue:
        """Bounds from the largest ratio of the chances of a response under any two sets of answers."""
        return tuple((share, self._bound(share), None) for share in self._marginals[question.name])

    @cached_property
    def _marginals(self) -> dict[str, tuple[Fraction, ...]]:
        return marginals(self.survey, self.questions)

    def _bound(self, share: Fraction) -> Fraction:
        """The most that an event of this prior chance may have after a response."""
        ratio: Fraction | None = Fraction(1)
        for group, places in self.groups:
            how = self._channel(group, places)
            each = None if how is None else how.ratio([self.questions[at].coding for at in places])
            ratio = None if each is None or ratio is None else ratio * each
        return Fraction(1) if ratio is None else share * ratio / (1 - share + share * ratio)
