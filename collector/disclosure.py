"""What a response discloses, in numbers: how unsure of an answer a collector stays, and what it may conclude.

Everything follows from the joint distribution of a question's value and of the code that is sent, under the published
prior, coding and channel. It is exact until the entropies. docs/guarantee.md states what each figure covers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isfinite, log2, prod
from typing import Any

from collector.anonymity import anonymity_bound
from collector.channel import PAIR, Channel
from collector.coding import Coding
from collector.odds_channel import OddsChannel
from collector.question import Question
from collector.survey import Group
from collector.value_channel import value_transition
from collector.whole import Over, whole, whole_rows

SURELY = Fraction(1)

Joint = dict[int, list[Fraction]]
"""For each code that may be sent, the probability of each value together with it."""


def joint_distribution(question: Question, channel: Channel | None) -> Joint:
    """P(value, code sent), exactly. The other questions of the group do not change it.

    Args:
        question: Whose prior and coding are used.
        channel: Of its group; None for a question sent as it is.
    """
    sent, over = whole_rows(value_transition(question.coding, channel))
    shares, shares_over = whole(question.prior)
    made = Over(shares_over * over)
    return {code: [made[share * each] for share, each in zip(shares, row, strict=True)] for code, row in sent.items()}


def conditional_entropy(joint: Joint) -> float:
    """H(value | code sent), in bits."""
    bits, (rows, over) = 0.0, whole_rows(joint)
    for row in rows.values():
        total = sum(row)
        bits += sum(each / over * log2(total / each) for each in row if each)
    return bits


def binary_anonymity(question: Question, channel: Channel | None) -> float:
    """H(value | response) in bits (DESIGN section 4): Szucs's binary anonymity, for any channel and coding."""
    return conditional_entropy(joint_distribution(question, channel))


@dataclass(frozen=True)
class Rise:
    """A probability before a response, and the most it may be after one."""

    before: Fraction
    after: Fraction


@dataclass(frozen=True)
class Risk:
    """How far a response may raise the probability of one value.

    Attributes:
        value: Index of the value.
        sent: The code after which it is likeliest.
        rise: From P(value), the prior, to P(value | that code).
    """

    value: int
    sent: int
    rise: Rise


@dataclass(frozen=True)
class QuestionDisclosure:
    """What one response tells about one question, to a collector that knows the design and the prior only.

    Attributes:
        question: The question.
        group: Its group; None if it is sent as it is.
        asked: The questions of its group that are asked, where that makes a difference: those of the draw that
            discloses most. Without them, the question alone, which discloses at least as much.
    """

    question: Question
    group: Group | None
    asked: tuple[Question, ...] = ()

    @cached_property
    def channel(self) -> Channel | None:
        """Of its group, where these questions are asked."""
        asked = self.asked or (self.question,)
        return None if self.group is None else self.group.channel.at([each.coding for each in asked])

    @cached_property
    def joint(self) -> Joint:
        """P(value, code sent), exactly."""
        return joint_distribution(self.question, self.channel)

    @cached_property
    def posteriors(self) -> dict[int, tuple[Fraction, ...]]:
        """P(value | code sent) for each code that is ever sent, exactly; values in the question's order."""
        rows, _ = whole_rows(self.joint)
        made = {code: Over(sum(row)) for code, row in rows.items() if any(row)}
        return {code: tuple(over[each] for each in rows[code]) for code, over in made.items()}

    @cached_property
    def risks(self) -> tuple[Risk, ...]:
        """For each value the code after which it is likeliest."""
        risks = []
        for value, before in enumerate(self.question.prior):
            sent = max(self.posteriors, key=lambda code: self.posteriors[code][value])
            risks.append(Risk(value, sent, Rise(before, self.posteriors[sent][value])))
        return tuple(risks)

    @cached_property
    def anonymity(self) -> float:
        """H(value | response), in bits."""
        return conditional_entropy(self.joint)

    @property
    def entropy(self) -> float:
        """H(value), in bits: how unsure one is before the response."""
        return sum(float(share) * -log2(share) for share in self.question.prior)

    @property
    def bound(self) -> float | None:
        """The most bits any coding could keep; None where the channel does not send complements."""
        if self.channel is None or self.channel.name != "complement":
            return None
        return anonymity_bound(self.question.prior, self.channel.truth)

    @property
    def as_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            "question": self.question.name,
            "group": None if self.group is None else self.group.name,
            "entropy": self.entropy,
            "anonymity": self.anonymity,
            "bound": self.bound,
            "risks": [
                {
                    "value": self.question.values[risk.value],
                    "sent": self.question.word_of(risk.sent),
                    "before": float(risk.rise.before),
                    "after": float(risk.rise.after),
                }
                for risk in self.risks
            ],
        }


