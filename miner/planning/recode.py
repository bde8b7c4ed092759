"""Recode a survey for the next wave: estimated frequencies become the priors of its next version.

A coding protects best if its prior is correct (docs/guarantee.md, section 4). Priors are maximum likelihood estimates,
because unbiased estimates may be below 0. Priors are rounded to at least one thousandth, because a value without
answers in this wave may have some in the next. New priors cost no additional privacy, because they are computed from
disguised responses.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from collector.coding.coding import Coding, balanced_coding, drawn_coding, szucs_coding
from collector.disclosure.privacy import SurveyPrivacy
from collector.errors import QueryError
from collector.survey.question import Question
from collector.survey.survey import Survey
from miner.estimates.frequencies import likeliest_frequencies
from miner.responses.responses import Responses

DIGITS = 3
FLOOR = Fraction(1, 10**DIGITS)


@dataclass(frozen=True)
class Recoded:
    """Question before and after its prior is changed.

    Attributes:
        before: Question in the present version.
        after: Question in the next version.
        bits_before: Conditional entropy H(value | response) in the old coding, under the new prior.
        bits_after: Conditional entropy H(value | response) in the new coding, under the new prior.
    """

    before: Question
    after: Question
    bits_before: float
    bits_after: float

    @property
    def as_json(self) -> dict[str, Any]:
        """Return the question's change as plain JSON values."""
        return {
            "question": self.after.name,
            "prior_before": _by_value(self.before),
            "prior_after": _by_value(self.after),
            "bits_before": self.bits_before,
            "bits_after": self.bits_after,
        }


def recode(responses: Responses, wording: Survey | None = None) -> tuple[Survey, tuple[Recoded, ...]]:
    """Return the next version of a survey, and the change of each question.

    Args:
        responses: Responses to the present version.
        wording: Revision of the survey with the texts of the next version, or None for the first wording.

    Raises:
        QueryError: If there are no responses, or a question's frequencies cannot be estimated.
    """
    survey = wording or responses.survey
    now = [replace(each, prior=rounded(_shares(responses, each))) for each in survey.questions]
    then = [replace(each, coding=_coding(each)) for each in now]
    surveys = (SurveyPrivacy(replace(survey, questions=tuple(questions))) for questions in (now, then))
    bits = zip(*([each.anonymity for each in privacy.questions] for privacy in surveys), strict=True)
    changes = tuple(
        Recoded(before, after, *pair) for before, after, pair in zip(survey.questions, then, bits, strict=True)
    )
    return replace(survey, questions=tuple(then)), changes


def _shares(responses: Responses, question: Question) -> list[float]:
    found = likeliest_frequencies(responses, [question.name])
    if found is None:
        raise QueryError(
            f'question "{question.name}"',
            "the frequencies of the question cannot be estimated",
            "collect more responses",
        )
    return [found.share({question.name: frozenset({value})}) for value in range(len(question.values))]


def _coding(question: Question) -> Coding:
    """Return the coding of a question, adapted to its prior.

    Codings other than paired and drawn ones do not depend on the prior.
    """
    if question.coding.routed:
        return drawn_coding(question.prior, paired=question.coding.complements is not None)
    if question.coding.complements is None:
        return question.coding
    return (szucs_coding if question.coding.scheme == "szucs" else balanced_coding)(question.prior)


def rounded(shares: Sequence[float]) -> tuple[Fraction, ...]:
    """Round frequencies to thousandths, at least one each, that add up to exactly 1.

    The rounding errors of all frequencies are added to the largest frequency.
    """
    parts = [max(FLOOR, Fraction(round(share / float(FLOOR))) * FLOOR) for share in shares]
    largest = max(range(len(parts)), key=lambda number: parts[number])
    parts[largest] += 1 - sum(parts)
    return tuple(parts)


def _by_value(question: Question) -> dict[str, float]:
    return {value: float(share) for value, share in zip(question.values, question.prior, strict=True)}
