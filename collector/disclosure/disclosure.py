"""The disclosure of each question by a response: the collector's remaining uncertainty and posterior probabilities.

The disclosure of an independent question follows from the joint distribution of its value and the code sent. The
disclosure of a question that depends on others, or shares a coin, follows from its family (see
`collector.disclosure.family`). All probabilities are exact fractions.
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
MOST_REMEMBERED = 2**13  # number of cached distributions, and of cached questions without a family


@lru_cache(maxsize=MOST_REMEMBERED)
def _whole_joint(coding: Coding, prior: tuple[Fraction, ...], channel: Channel | None) -> tuple[Rows, int]:
    """Return the exact joint probabilities P(value, code sent) as whole numbers over one denominator."""
    sent, over = whole_transition(coding, channel)
    shares, shares_over = whole(prior)
    joint = {code: [share * each for share, each in zip(shares, row, strict=True)] for code, row in sent.items()}
    return joint, over * shares_over


def conditional_entropy(rows: Rows, over: int) -> float:
    """Return H(value | code sent) in bits, given the joint distribution as whole numbers over one denominator."""
    bits = 0.0
    for row in rows.values():
        total = sum(row)
        bits += sum(each / over * log2(total / each) for each in row if each)
    return bits


@dataclass(frozen=True)
class Rise:
    """A probability before a response, and the largest possible value of the probability after a response.

    Attributes:
        before: Prior probability, or None if the prior is not known.
        after: Largest posterior probability, or an upper bound.
    """

    before: Fraction | None
    after: Fraction


@dataclass(frozen=True)
class Risk:
    """The most that a response can raise the probability of one value.

    Attributes:
        value: Position of the value among the values of the question.
        sent: Code of the question after which the value is most probable, or None if only a bound of the probability is
            known.
        rise: Rise from P(value), the prior, to P(value | response).
    """

    value: int
    sent: int | None
    rise: Rise


@dataclass(frozen=True)
class QuestionDisclosure:
    """The disclosure of one question by one response, to a collector that knows only the design and the prior.

    Attributes:
        question: Question whose disclosure is computed.
        group: Group of the question, or None if the question is sent as it is.
        asked: Questions of the group in the draw of questions that discloses most about this code; empty if all draws
            disclose equally much.
        family: Questions whose codes also disclose the answer to this question, or None.
    """

    question: Question
    group: Group | None
    asked: tuple[Question, ...] = ()
    family: Family | None = None

    @cached_property
    def channel(self) -> Channel | None:
        """The group's channel if the questions in `asked` are asked, or None for an undisguised question."""
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
        """The exact P(value | code sent) of every value of the question, for each code that may be sent."""
        made = {code: Over(sum(row)) for code, row in self._joint[0].items() if any(row)}
        return {code: tuple(over[each] for each in self._joint[0][code]) for code, over in made.items()}

    @cached_property
    def risks(self) -> tuple[Risk, ...]:
        """The largest posterior probability of each value, with a code that leads to this probability."""
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
        """Whether codes of other questions raise the largest posterior probability, for each value."""
        if self.family is None:
            return (False,) * len(self.question.values)
        own = [max(each) for each in zip(*self.posteriors.values(), strict=True)]
        return tuple(risk.rise.after != after for risk, after in zip(self.risks, own, strict=True))

    @cached_property
    def anonymity(self) -> float:
        """The conditional entropy H(value | response) in bits, which is only a lower bound if `counted` is false."""
        if self.family is None:
            return min(conditional_entropy(*self._joint), self.entropy or 0.0)
        bits = self.family.bits(self.question)
        return self.family.bits_at_least(self.question) if bits is None else bits

    @property
    def counted(self) -> bool:
        """Whether the entropy `anonymity` is exact, and not only a lower bound."""
        return self.family is None or self.family.listed is not None

    @property
    def exact(self) -> bool:
        """Whether the posterior probabilities in `risks` are exact, and not only upper bounds."""
        return self.family is None or self.family.exact

    @property
    def entropy(self) -> float | None:
        """The entropy H(value) in bits before the response, or None if the prior is not known."""
        if self._prior is None:
            return None
        return sum(float(share) * -log2(share) for share in self._prior if share)

    @property
    def bound(self) -> float | None:
        """The largest H(value | response) in bits over all codings, or None if the channel sends no complements."""
        if self.channel is None or not self.channel.replacement.paired:
            return None
        return anonymity_bound(self.question.prior, self.channel.truth([self.question.coding]))

    @property
    def as_dict(self) -> dict[str, Any]:
        """The disclosure of the question as plain JSON values."""
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
    """Return the disclosure of a question that belongs to no family. Results are cached."""
    return QuestionDisclosure(question, group, asked)
