"""What the study card says of the disguise: one example with its picture, every coin, and the honest limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from collector.channel.replacement import PAIR
from collector.channel.value_channel import value_transition
from collector.disclosure.accounting import fewest_asked
from collector.disclosure.disclosure import QuestionDisclosure
from collector.survey.question import Question
from collector.survey.survey import Group, Survey
from respondent.pages.languages import Interface
from respondent.pages.odds import Shares, depending, drawn_channels, names_of, sent_values, shared_coin, value_words
from respondent.pages.people import PEOPLE, about, span

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
    groups = [(each, group) for each in survey.questions if (group := _group(survey, each)) is not None]
    shown = any(_shows(survey, question, group) for question, group in groups)
    return Disguise(bool(groups), len(groups) == len(survey.questions), bool(groups) and not shown)


def _shows(survey: Survey, question: Question, group: Group) -> bool:
    """Whether a code is sent for one value only."""
    sent = value_transition(question.coding, drawn_channels(survey, question, group)[0])
    return any(sum(map(bool, chances)) == 1 for chances in sent.values())


def example(survey: Survey, interface: Interface) -> Example | None:
    """The last answer of one disguised question that another may be sent in place of; None if there is none."""
    _ = interface.gettext
    found = _first_disguised(survey)
    if found is None:
        return None
    question, group = found
    sent = [sent_values(question, channel) for channel in drawn_channels(survey, question, group)]
    value = max(range(len(question.values)), key=lambda each: (bool(_lie(sent[0], each)), each))
    lies = [_lie(each, value) for each in sent]
    others = [value_words(question, meant, interface) for meant in sent[0][value] if meant != value]
    line = _("Of 100 people whose true answer is {answer}, {count} will have {sent} sent.").format(
        answer=value_words(question, value, interface),
        count=span(lies, PEOPLE, interface),
        sent=others[0] if len(others) == 1 else _("another answer"),
    )
    (name,) = names_of(survey, {question.name}, interface)
    line = _("Question {number}, for example.").format(number=name) + " " + depending(line, lies, interface)
    return Example(line, min(max(round(lies[0] * PEOPLE), int(lies[0] > 0)), PEOPLE - int(lies[0] < 1)))


def _first_disguised(survey: Survey) -> tuple[Question, Group] | None:
    """The first question in whose place another answer may be sent, one with two answers if there is any.

    One whose odds do not depend on what else is asked goes before: then one number says it.
    """
    groups = [(each, _group(survey, each)) for each in survey.questions if not each.coding.shared]
    disguised = [(each, group) for each, group in groups if group is not None]
    return min(
        disguised,
        key=lambda each: (each[1].channel.coin.varies, len(each[0].values) > PAIR),
        default=None,
    )


def _lie(sent: Sequence[Shares], value: int) -> Fraction:
    """How often another answer is sent in place of this one."""
    return 1 - sent[value].get(value, Fraction(0))


def _group(survey: Survey, question: Question) -> Group | None:
    group = survey.group_of(question.name)
    return None if group is None or group.channel.coin.fixed == 1 else group


def limits(survey: Survey, interface: Interface) -> list[str]:
    """What may still be concluded: about each disguised question, and across questions that share a coin."""
    _ = interface.gettext
    lines = []
    names = names_of(survey, [question.name for question in survey.questions], interface)
    for number, question in zip(names, survey.questions, strict=True):
        group = survey.group_of(question.name)
        if group is None:
            continue
        risks = QuestionDisclosure(question, group, fewest_asked(survey, group, question.name)).risks
        steepest = max(risks, key=lambda risk: risk.rise.after - risk.rise.before)
        line = _(
            "Question {number}: what is sent for it may raise the chance that your answer is {answer} from {before} to "
            "{after} in 100, at most."
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
