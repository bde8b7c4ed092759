"""Of what questions a page may say that they are disguised."""

from dataclasses import dataclass

from collector.channel.value_channel import value_transition
from collector.disclosure.accounting import fewest_asked
from collector.survey.question import Question
from collector.survey.survey import Group, Survey


@dataclass(frozen=True)
class Disguise:
    """Of what questions a page may say that they are disguised.

    Attributes:
        some: Whether any is.
        every: Whether all are.
        doubt: Whether any is, and nothing that may be sent for these shows the answer for certain.
    """

    some: bool
    every: bool
    doubt: bool


def disguise(survey: Survey) -> Disguise:
    """What holds of the questions of a survey."""
    groups = [(each, group) for each in survey.questions if (group := disguising(survey, each)) is not None]
    shown = any(_shows(survey, question, group) for question, group in groups)
    return Disguise(bool(groups), len(groups) == len(survey.questions), bool(groups) and not shown)


def disguising(survey: Survey, question: Question) -> Group | None:
    """The group that disguises a question; None where it is sent as it is."""
    group = survey.group_of(question.name)
    return None if group is None or group.channel.coin.fixed == 1 else group


def _shows(survey: Survey, question: Question, group: Group) -> bool:
    """Whether a code is sent for one value only, where the fewest questions share the coin."""
    asked = fewest_asked(survey, group, question.name)
    sent = value_transition(question.coding, group.channel.at([each.coding for each in asked]))
    return any(sum(map(bool, chances)) == 1 for chances in sent.values())