@dataclass(frozen=True)
class GroupDisclosure:
    """What one response tells about the questions of one group together.

    Attributes:
        group: The group.
        questions: Its questions, in survey order; in a sampled survey, those of the draw that discloses most.
    """

    group: Group
    questions: tuple[Question, ...]

    @cached_property
    def channel(self) -> Channel:
        """The group's, where these questions are asked."""
        return self.group.channel.at([question.coding for question in self.questions])

    @property
    def states(self) -> int:
        """How many different responses the group has."""
        return prod(len(question.codes) for question in self.questions)

    @property
    def epsilon(self) -> float:
        """Of local differential privacy, between any two answers to the whole group; inf if there is none."""
        return self.channel.epsilon([question.coding for question in self.questions])

    @property
    def candidates(self) -> int:
        """How many states of the truth a response leaves possible: the size of its anonymity set."""
        if self.channel.truth in {0, 1}:
            return 1
        return PAIR if self.channel.name == "complement" else prod(len(each.values) for each in self.questions)

    @cached_property
    def surest(self) -> Fraction:
        """The largest chance that a value of one of its questions may have after a response, under the prior."""
        told = [QuestionDisclosure(question, self.group, self.questions) for question in self.questions]
        return max(risk.rise.after for each in told for risk in each.risks)

    @cached_property
    def belief(self) -> Rise:
        """The surest a collector may be of the whole group's state, taking its questions to be independent.

        Where answers go together it may be surer still.
        """
        if self.candidates == 1 and self.surest == SURELY:
            return Rise(SURELY, SURELY)
        truth = self.channel.truth
        if len(self.questions) == 1 and self.channel.name != "complement":
            risks = QuestionDisclosure(self.questions[0], self.group, self.questions).risks
            return max((risk.rise for risk in risks), key=lambda rise: (rise.after, rise.before))
        if self.channel.name != "complement":
            return self._uniform_belief(self.questions)
        pairs = [_most_uneven_pair(question) for question in self.questions]
        likely = prod((pair[0] for pair in pairs), start=SURELY)
        partner = prod((pair[1] for pair in pairs), start=SURELY)
        straight = max(truth, 1 - truth)
        return Rise(likely, straight * likely / (straight * likely + (1 - straight) * partner))

    @cached_property
    def belief_with_outside_fact(self) -> Fraction | None:
        """The same of the other answers once one is known from elsewhere; None in a group of one question."""
        if len(self.questions) == 1:
            return None
        if self.channel.name == "complement":
            return SURELY
        every = self.questions
        return max(self._uniform_belief([each for each in every if each is not known]).after for known in every)

    def _uniform_belief(self, unknown: Sequence[Question]) -> Rise:
        """The surest of these questions' answers, the others being known, and sent as one of their codes.

        With p the prior of an answer and p/r that of all answers that what was sent may stand for, the truth's draw
        makes each state with probability t and a replacement with probability u, and P(answer | response) is
        (t + u) / (t/r + u/p).
        """
        drawn = prod((Fraction(1, len(each.coding.draws[0])) for each in self.questions), start=SURELY)
        true, stray = self.channel.truth * drawn, (1 - self.channel.truth) / self.states
        told = [(SURELY, SURELY)]
        for question in unknown:
            told = _most_telling((p * q, r * s) for p, r in told for q, s in _answers_sent(question))
        rises = (Rise(p, (true + stray) / (true / r + stray / p)) for p, r in told)
        return max(rises, key=lambda rise: (rise.after, rise.before))

    @property
    def as_dict(self) -> dict[str, Any]:
        """As plain JSON values; an epsilon of null: there is none."""
        outside = self.belief_with_outside_fact
        return {
            "group": self.group.name,
            "questions": list(self.group.questions),
            "channel": self.channel.name,
            "truth": None if isinstance(self.group.channel, OddsChannel) else str(self.channel.truth),
            "odds": str(self.group.channel.odds) if isinstance(self.group.channel, OddsChannel) else None,
            "states": self.states,
            "candidates": self.candidates,
            "epsilon": self.epsilon if isfinite(self.epsilon) else None,
            "belief": float(self.belief.after),
            "belief_with_outside_fact": None if outside is None else float(outside),
        }


def _answers_sent(question: Question) -> list[tuple[Fraction, Fraction]]:
    """P(answer), and P(answer | one of those that a code stands for), for answers and their codes."""
    prior, coding = question.prior, question.coding
    owners = [coding.values_of(code) for code in coding.codes]
    pairs = {(prior[value], prior[value] / sum(prior[each] for each in some)) for some in owners for value in some}
    return _most_telling(pairs)


def _most_telling(pairs: Iterable[tuple[Fraction, Fraction]]) -> list[tuple[Fraction, Fraction]]:
    """Those of which no other has both numbers at least as large."""
    kept: list[tuple[Fraction, Fraction]] = []
    for pair in sorted(set(pairs), reverse=True):
        if not kept or pair[1] > kept[-1][1]:
            kept.append(pair)
    return kept


def _most_uneven_pair(question: Question) -> tuple[Fraction, Fraction]:
    """P(code) and P(its complement) before any coin, for the code that exceeds its complement most."""
    chance = code_distribution(question.coding, question.prior)
    pairs = [(chance[code], chance[question.coding.complement(code)]) for code in question.codes]
    return max((pair for pair in pairs if pair[0]), key=lambda pair: pair[0] / sum(pair))


def code_distribution(coding: Coding, prior: tuple[Fraction, ...]) -> dict[int, Fraction]:
    """P(code) before any coin, exactly, for each code."""
    shares, over = whole(
        share / sum(weight for _, weight in draws) for share, draws in zip(prior, coding.draws, strict=True)
    )
    counts = dict.fromkeys(coding.codes, 0)
    for share, draws in zip(shares, coding.draws, strict=True):
        for code, weight in draws:
            counts[code] += share * weight
    return {code: Fraction(count, over) for code, count in counts.items()}
