"""Disclosure by a response, in numbers: the collector's remaining uncertainty, and its posteriors.

For a question that stands alone everything follows from the joint distribution of its value and of the code that is
sent, under the published prior, coding and channel. For one that others tell of, it follows from its family
(`collector.disclosure.family`). It is exact until the entropies. docs/guarantee.md states what each figure covers.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import log2
from typing import Any

from collector.channel.channel import Channel
from collector.channel.replacement import Rows
from collector.channel.value_channel import whole_transition
from collector.coding.anonymity import anonymity_bound
from collector.coding.coding import Coding
from collector.coding.common_denominator import Over, whole
from collector.disclosure.family import Family
from collector.survey.question import Question
from collector.survey.survey import Group

SURELY = Fraction(1)
MOST_REMEMBERED = 2**13  # distributions, and questions that nothing else tells of


@lru_cache(maxsize=MOST_REMEMBERED)
def _whole_joint(coding: Coding, prior: tuple[Fraction, ...], channel: Channel | None) -> tuple[Rows, int]:
    """P(value, code sent), exactly, over one denominator; other questions of the group do not change it."""
    sent, over = whole_transition(coding, channel)
    shares, shares_over = whole(prior)
    joint = {code: [share * each for share, each in zip(shares, row, strict=True)] for code, row in sent.items()}
    return joint, over * shares_over


def conditional_entropy(rows: Rows, over: int) -> float:
    """H(value | code sent), in bits, of a joint distribution in whole numbers over one denominator."""
    bits = 0.0
    for row in rows.values():
        total = sum(row)
        bits += sum(each / over * log2(total / each) for each in row if each)
    return bits


@dataclass(frozen=True)
class Rise:
    """A probability before a response, and the most it may be after one.

    Attributes:
        before: None where it is not known.
        after: The most, or an upper bound of it.
    """

    before: Fraction | None
    after: Fraction


@dataclass(frozen=True)
class Risk:
    """Largest rise of the probability of one value by a response.

    Attributes:
        value: Index of the value.
        sent: The code of its question in a response after which it is likeliest; None where only a bound is known.
        rise: From P(value), the prior, to P(value | response).
    """

    value: int
    sent: int | None
    rise: Rise


@dataclass(frozen=True)
class QuestionDisclosure:
    """Disclosure of one question by one response, to a collector that knows the design and the prior only.

    Attributes:
        question: The question.
        group: Its group; None if it is sent as it is.
        asked: The questions of its group that are asked, where that makes a difference to its own code: those of the
            draw in which that discloses most. Without them, the question alone, which discloses at least as much.
        family: The questions that tell of it, too: figures are then for the whole response, in the draw that discloses
            most. None for its own code.
    """

    question: Question
    group: Group | None
    asked: tuple[Question, ...] = ()
    family: Family | None = None

    @cached_property
    def channel(self) -> Channel | None:
        """Channel of its group, where these questions are asked; None if it is sent as it is."""
        if self.group is None:
            return None
        return self.group.channel.at([each.coding for each in self.asked or (self.question,)])

    @cached_property
    def _prior(self) -> tuple[Fraction, ...] | None:
        return self.question.prior if self.family is None else self.family.prior(self.question)

    @cached_property
    def _joint(self) -> tuple[Rows, int]:
        return _whole_joint(self.question.coding, self._prior or self.question.prior, self.channel)

    @property
    def posteriors(self) -> dict[int, tuple[Fraction, ...]]:
        """P(value | code sent) for each code that is ever sent, exactly; values in the question's order."""
        made = {code: Over(sum(row)) for code, row in self._joint[0].items() if any(row)}
        return {code: tuple(over[each] for each in self._joint[0][code]) for code, over in made.items()}

    @cached_property
    def risks(self) -> tuple[Risk, ...]:
        """Largest posterior of each value, and the first code after which it is reached."""
        if self.family is not None:
            rises = enumerate(self.family.rises[self.question.name])
            return tuple(Risk(value, code, Rise(before, after)) for value, (before, after, code) in rises)
        likeliest = [(0, 0, 1)] * len(self.question.values)  # a code, and the posterior as two whole numbers
        for code, row in self._joint[0].items():
            total = sum(row)
            for value, each in enumerate(row):
                if each * likeliest[value][2] > likeliest[value][1] * total:
                    likeliest[value] = code, each, total
        return tuple(
            Risk(value, code, Rise(before, Fraction(each, total)))
            for value, (before, (code, each, total)) in enumerate(
                zip(self._prior or self.question.prior, likeliest, strict=True)
            )
        )

    @cached_property
    def told_by_others(self) -> tuple[bool, ...]:
        """Whether other codes may make a value likelier than its own code does: for each value."""
        if self.family is None:
            return (False,) * len(self.question.values)
        own = [max(each) for each in zip(*self.posteriors.values(), strict=True)]
        return tuple(risk.rise.after != after for risk, after in zip(self.risks, own, strict=True))

    @cached_property
    def anonymity(self) -> float:
        """H(value | response), in bits; a lower bound where `counted` is false."""
        if self.family is None:
            return min(conditional_entropy(*self._joint), self.entropy or 0.0)
        bits = self.family.bits(self.question)
        return self.family.bits_at_least(self.question) if bits is None else bits

    @property
    def counted(self) -> bool:
        """Whether `anonymity` is exact."""
        return self.family is None or self.family.listed is not None

    @property
    def exact(self) -> bool:
        """Whether `risks` are exact; otherwise they are upper bounds."""
        return self.family is None or self.family.exact

    @property
    def entropy(self) -> float | None:
        """H(value), in bits: how unsure one is before the response. None if the prior is not known."""
        if self._prior is None:
            return None
        return sum(float(share) * -log2(share) for share in self._prior if share)

    @property
    def bound(self) -> float | None:
        """The most bits any coding could keep; None where the channel does not send complements."""
        if self.channel is None or not self.channel.replacement.paired:
            return None
        return anonymity_bound(self.question.prior, self.channel.truth([self.question.coding]))

    @property
    def as_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "question": self.question.name,
            "group": None if self.group is None else self.group.name,
            "entropy": self.entropy,
            "anonymity": self.anonymity,
            "anonymity_exact": self.counted,
            "bound": self.bound,
            "risks_exact": self.exact,
            "together_with": [] if self.family is None else [each.name for each in self.family.others(self.question)],
            "risks": [
                {
                    "value": self.question.values[risk.value],
                    "sent": None if risk.sent is None else self.question.word_of(risk.sent),
                    "before": None if risk.rise.before is None else float(risk.rise.before),
                    "after": float(risk.rise.after),
                }
                for risk in self.risks
            ],
        }


@lru_cache(maxsize=MOST_REMEMBERED)
def alone(question: Question, group: Group | None, asked: tuple[Question, ...]) -> QuestionDisclosure:
    """Disclosure of a question that no other tells of: the same for the same question, with what it has computed."""
    return QuestionDisclosure(question, group, asked)
