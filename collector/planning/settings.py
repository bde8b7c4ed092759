"""Groups as they are disguised, with all that their figures depend on: figures of what was met before are kept."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from functools import lru_cache
from math import isfinite

from collector.disclosure.families import together
from collector.disclosure.group_disclosure import GroupDisclosure
from collector.disclosure.precision import response_variance
from collector.disclosure.privacy import SurveyPrivacy
from collector.survey.group import Group
from collector.survey.question import Question
from collector.survey.screen import Screen
from collector.survey.survey import Survey

WORDS = {"label", "hint", "shown", "unit"}  # of a question: no figure depends on them
MOST_SETTINGS = 2**13  # that are remembered: some twenty truths for each of 400 groups


@dataclass(frozen=True)
class Setting:
    """A group, and what its figures depend on besides: whatever its questions are weighed together with, but no words.

    Attributes:
        group: The group as it is disguised.
        questions: Questions of its family.
        others: The other groups of these.
        screens: On which they stand.
        survey: The design, with the group as it is there; two settings are equal whatever else it holds.
    """

    group: Group
    questions: tuple[Hashable, ...]
    others: tuple[Group, ...]
    screens: tuple[Screen, ...]
    survey: Survey = field(compare=False)


@dataclass(frozen=True)
class QuestionOutcome:
    """Figures of one question of a setting.

    Attributes:
        variance: Variance of the estimate of its least precise value, times the number of respondents.
        bits: Conditional entropy H(value | response).
        belief: The largest posterior probability of a value.
    """

    variance: Fraction
    bits: float
    belief: float


@dataclass(frozen=True)
class GroupOutcome:
    """Figures of a setting: the truth and the epsilon of its group, and each of its questions in its order."""

    truth: Fraction
    epsilon: float | None
    questions: tuple[QuestionOutcome, ...]


def setting_of(survey: Survey, group: Group) -> Setting:
    """The setting of a group of a survey, disguised as it is given."""
    names = together(survey, group.questions[0])
    kept = [each.name for each in fields(Question) if each.name not in WORDS]
    return Setting(
        group,
        tuple(tuple(getattr(each, name) for name in kept) for each in survey.questions if each.name in names),
        tuple(each for each in survey.groups if each.name != group.name and names & set(each.questions)),
        tuple(each for each in survey.screens if names & set(each.questions)),
        survey,
    )


@lru_cache(maxsize=MOST_SETTINGS)  # an edit leaves most groups as they are, and a truth is often come back to
def outcome_of(setting: Setting) -> GroupOutcome:
    """Figures of a setting."""
    group = setting.group
    groups = tuple(group if each.name == group.name else each for each in setting.survey.groups)
    survey = replace(setting.survey, groups=groups)
    members = survey.members(group)
    whole, disclosed = GroupDisclosure(group, members), SurveyPrivacy(survey).among(group.questions)
    outcomes = tuple(
        QuestionOutcome(
            max(response_variance(survey, each.question, value) for value in range(len(each.question.values))),
            each.anonymity,
            float(max(risk.rise.after for risk in each.risks)),
        )
        for each in disclosed
    )
    truth = group.channel.truth([each.coding for each in members])
    return GroupOutcome(truth, whole.epsilon if isfinite(whole.epsilon) else None, outcomes)
