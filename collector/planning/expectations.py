"""Expected precision and privacy of a survey before it is asked, and the trade-off between precision and privacy.

Standard errors are exact if the priors of the survey file are right (see `collector.disclosure.precision`). Widths are
for normal intervals, to which the miner's intervals converge with many responses.
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
    is_filtered,
    largest_variance,
    other_truths,
    reported_share,
    reported_variance,
    respondents_for,
    share_asked,
    strongest_disguise,
    with_truth,
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
    """The expected precision and privacy of the estimate for one value.

    Attributes:
        value: Value in words.
        prior: Expected frequency among all respondents.
        share: Expected share that is reported. Of a question that is not asked of everybody, shares are among the
            respondents who were asked, except for the share who were not asked.
        standard_error: Standard error of the reported share.
        width: Width of the 95 % interval.
        design_effect: Variance divided by the variance of direct questioning, or None if direct questioning has no
            variance because the prior of the value is 0 or 1.
        respondents: Number of respondents for intervals of the target width, or None without a target width.
    """

    value: str
    prior: float
    share: float
    standard_error: float
    width: float
    design_effect: float | None
    respondents: int | None

    @property
    def as_json(self) -> dict[str, Any]:
        """The plan as plain JSON values."""
        return dict(vars(self))


@dataclass(frozen=True)
class TruthPlan:
    """The precision and privacy of a question at one truth probability.

    Attributes:
        truth: Truth probability of the question's group.
        width: Largest width of a 95 % interval, over the values of the question.
        bits: Conditional entropy H(value | response).
        belief: Largest posterior probability of a value.
        epsilon: Epsilon of local differential privacy of the complete group, or None if the group has no epsilon.
    """

    truth: Fraction
    width: float
    bits: float
    belief: float
    epsilon: float | None

    @property
    def as_json(self) -> dict[str, Any]:
        """The plan as plain JSON values."""
        return vars(self) | {"truth": str(self.truth)}


@dataclass(frozen=True)
class QuestionPlan:
    """The expected precision and privacy of one question.

    Attributes:
        question: Question that the plan is about.
        group: Group of the question, or None if it is undisguised.
        asked: Expected number of respondents who are asked the question.
        values: Plan of each value, in order.
        truths: Plans with other truth probabilities, the strongest disguise first; empty for undisguised questions and
            in a split questionnaire.
        affordable: Plan with the strongest disguise that reaches the target width, or None if no disguise does.
    """

    question: Question
    group: Group | None
    asked: float
    values: tuple[ValuePlan, ...]
    truths: tuple[TruthPlan, ...]
    affordable: TruthPlan | None

    @property
    def worst(self) -> ValuePlan:
        """The plan of the value with the least precise estimate."""
        return max(self.values, key=lambda each: each.standard_error)

    @property
    def as_json(self) -> dict[str, Any]:
        """The plan as plain JSON values."""
        return {
            "question": self.question.name,
            "group": None if self.group is None else self.group.name,
            "asked": self.asked,
            "values": [each.as_json for each in self.values],
            "truths": [each.as_json for each in self.truths],
            "affordable": None if self.affordable is None else self.affordable.as_json,
        }


@dataclass(frozen=True, repr=False)
class SurveyPlan:
    """The expected precision and privacy of a survey.

    Attributes:
        survey: Design of the survey.
        respondents: Expected number of respondents.
        target_width: Target width of 95 % intervals, or None.
        questions: Plan of each question, in survey order.
    """

    survey: Survey
    respondents: int
    target_width: float | None
    questions: tuple[QuestionPlan, ...]

    @property
    def as_json(self) -> dict[str, Any]:
        """The plan as plain JSON values."""
        return {
            "survey": self.survey.name,
            "fingerprint": self.survey.fingerprint,
            "respondents": self.respondents,
            "target_width": self.target_width,
            "questions": [each.as_json for each in self.questions],
        }


def planned_questions(survey: Survey, respondents: int, target_width: float | None = None) -> tuple[QuestionPlan, ...]:
    """Return the expected precision and privacy of each question of a survey, in survey order.

    Args:
        survey: Design of the survey, whose priors are taken as right.
        respondents: Expected number of respondents.
        target_width: Target width of 95 % intervals, above 0 and below 1, or None.

    Raises:
        QueryError: If the number of respondents or the width is out of range.
    """
    if respondents < 1:
        raise QueryError(
            "respondents", "the number of respondents is below 1", "give the expected number of respondents"
        )
    if target_width is not None and not 0 < target_width < 1:
        raise QueryError("target width", "the width is not between 0 and 1", "give a width such as 0.1")
    affordable = {
        group.name: strongest_disguise(survey, group, survey.members(group), respondents, target_width)
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
        asked = respondents * float(survey.asking_probability([question.name])) * asked_share(question)
        found.append(QuestionPlan(question, group, asked, values, truths, cheapest))
    return tuple(found)


def asked_share(question: Question) -> float:
    """Return the expected share of respondents whose answers to other questions let a question be asked."""
    return float(1 - question.prior[-1]) if is_filtered(question) else 1.0


def _truths(setting: Setting, question: Question, respondents: int) -> tuple[TruthPlan, ...]:
    """Return plans of a question at several truth probabilities, the strongest disguise first."""
    at = setting.group.questions.index(question.name)
    plans = [_truth(each, at, respondents) for each in _outcomes(setting)]
    return tuple(sorted(plans, key=lambda each: -each.bits))


@lru_cache(maxsize=MOST_SETTINGS)
def _outcomes(setting: Setting) -> tuple[GroupOutcome, ...]:
    """Return the precision and privacy of a group, at its truth probability and at all allowed multiples of 1/20."""
    group = setting.group
    truths = {truth for truth in other_truths(group) if TWENTIETH.denominator % truth.denominator == 0}
    truths.add(setting.survey.truth_at(group, group.questions))
    return tuple(outcome_of(setting.at(truth)) for truth in truths)


def value_plans(
    survey: Survey, question: Question, respondents: int, width: float | None = None
) -> tuple[ValuePlan, ...]:
    """Return the expected precision of each value of a question, in order."""
    variances = tuple(reported_variance(survey, question, value) for value in range(len(question.values)))
    return _values(question, variances, share_asked(survey, question), respondents, width)


@lru_cache(maxsize=MOST_SETTINGS)
def _values(
    question: Question, variances: tuple[Fraction, ...], asked: Fraction, respondents: int, width: float | None
) -> tuple[ValuePlan, ...]:
    return tuple(_value(question, value, each, asked, respondents, width) for value, each in enumerate(variances))


def _value(  # noqa: PLR0913, PLR0917 - one for each
    question: Question, value: int, variance: Fraction, asked: Fraction, respondents: int, width: float | None
) -> ValuePlan:
    share = reported_share(question, value, asked)
    direct = share * (1 - share) / (1 if value == len(question.values) - 1 else asked)
    return ValuePlan(
        question.values[value],
        float(question.prior[value]),
        float(share),
        sqrt(variance / respondents),
        interval_width(variance, respondents),
        float(variance / direct) if direct else None,
        None if width is None else respondents_for(variance, width),
    )


def truth_plan(survey: Survey, question: Question, group: Group, respondents: int) -> TruthPlan:
    """Return the plan of a question whose group gets another disguise, in a survey without sampling.

    Args:
        survey: Design of the survey.
        question: Question of the group.
        group: Group that replaces the survey's group of the same name.
        respondents: Expected number of respondents.
    """
    return _truth(outcome_of(setting_of(survey, group)), group.questions.index(question.name), respondents)


def _truth(found: GroupOutcome, question: int, respondents: int) -> TruthPlan:
    """Return the plan of a question at one truth probability, given the question's position in its group."""
    outcome = found.questions[question]
    return TruthPlan(
        found.truth, interval_width(outcome.variance, respondents), outcome.bits, outcome.belief, found.epsilon
    )


def width_lines(planned: SurveyPlan) -> Iterator[str]:
    """Return lines on the number of respondents and the disguise that the target width of intervals needs."""
    width = planned.target_width
    for each in planned.questions if width is not None else ():
        name = each.question.name
        if each.group is None or not each.truths:
            continue
        if each.affordable is None:
            members, openly = planned.survey.members(each.group), with_truth(each.group, Fraction(1))
            variances = (
                largest_variance(planned.survey, member, openly)
                if is_filtered(member)
                else worst_variance(member, None)
                for member in members
            )
            needed = max(respondents_for(variance, width or 1.0) for variance in variances)
            yield f"{name}: no disguise affords {width}; asked directly its group would take {needed} respondents"
        else:
            yield (
                f"{name}: truth {each.affordable.truth} of group {each.group.name} affords it, "
                f"with {each.affordable.bits:.3f} bits unknown"
            )
