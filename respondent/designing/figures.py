"""Figures that the designer's page shows, from the results of `collector check` and `miner plan`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import isfinite
from typing import Any

from collector.disclosure.disclosure import QuestionDisclosure
from collector.disclosure.group_disclosure import GroupDisclosure
from collector.disclosure.precision import with_truth
from collector.disclosure.privacy import SurveyPrivacy
from collector.exchange.checked import CheckedSurvey, checked
from collector.planning.expectations import QuestionPlan, SurveyPlan, planned_questions, value_plans
from collector.survey.fields import read_fraction
from collector.survey.group import Group
from collector.survey.question import Question
from collector.survey.survey import Survey
from collector.survey_file.group_file import keeping
from collector.survey_file.survey_file import Compiled
from collector.wording.wording import wordings
from respondent.designing.meaning.presets import preset_of
from respondent.designing.meaning.sentences import for_readers, meaning_of, together
from respondent.designing.values import EditError

Json = dict[str, Any]


class SurveyFigures:
    """Figures of one version of a survey file, for an assumed number of respondents.

    Attributes:
        check: Result of `collector check --respondents`.
        plan: Result of `miner plan`, without models.
        as_json: The figures that the designer's page shows, as plain JSON values.
    """

    def __init__(self, compiled: Compiled, respondents: int) -> None:
        survey = compiled.survey
        self.compiled, self.respondents = compiled, respondents
        self.check: CheckedSurvey = checked(compiled, respondents)
        self.plan = SurveyPlan(survey, respondents, None, planned_questions(survey, respondents))
        self.as_json = self._as_json()

    @property
    def lines(self) -> list[str]:
        """Sentences of `collector check`, without the sentence on central privacy."""
        central = self.check.central
        return [*self.check.privacy.lines, *(() if central is None else central.lines[1:])]

    def _as_json(self) -> Json:
        privacy, central = self.check.privacy, self.check.central
        promised = None if self.compiled.plan is None else self.compiled.plan.epsilon
        plans = {each.question.name: each for each in self.plan.questions}
        return {
            "questions": [
                _question(privacy, disclosed, [value.as_json for value in planned.values], self.respondents, promised)
                for disclosed, planned in zip(privacy.questions, self.plan.questions, strict=True)
            ],
            "groups": [_group(each, [plans[name] for name in each.group.questions]) for each in privacy.groups],
            "response": {
                "epsilon": or_none(privacy.epsilon),
                "readers": None if central is None else for_readers(central),
                "central": None if central is None else central.lines[0],
                "together": together(privacy),
            },
            "stale": False,
        }


def _question(
    privacy: SurveyPrivacy,
    disclosed: QuestionDisclosure,
    values: Sequence[Json],
    respondents: int,
    promised: Fraction | None = None,
) -> Json:
    """Return the figures of a question: what its answers disclose, and how precise its estimates are.

    Args:
        privacy: Disclosure of the whole survey.
        disclosed: Disclosure of the question.
        values: Precision of the estimated share of each value.
        respondents: Assumed number of respondents.
        promised: Epsilon of a whole response set under ``[privacy]``, or None.
    """
    survey, epsilon = privacy.survey, privacy.question_epsilon(disclosed.question)
    words = wordings(survey, disclosed.question, survey.languages[0])
    preset, level = preset_of(disclosed.group, promised)
    return {
        "name": disclosed.question.name,
        "group": None if disclosed.group is None else disclosed.group.name,
        "values": [
            value | {"words": read, "respondents_factor": value["design_effect"], "likeliest": float(risk.rise.after)}
            for value, read, risk in zip(values, words, disclosed.risks, strict=True)
        ],
        "epsilon": or_none(epsilon),
        "bits": disclosed.anonymity,
        "bits_exact": disclosed.counted,
        "entropy": disclosed.entropy,
        "belief": float(max(risk.rise.after for risk in disclosed.risks)),
        "preset": preset,
        "level": level,
        "meaning": meaning_of(disclosed, words, values, respondents),
    }


def _group(disclosed: GroupDisclosure, plans: Sequence[QuestionPlan]) -> Json:
    """Return the least private and the least precise question of a group at each truth probability."""
    group, found = disclosed.group, dict[str, Json]()
    for plan in plans:
        for each in plan.truths:
            at = found.setdefault(str(each.truth), each.as_json)
            at["bits"], at["belief"] = min(at["bits"], each.bits), max(at["belief"], each.belief)
            at["width"] = max(at["width"], each.width)
    return {
        "name": group.name,
        "questions": list(group.questions),
        "channel": group.channel.name,
        "truth": str(disclosed.truth),
        "epsilon": or_none(disclosed.epsilon),
        "curve": list(found.values()),
    }


def slid(compiled: Compiled, name: str, strength: str, value: str, respondents: int) -> Json:
    """Return the figures of a group at another truth probability or epsilon.

    Args:
        compiled: The compiled survey file.
        name: Name of the group.
        strength: Setting to change, ``truth`` or ``epsilon``.
        value: New value of the setting, as text.
        respondents: Assumed number of respondents.

    Raises:
        EditError: If the group does not exist, or if the survey is a split questionnaire.
        SurveyError: If the setting cannot have the new value.
    """
    survey = compiled.survey
    group = next((each for each in survey.groups if each.name == name), None)
    if group is None or survey.sampling is not None:
        raise EditError(f'group "{name}"', "this value has no slider", "edit the survey file")
    number = read_fraction(value, strength)
    if strength == "truth":
        if not 0 < number < 1:
            raise EditError("truth", "the truth probability is not between 0 and 1", "move the slider less far")
        group = with_truth(group, number)
    elif number > 0:
        group = replace(group, channel=keeping(number, survey.members(group), None))
    else:
        raise EditError("epsilon", "epsilon is not above 0", "move the slider less far")
    return _slid(survey, group, respondents)


def _slid(survey: Survey, group: Group, respondents: int) -> Json:
    groups = tuple(group if each.name == group.name else each for each in survey.groups)
    survey = replace(survey, groups=groups)
    privacy, members = SurveyPrivacy(survey), survey.members(group)
    questions = [
        _question(privacy, each, _values(survey, each.question, respondents), respondents)
        for each in privacy.among(group.questions)
    ]
    whole = GroupDisclosure(group, members)
    widest = max(value["width"] for question in questions for value in question["values"])
    return {
        "group": {
            "name": group.name,
            "questions": list(group.questions),
            "channel": group.channel.name,
            "truth": str(whole.truth),
            "epsilon": or_none(whole.epsilon),
            "bits": min(each["bits"] for each in questions),
            "belief": max(each["belief"] for each in questions),
            "width": widest,
        },
        "questions": questions,
        "response": {"epsilon": or_none(privacy.epsilon)},
    }


def _values(survey: Survey, question: Question, respondents: int) -> list[Json]:
    return [each.as_json for each in value_plans(survey, question, respondents)]


def or_none(epsilon: float) -> float | None:
    """Return an epsilon for JSON, with None in place of infinity."""
    return epsilon if isfinite(epsilon) else None
