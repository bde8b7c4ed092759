"""Settings of groups, that is, a group with everything that determines its precision and privacy."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from functools import lru_cache
from math import isfinite

from collector.channel.channel import Channel
from collector.disclosure.group_disclosure import GroupDisclosure
from collector.disclosure.precision import reported_variance, with_truth
from collector.disclosure.privacy import SurveyPrivacy
from collector.survey.group import Group
from collector.survey.question import Question
from collector.survey.survey import Survey

WORDS = {"name", "label", "hint", "shown", "unit"}  # attributes of a question on which no figure depends
FIGURED = tuple(each.name for each in fields(Question) if each.name not in WORDS)
MOST_SETTINGS = 2**13  # number of cached settings: some twenty truth probabilities for each of 400 groups


@dataclass(frozen=True)
class Setting:
    """A group with its disguise and everything else that determines its precision and privacy.

    Two settings are equal if they differ only in texts, or in names that no screen uses.

    Attributes:
        channel: Channel of the group.
        rest: Questions of the group's family, with groups and screens, and the positions of the group's questions.
        group: Group with the disguise of the setting.
        survey: Survey that asks only the family's questions, with the group as in the design.
    """

    channel: Channel
    rest: tuple[Hashable, ...]
    group: Group = field(compare=False)
    survey: Survey = field(compare=False)

    def at(self, truth: Fraction) -> Setting:
        """Return a copy of the setting in which the group has another truth probability."""
        other = with_truth(self.group, truth)
        return Setting(other.channel, self.rest, other, self.survey)


@dataclass(frozen=True)
class QuestionOutcome:
    """The precision and privacy of one question, given the disguise of its group.

    Attributes:
        variance: Variance of the reported share of the least precise value, times the number of respondents.
        bits: Conditional entropy H(value | response).
        belief: Largest posterior probability of a value.
    """

    variance: Fraction
    bits: float
    belief: float


@dataclass(frozen=True)
class GroupOutcome:
    """The truth probability and epsilon of a group, and the precision and privacy of the group's questions."""

    truth: Fraction
    epsilon: float | None
    questions: tuple[QuestionOutcome, ...]


def setting_of(survey: Survey, group: Group) -> Setting:
    """Return the setting of a group with its disguise, in a survey without sampling."""
    family = survey.only(survey.together(group.questions[0]))
    place = {each.name: at for at, each in enumerate(family.questions)}
    rest = (
        tuple(tuple(getattr(each, name) for name in FIGURED) for each in family.questions),
        tuple(place[name] for name in group.questions),
        tuple(
            (each.channel, *(place[name] for name in each.questions))
            for each in family.groups
            if each.name != group.name
        ),
        (family.screens, tuple(place)) if family.screens else (),
    )
    return Setting(group.channel, rest, group, family)


@lru_cache(maxsize=MOST_SETTINGS)  # an edit leaves most groups as they are, and a truth is often come back to
def outcome_of(setting: Setting) -> GroupOutcome:
    """Return the precision and privacy of a setting (a group with its disguise)."""
    group = setting.group
    groups = tuple(group if each.name == group.name else each for each in setting.survey.groups)
    survey = replace(setting.survey, groups=groups)
    members = survey.members(group)
    whole, disclosed = GroupDisclosure(group, members), SurveyPrivacy(survey).among(group.questions)
    outcomes = tuple(
        QuestionOutcome(
            max(reported_variance(survey, each.question, value) for value in range(len(each.question.values))),
            each.anonymity,
            float(max(risk.rise.after for risk in each.risks)),
        )
        for each in disclosed
    )
    truth = group.channel.truth([each.coding for each in members])
    return GroupOutcome(truth, whole.epsilon if isfinite(whole.epsilon) else None, outcomes)
