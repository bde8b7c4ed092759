"""The joint probabilities of the answers and responses of a family, for one draw of questions."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise, product
from math import lcm, log2, prod

from collector.channel.channel import Channel
from collector.channel.value_channel import value_transition
from collector.coding.common_denominator import whole, whole_rows
from collector.disclosure.independent_answers import replaced
from collector.disclosure.truths import Truth
from collector.survey.group import Group
from collector.survey.question import Question
from collector.survey.survey import Survey

MOST_WAYS = 300_000  # largest number of pairs of answers to a group and codes sent for them
NOT_SENT = -1
"""Number of a question that is not asked in this draw, in place of a code."""
Sent = tuple[int, ...]
"""A code for each question of a family, in survey order, or `NOT_SENT`."""
Rows = Sequence[Sequence[int]]
"""The probability of each value together with a response, for each question."""
_Kernel = tuple[dict[Truth, list[tuple[Sent, int]]], int]
Asked = tuple[Group | None, tuple[int, ...]]
"""A group, or None for a question sent as it is, with the positions of its questions that are asked."""


@dataclass(frozen=True)
class Weighed:
    """P(value, response) of each question as integers over one denominator, for one draw of questions.

    Attributes:
        joint: Numerators of the probabilities by response, question and value.
        over: Common denominator of the probabilities.
    """

    joint: dict[Sent, list[list[int]]]
    over: int

    def bits(self, at: int) -> float:
        """Return the entropy H(value | response) of a question in bits, given the position of the question."""
        bits = 0.0
        for rows in self.joint.values():
            total = sum(rows[at])
            bits += sum(each / self.over * log2(total / each) for each in rows[at] if each)
        return bits

    def largest(self, at: int, values: Collection[int]) -> tuple[Fraction, int | None]:
        """Return the largest posterior probability of some values, and a code of the question that leads to it."""
        most, of, code = 0, 1, NOT_SENT
        for sent in sorted(self.joint):
            row = self.joint[sent][at]
            part, total = sum(row[value] for value in values), sum(row)
            if part * of > most * total:
                most, of, code = part, total, sent[at]
        return Fraction(most, of), None if code == NOT_SENT else code

    def secret(self, at: int, values: Collection[int], opened: Collection[int]) -> tuple[Fraction, int | None]:
        """Return the largest posterior probability of values that undisguised answers leave uncertain."""
        known: dict[Sent, list[int]] = defaultdict(lambda: [0, 0])  # with the values, and in all
        for sent, rows in self.joint.items():
            sums = known[tuple(sent[place] for place in opened)]
            sums[:] = sums[0] + sum(rows[at][value] for value in values), sums[1] + sum(rows[at])
        certain = {sent for sent, (part, total) in known.items() if part == total}
        left = {
            sent: rows for sent, rows in self.joint.items() if tuple(sent[place] for place in opened) not in certain
        }
        return Weighed(left, self.over).largest(at, values)


def groups_of(survey: Survey, questions: Sequence[Question], asked: Collection[str]) -> list[Asked]:
    """Return each group (or None for an undisguised question) with the positions of its questions that are asked."""
    found: dict[str, tuple[Group | None, list[int]]] = {}
    for at, question in enumerate(questions):
        if question.name in asked:
            group = survey.group_of(question.name)
            key = f"question {question.name}" if group is None else group.name
            found.setdefault(key, (group, []))[1].append(at)
    return [(group, tuple(places)) for group, places in found.values()]


def channel_of(questions: Sequence[Question], group: Group | None, places: Sequence[int]) -> Channel | None:
    """Return the channel of a group, given the positions of the questions that are asked."""
    return None if group is None else group.channel.at([questions[at].coding for at in places])


def weighed(
    survey: Survey,
    questions: Sequence[Question],
    every: Sequence[tuple[Truth, Fraction]],
    draws: Sequence[Collection[str]],
    most: int,
) -> list[Weighed] | None:
    """Return the joint probabilities of answers and responses, for each draw of questions.

    Args:
        survey: Design of the survey.
        questions: Questions of the family.
        every: Sets of answers to the questions, each with its probability.
        draws: Names of the family's questions that are asked in each draw of questions.
        most: Largest number of joint probabilities, over all questions and draws.

    Returns:
        The joint probabilities, or None if there are too many.
    """
    chances, over = whole(chance for _, chance in every)
    starts = [0, *accumulate(len(each.values) for each in questions)]
    left, found, kernels = most, [], dict[tuple[int, ...], _Kernel | None]()
    for draw in draws:
        width, own = len(every) * len(questions), []
        for group, places in groups_of(survey, questions, draw):
            if places not in kernels:
                parts = {tuple(truth[at] for at in places) for truth, _ in every}
                members = [questions[at] for at in places]
                kernels[places] = _kernel(members, channel_of(questions, group, places), parts, left // width)
            kernel = kernels[places]
            if kernel is None:
                return None
            own.append((places, kernel))
            width *= max(map(len, kernel[0].values()))
            if width > left:
                return None
        left -= width
        joint: dict[Sent, list[int]] = defaultdict(lambda: [0] * starts[-1])
        for (truth, _), chance in zip(every, chances, strict=True):
            outcomes: list[tuple[Sent, int]] = [((), chance)]
            for places, (rows, _) in own:
                row = rows[tuple(truth[at] for at in places)]
                outcomes = [((*sent, *more), weight * each) for sent, weight in outcomes for more, each in row]
            held = [start + value for start, value in zip(starts, truth, strict=False)]
            for sent, weight in outcomes:
                counts = joint[sent]
                for place in held:
                    counts[place] += weight
        order = [at for places, _ in own for at in places]
        spots = [order.index(at) if at in order else None for at in range(len(questions))]
        by_question = {
            tuple(NOT_SENT if at is None else sent[at] for at in spots): [counts[a:b] for a, b in pairwise(starts)]
            for sent, counts in joint.items()
        }
        found.append(Weighed(by_question, over * prod(each for _, (_, each) in own)))
    return found


def _kernel(members: Sequence[Question], how: Channel | None, parts: set[Truth], most: int) -> _Kernel | None:
    """Return P(codes sent | values) of a group as integers over one denominator, or None for too many pairs."""
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
            if terms > MOST_WAYS:
                return None
            for outcome in product(*chances):
                row[tuple(code for code, _ in outcome)] += share * prod(count for _, count in outcome)
        found[part] = list(row.items())
        if len(row) > most:
            return None
    return found, theta.denominator * over
