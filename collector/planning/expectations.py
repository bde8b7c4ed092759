"""Expectations of a survey before it is asked: precision, privacy, and the trade-off between the two.

Standard errors are exact if the priors of the survey file are correct (`collector.disclosure.precision`). Widths are
those of a normal interval, the limit of the intervals of `miner.estimates.estimate` for many responses.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import sqrt
from typing import Any

from collector.disclosure.precision import (
    interval_width,
    other_truths,
    respondents_for,
    response_variance,
    strongest_disguise,
    term_variance,
    worst_variance,
)
from collector.errors import QueryError
from collector.planning.settings import MOST_SETTINGS, GroupOutcome, Setting, outcome_of, setting_of
from collector.survey.group import Group
from collector.survey.question import Question
from collector.survey.survey import Survey

TWENTIETH = Fraction(1, 20)


@dataclass(frozen=True)
class ValuePlan:
    """Expected precision and privacy of one value's estimate.

    Attributes:
        value: In words.
        prior: The expected frequency.
        standard_error: Standard error of its estimate.
        width: Width of its 95 % interval.
        design_effect: Variance divided by that of direct questioning; None where that would leave nothing unsure, as
            nobody is expected to give the value, or everybody.
        respondents: Number needed for intervals of the target width; None without a target.
    """

    value: str
    prior: float
    standard_error: float
    width: float
    design_effect: float | None
    respondents: int | None

    @property
    def as_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return dict(vars(self))


@dataclass(frozen=True)
class TruthPlan:
    """Precision and privacy of a question at one truth probability.

    Attributes:
        truth: Truth probability of the group.
        width: The largest width of a 95 % interval of its values.
        bits: Conditional entropy H(value | response).
        belief: The largest posterior probability of a value.
        epsilon: Epsilon of local differential privacy, of the complete group; None if there is none.
    """

    truth: Fraction
    width: float
    bits: float
    belief: float
    epsilon: float | None

    @property
    def as_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return vars(self) | {"truth": str(self.truth)}


@dataclass(frozen=True)
class QuestionPlan:
    """Expected precision and privacy of one question.

    Attributes:
        question: The question.
        group: Its group; None if it is undisguised.
        values: One for each value, in order.
        truths: Plans at other truth probabilities, the strongest disguise first; empty if the question is undisguised,
            and in a split questionnaire.
        affordable: The strongest disguise that reaches the target width; None if there is none, or no target.
    """

    question: Question
    group: Group | None
    values: tuple[ValuePlan, ...]
    truths: tuple[TruthPlan, ...]
    affordable: TruthPlan | None

    @property
    def worst(self) -> ValuePlan:
        """The value whose estimate is the least precise."""
        return max(self.values, key=lambda each: each.standard_error)

    @property
    def as_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "question": self.question.name,
            "group": None if self.group is None else self.group.name,
            "values": [each.as_json for each in self.values],
            "truths": [each.as_json for each in self.truths],
            "affordable": None if self.affordable is None else self.affordable.as_json,
        }


@dataclass(frozen=True, repr=False)
class SurveyPlan:
    """Expected precision and privacy of a survey.

    Attributes:
        survey: The design.
        respondents: Number of respondents.
        target_width: Target width of 95 % intervals, or None.
        questions: In survey order.
    """

    survey: Survey
    respondents: int
    target_width: float | None
    questions: tuple[QuestionPlan, ...]

    @property
    def as_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "survey": self.survey.name,
            "fingerprint": self.survey.fingerprint,
            "respondents": self.respondents,
            "target_width": self.target_width,
            "questions": [each.as_json for each in self.questions],
        }


def planned_questions(survey: Survey, respondents: int, target_width: float | None = None) -> tuple[QuestionPlan, ...]:
    """The expected precision and privacy of each question of a survey, in its order.

    Args:
        survey: The design; its priors are assumed to be correct.
        respondents: Number of respondents.
        target_width: Width wanted of 95 % intervals, above 0 and below 1; if given, the respondents and the disguise
            that it needs are computed.

    Raises:
        QueryError: If there is no respondent, or the width is out of range.
    """
    if respondents < 1:
        raise QueryError("respondents", "there is not one", "say how many will answer")
    if target_width is not None and not 0 < target_width < 1:
        raise QueryError("target width", "it is not between 0 and 1", "give a width such as 0.1")
    affordable = {
        group.name: strongest_disguise(group, survey.members(group), respondents, target_width)
        for group in survey.groups
        if target_width is not None and survey.sampling is None
    }
    settings = {} if survey.sampling else {each.name: setting_of(survey, each) for each in survey.groups}
    found = []
    for question in survey.questions:
        group = survey.group_of(question.name)
        name = "" if group is None else group.name
        values = value_plans(survey, question, respondents, target_width)
        truths = _truths(settings[name], question, respondents) if name in settings else ()
        other = affordable.get(name)
        cheapest = None if other is None else truth_plan(survey, question, other, respondents)
        found.append(QuestionPlan(question, group, values, truths, cheapest))
    return tuple(found)


def _truths(setting: Setting, question: Question, respondents: int) -> tuple[TruthPlan, ...]:
    """Plans of a question of a group at each truth that is shown, the strongest disguise first."""
    at = setting.group.questions.index(question.name)
    plans = [_truth(each, at, respondents) for each in _outcomes(setting)]
    return tuple(sorted(plans, key=lambda each: -each.bits))


@lru_cache(maxsize=MOST_SETTINGS)
def _outcomes(setting: Setting) -> tuple[GroupOutcome, ...]:
    """Outcomes of a group at its truth and at every other in twentieths that it can have."""
    group = setting.group
    truths = {truth for truth in other_truths(group) if TWENTIETH.denominator % truth.denominator == 0}
    truths.add(setting.survey.truth_at(group, group.questions))
    return tuple(outcome_of(setting.at(truth)) for truth in truths)


def value_plans(
    survey: Survey, question: Question, respondents: int, width: float | None = None
) -> tuple[ValuePlan, ...]:
    """Expectations of each value of a question of a survey, in order."""
    variances = tuple(response_variance(survey, question, value) for value in range(len(question.values)))
    return _values(question, variances, respondents, width)


@lru_cache(maxsize=MOST_SETTINGS)
def _values(
    question: Question, variances: tuple[Fraction, ...], respondents: int, width: float | None
) -> tuple[ValuePlan, ...]:
    return tuple(_value(question, value, each, respondents, width) for value, each in enumerate(variances))


def _value(question: Question, value: int, variance: Fraction, respondents: int, width: float | None) -> ValuePlan:
    direct = _direct_variance(question, value)
    return ValuePlan(
        question.values[value],
        float(question.prior[value]),
        sqrt(variance / respondents),
        interval_width(variance, respondents),
        float(variance / direct) if direct else None,
        None if width is None else respondents_for(variance, width),
    )


def _direct_variance(question: Question, value: int) -> Fraction:
    """Variance of one answer to a direct question; for a routed question, of its last value among those asked."""
    if question.coding.routed and value == len(question.values) - 1:
        return question.prior[value] * (1 - question.prior[value])
    return term_variance(question, None, value)


def truth_plan(survey: Survey, question: Question, group: Group, respondents: int) -> TruthPlan:
    """Expectations of a question of a survey without sampling if its group is disguised so.

    Args:
        survey: The design.
        question: A member of the group.
        group: In place of the one of its name.
        respondents: Number of respondents.
    """
    return _truth(outcome_of(setting_of(survey, group)), group.questions.index(question.name), respondents)


def _truth(found: GroupOutcome, question: int, respondents: int) -> TruthPlan:
    """Plan of the question at this place in its group."""
    outcome = found.questions[question]
    return TruthPlan(
        found.truth, interval_width(outcome.variance, respondents), outcome.bits, outcome.belief, found.epsilon
    )


def width_lines(planned: SurveyPlan) -> Iterator[str]:
    """Lines that say what the wanted width requires; none if no width is wanted."""
    width = planned.target_width
    for each in planned.questions if width is not None else ():
        name = each.question.name
        if each.group is None or not each.truths:
            continue
        if each.affordable is None:
            members = planned.survey.members(each.group)
            needed = max(respondents_for(worst_variance(member, None), width or 1.0) for member in members)
            yield f"{name}: no disguise affords {width}; asked directly its group would take {needed} respondents"
        else:
            yield (
                f"{name}: truth {each.affordable.truth} of group {each.group.name} affords it, "
                f"with {each.affordable.bits:.3f} bits unknown"
            )
