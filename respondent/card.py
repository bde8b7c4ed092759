"""What the study card says of the disguise: one example with its picture, every coin, and the honest limit."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from collector.disclosure import QuestionDisclosure
from collector.odds_channel import OddsChannel
from collector.question import Question
from collector.survey import Group, Survey
from respondent.languages import Interface
from respondent.odds import names_of, sent_values, shared_coin, value_words
from respondent.people import PEOPLE, about

ROW = 10  # people in a row of the picture


@dataclass(frozen=True)
class Example:
    """One answer and what becomes of it among 100 people.

    Attributes:
        line: In words.
        marked: How many of 100 have another answer sent, rounded but neither to none nor to all.
        outline: The marked part of the picture, 10 by 10 people, as an SVG path.
    """

    line: str
    marked: int

    @property
    def outline(self) -> str:
        """Whole rows of ten, then what is left of one."""
        rows, left = divmod(self.marked, ROW)
        return f"M0 0H{ROW}V{rows}H{left}V{min(rows + 1, ROW)}H0Z"


def example(survey: Survey, interface: Interface) -> Example | None:
    """The last answer of the first disguised question, one with two answers if there is any; None if none is."""
    _ = interface.gettext
    disguised = [each for each in survey.questions if _group(survey, each) and not each.coding.shared]
    if not disguised or survey.together:  # then a code is sent that may stand for several answers
        return None
    question = min(disguised, key=lambda question: len(question.values) > len(("yes", "no")))
    group = survey.group_of(question.name)
    assert group is not None  # noqa: S101 - it is among the disguised
    value = len(question.values) - 1
    shares = sent_values(question, survey.channel_at(group, (question.name,)))[value]
    lie = 1 - shares.get(value, Fraction(0))
    answer = value_words(question, value, interface)
    others = [value_words(question, meant, interface) for meant in shares if meant != value]
    sent = others[0] if len(others) == 1 else _("another answer")
    line = _("Of 100 people whose true answer is {answer}, {count} will have {sent} sent.").format(
        answer=answer, count=about(lie, PEOPLE, interface), sent=sent
    )
    return Example(line, min(max(round(lie * PEOPLE), 1), PEOPLE - 1) if 0 < lie < 1 else int(lie * PEOPLE))


def _group(survey: Survey, question: Question) -> Group | None:
    group = survey.group_of(question.name)
    if group is None or isinstance(group.channel, OddsChannel):
        return group
    return None if group.channel.truth == 1 else group


def limits(survey: Survey, interface: Interface) -> list[str]:
    """What may still be concluded: about each disguised question, and across questions that share a coin."""
    _ = interface.gettext
    lines = []
    names = names_of(survey, [question.name for question in survey.questions], interface)
    for number, question in zip(names, survey.questions, strict=True):
        group = survey.group_of(question.name)
        if group is None:
            continue
        risks = QuestionDisclosure(question, group).risks
        steepest = max(risks, key=lambda risk: risk.rise.after - risk.rise.before)
        line = _(
            "Question {number}: a response may raise the chance that your answer is {answer} from {before} to {after} "
            "in 100, at most."
        )
        lines.append(
            line.format(
                number=number,
                answer=value_words(question, steepest.value, interface),
                before=about(steepest.rise.before, PEOPLE, interface),
                after=about(steepest.rise.after, PEOPLE, interface),
            )
        )
    lines += [shared_coin(survey, group, interface) for group in survey.groups if len(group.questions) > 1]
    return lines


def open_questions(survey: Survey, interface: Interface) -> str:
    """Which questions are sent as they are; empty if none is."""
    _ = interface.gettext
    bare = [each.name for each in survey.questions if _group(survey, each) is None]
    numbers = names_of(survey, bare, interface)
    if not numbers:
        return ""
    return _("Not disguised, and sent as answered: question {numbers}.").format(numbers=interface.listed(numbers))
