"""The next wave's coding: this wave's estimated frequencies become the priors of the next version of the survey.

A coding protects best when its prior is right (DESIGN section 4). Priors must be frequencies, so that they are taken
from the constrained maximum-likelihood estimates, not from the unbiased ones; rounded, and never below a floor, because
what nobody gave this time somebody may give the next. Computed from what was sent, they cost no further privacy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from collector.coding import Coding, balanced_coding, szucs_coding
from collector.disclosure import QuestionDisclosure
from collector.errors import QueryError
from collector.question import Question
from collector.survey import Group, Survey
from miner.estimates.likelihood import likeliest_frequencies
from miner.responses import Responses

DIGITS = 3
FLOOR = Fraction(1, 10**DIGITS)


@dataclass(frozen=True)
class Recoded:
    """One question with its new prior.

    Attributes:
        before: As it was asked.
        after: As it will be.
        bits_before: Unknown to a collector after a response, in the old coding, if the new prior is right.
        bits_after: The same in the new coding.
    """

    before: Question
    after: Question
    bits_before: float
    bits_after: float

    @property
    def as_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "question": self.after.name,
            "prior_before": _by_value(self.before),
            "prior_after": _by_value(self.after),
            "bits_before": self.bits_before,
            "bits_after": self.bits_after,
        }


def recode(responses: Responses) -> tuple[Survey, tuple[Recoded, ...]]:
    """The next version of a survey, and what became of each of its questions.

    Args:
        responses: To this version.

    Raises:
        QueryError: If there are none, or a question's frequencies cannot be found.
    """
    survey = responses.survey
    changes = tuple(_recoded(responses, question, survey.group_of(question.name)) for question in survey.questions)
    return replace(survey, questions=tuple(change.after for change in changes)), changes


def _recoded(responses: Responses, question: Question, group: Group | None) -> Recoded:
    prior = rounded(_shares(responses, question))
    after = replace(question, prior=prior, coding=_coding(question, prior, group))
    bits = [QuestionDisclosure(each, group).anonymity for each in (replace(question, prior=prior), after)]
    return Recoded(question, after, bits[0], bits[1])


def _shares(responses: Responses, question: Question) -> list[float]:
    """The likeliest frequencies of a question's values."""
    found = likeliest_frequencies(responses, [question.name])
    if found is None:
        raise QueryError(f'question "{question.name}"', "its frequencies cannot be found", "collect more responses")
    return [found.share({question.name: frozenset({value})}) for value in range(len(question.values))]


def _coding(question: Question, prior: tuple[Fraction, ...], group: Group | None) -> Coding:
    """The coding of the same scheme under another prior."""
    if question.coding.scheme == "plain" or group is None:
        return question.coding
    return szucs_coding(prior, group.channel.truth) if question.coding.scheme == "szucs" else balanced_coding(prior)


def rounded(shares: Sequence[float]) -> tuple[Fraction, ...]:
    """Frequencies in thousandths, none below one, adding up to exactly 1: the largest takes what rounding leaves."""
    parts = [max(FLOOR, Fraction(round(share / float(FLOOR))) * FLOOR) for share in shares]
    largest = max(range(len(parts)), key=lambda number: parts[number])
    parts[largest] += 1 - sum(parts)
    return tuple(parts)


def _by_value(question: Question) -> dict[str, float]:
    return {value: float(share) for value, share in zip(question.values, question.prior, strict=True)}
