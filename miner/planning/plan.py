"""What to expect of a survey before it is asked: precision, privacy, and the trade-off between the two.

Standard errors are exact if the priors of the survey file are correct (`collector.disclosure.precision`). Widths are
those of a normal interval, the limit of the intervals of `miner.estimates.estimate` for many responses. The accuracy of
models is in `miner.planning.forecast`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isfinite, sqrt
from typing import Any

import pandas as pd

from collector.disclosure.group_disclosure import GroupDisclosure
from collector.disclosure.precision import (
    interval_width,
    other_truths,
    respondents_for,
    response_variance,
    strongest_disguise,
    term_variance,
    with_truth,
    worst_variance,
)
from collector.disclosure.privacy import SurveyPrivacy
from collector.errors import QueryError
from collector.survey.question import Question
from collector.survey.survey import Group, Survey
from miner.drawing.chart import Axis, Chart, Line, Point
from miner.drawing.notebook_table import TableResult
from miner.json_values import JsonResult, json_values

TWENTIETH = Fraction(1, 20)
MOST_WIDTH = 2.0  # largest interval on the plot


@dataclass(frozen=True)
class ValuePlan(JsonResult):
    """What to expect of one value's estimate.

    Attributes:
        value: In words.
        prior: The expected frequency.
        standard_error: Of its estimate.
        width: Of its 95 % interval.
        design_effect: Variance divided by that of direct questioning.
        respondents: Number needed for intervals of the target width; None without a target.
    """

    value: str
    prior: float
    standard_error: float
    width: float
    design_effect: float
    respondents: int | None


@dataclass(frozen=True)
class TruthPlan(JsonResult):
    """Precision and privacy of a question at one truth probability.

    Attributes:
        truth: Of the group.
        width: The largest width of a 95 % interval of its values.
        bits: Conditional entropy H(value | response).
        belief: The largest posterior probability of a value.
        epsilon: Of local differential privacy, of the complete group; None if there is none.
    """

    truth: Fraction
    width: float
    bits: float
    belief: float
    epsilon: float | None


@dataclass(frozen=True)
class QuestionPlan(JsonResult):
    """What to expect of one question.

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
        group = None if self.group is None else self.group.name
        return super().as_json | {"question": self.question.name, "group": group}


@dataclass(frozen=True)
class Plan(TableResult):
    """What to expect of a survey.

    Attributes:
        survey: The design.
        respondents: Number of respondents.
        target_width: Of 95 % intervals, or None.
        questions: In survey order.
    """

    survey: Survey
    respondents: int
    target_width: float | None
    questions: tuple[QuestionPlan, ...]

    @property
    def frame(self) -> pd.DataFrame:
        """One row per value, indexed by question and value."""
        rows = [{"question": each.question.name, **vars(value)} for each in self.questions for value in each.values]
        return pd.DataFrame(rows).set_index(["question", "value"])

    @property
    def as_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "survey": self.survey.name,
            "fingerprint": self.survey.fingerprint,
            "respondents": self.respondents,
            "target_width": self.target_width,
            "questions": json_values(self.questions),
        }

    @property
    def chart(self) -> Chart:
        """Privacy against precision: a line for each disguised question, a marker where its group stands now.

        Raises:
            QueryError: If nothing is disguised, or not everybody is asked everything.
        """
        if self.survey.sampling is not None:
            problem = "in a split questionnaire the truth alone does not decide, and there are no curves to draw"
            raise QueryError("--plot", problem, "leave it out")
        lines = [_line(each) for each in self.questions if each.truths]
        if not lines:
            raise QueryError("plot", "the survey disguises nothing", "disguise a question")
        described = "; ".join(
            f"{each.question.name}: {_own(each).bits:.2f} bits unknown, intervals {_own(each).width:.3f} wide"
            for each in self.questions
            if each.truths
        )
        return Chart(
            title=f"{self.survey.name}: privacy against precision",
            description=(
                f"The more bits of an answer stay unknown, the wider the 95 % intervals of {self.respondents} "
                f"respondents. As designed: {described}."
            ),
            x=Axis("bits of an answer that stay unknown to the collector"),
            y=Axis(f"width of the 95 % interval ({self.respondents} respondents)", logarithmic=True),
            lines=tuple(lines),
        )


def plan(survey: Survey, respondents: int, target_width: float | None = None) -> Plan:
    """Compute the expected precision and privacy of a survey.

    Args:
        survey: The design; its priors are assumed to be correct.
        respondents: Number of respondents.
        target_width: Of 95 % intervals, above 0 and below 1; if given, the needed respondents and disguise are
            computed.

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
    return Plan(
        survey,
        respondents,
        target_width,
        tuple(_question(survey, each, respondents, target_width, affordable) for each in survey.questions),
    )


def _question(
    survey: Survey, question: Question, respondents: int, width: float | None, affordable: dict[str, Group | None]
) -> QuestionPlan:
    group = survey.group_of(question.name)
    values = tuple(_value(survey, question, value, respondents, width) for value in range(len(question.values)))
    if group is None or survey.sampling is not None:  # what is asked of a person decides with the truth
        return QuestionPlan(question, group, values, (), None)
    own = survey.truth_at(group, group.questions)
    shown = {truth for truth in other_truths(group) if truth % TWENTIETH == 0} | {own}
    truths = [_truth(survey, question, with_truth(group, truth), respondents) for truth in shown]
    other = affordable.get(group.name)
    return QuestionPlan(
        question,
        group,
        values,
        tuple(sorted(truths, key=lambda each: -each.bits)),
        None if other is None else _truth(survey, question, other, respondents),
    )


def _value(survey: Survey, question: Question, value: int, respondents: int, width: float | None) -> ValuePlan:
    variance = response_variance(survey, question, value)
    return ValuePlan(
        question.values[value],
        float(question.prior[value]),
        sqrt(variance / respondents),
        interval_width(variance, respondents),
        float(variance / term_variance(question, None, value)),
        None if width is None else respondents_for(variance, width),
    )


def _truth(survey: Survey, question: Question, group: Group, respondents: int) -> TruthPlan:
    """What to expect of a question if its group is disguised so."""
    members = survey.members(group)
    survey = replace(survey, groups=tuple(group if each.name == group.name else each for each in survey.groups))
    told, whole = SurveyPrivacy(survey).question(question.name), GroupDisclosure(group, members)
    variance = max(response_variance(survey, question, value) for value in range(len(question.values)))
    return TruthPlan(
        group.channel.truth([each.coding for each in members]),
        interval_width(variance, respondents),
        told.anonymity,
        float(max(risk.rise.after for risk in told.risks)),
        whole.epsilon if isfinite(whole.epsilon) else None,
    )


def _own(planned: QuestionPlan) -> TruthPlan:
    truth = None if planned.group is None else planned.group.channel.coin.fixed
    return next(each for each in planned.truths if each.truth == truth)


def _line(planned: QuestionPlan) -> Line:
    kept = [each for each in planned.truths if each.width <= MOST_WIDTH or each == _own(planned)]
    points = tuple(Point(each.bits, each.width) for each in kept)
    return Line(planned.question.name, points, frozenset({kept.index(_own(planned))}))


def width_lines(planned: Plan) -> Iterator[str]:
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
