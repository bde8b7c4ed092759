"""The privacy statement of a survey: what `collector.disclosure` computes, in words, and what should be mended.

A statement says for each group whether an epsilon holds, between which neighbours, and what is not covered; and for
each question what the surest conclusions are. No epsilon is ever printed without that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cached_property
from math import isfinite, prod
from typing import Any

from collector.channel import PAIR
from collector.disclosure import SURELY, GroupDisclosure, QuestionDisclosure, Rise, total_epsilon
from collector.question import Question
from collector.survey import Survey

REFUSE, WARN, NOTE = "refuse", "warn", "note"
NEARLY_CERTAIN = Fraction(19, 20)
COMMON = Fraction(9, 10)  # what is this frequent is a safe guess without any response
SHOWN = 4
COVERAGE = (
    "Bits and percentages are for a collector that knows the design and its priors, one question at a time. How "
    "answers go together, or a fact known from elsewhere, may tell it more wherever no epsilon is given."
)


@dataclass(frozen=True)
class Lint:
    """One remark on a design.

    Attributes:
        severity: ``refuse`` (not to be published), ``warn`` (know this before you publish) or ``note``.
        place: The group or question it is about.
        problem: With numbers.
        remedy: What to do about it.
    """

    severity: str
    place: str
    problem: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.severity}: {self.place}: {self.problem}; {self.remedy}"


@dataclass(frozen=True)
class SurveyPrivacy:
    """The privacy statement of a survey: lines of text, lints, and the same as JSON.

    Attributes:
        survey: The published design.
    """

    survey: Survey

    @cached_property
    def questions(self) -> tuple[QuestionDisclosure, ...]:
        """One for each question, in survey order."""
        return tuple(QuestionDisclosure(each, self.survey.group_of(each.name)) for each in self.survey.questions)

    @cached_property
    def groups(self) -> tuple[GroupDisclosure, ...]:
        """One for each group, in file order."""
        return tuple(GroupDisclosure(each, self.survey.members(each)) for each in self.survey.groups)

    @property
    def epsilon(self) -> float:
        """Of all disguised questions together; inf if there is none. It says nothing of questions sent as they are."""
        return total_epsilon(self.groups)

    @cached_property
    def lints(self) -> tuple[Lint, ...]:
        """Every remark, the gravest first."""
        remarks = [lint for group in self.groups for lint in _group_lints(group)]
        remarks += [lint for question in self.questions for lint in _question_lints(question)]
        remarks += _open_lints(self._sent_as_they_are)
        return tuple(sorted(remarks, key=lambda lint: (REFUSE, WARN, NOTE).index(lint.severity)))

    @property
    def refusals(self) -> tuple[Lint, ...]:
        """The remarks for which the design should not be published: a sensitive answer is certain to the collector."""
        return tuple(lint for lint in self.lints if lint.severity == REFUSE)

    @property
    def lines(self) -> tuple[str, ...]:
        """The statement in words: groups, questions, the whole response, and what is taken for granted."""
        return (*self.group_lines, *(question_line(question) for question in self.questions), *self.closing_lines)

    @property
    def group_lines(self) -> tuple[str, ...]:
        """For each group what holds, between which neighbours, and what does not."""
        return tuple(group_line(group) for group in self.groups)

    @property
    def closing_lines(self) -> tuple[str, ...]:
        """What holds for the whole response, and what is taken for granted."""
        return self._whole_line, COVERAGE

    @property
    def as_dict(self) -> dict[str, Any]:
        """The statement as plain JSON values, its lines included."""
        return {
            "survey": self.survey.name,
            "fingerprint": self.survey.fingerprint,
            "epsilon": self.epsilon if isfinite(self.epsilon) else None,
            "groups": [group.as_dict for group in self.groups],
            "questions": [question.as_dict for question in self.questions],
            "lints": [asdict(lint) for lint in self.lints],
            "lines": list(self.lines),
        }

    @property
    def _sent_as_they_are(self) -> list[Question]:
        return [question for question in self.survey.questions if not question.sensitive]

    @property
    def _whole_line(self) -> str:
        if not self.groups:
            return "Whole response: nothing is disguised."
        without = [f'"{each.group.name}"' for each in self.groups if not isfinite(each.epsilon)]
        if without:
            return f"Whole response: no epsilon holds, because of group {', '.join(without)}."
        names = ", ".join(question.name for question in self._sent_as_they_are)
        return (
            f"Whole response: local differential privacy, epsilon {self.epsilon:.3f}, between any two sets of answers "
            f"of one respondent to the disguised questions{f'; {names} not covered' if names else ''}."
        )


def group_line(disclosure: GroupDisclosure) -> str:
    """What holds for a group, between which neighbours, and what does not."""
    group, others = disclosure.group, len(disclosure.questions) - 1
    place = f'group "{group.name}" ({", ".join(group.questions)}; {group.channel.name}, truth {group.channel.truth})'
    if isfinite(disclosure.epsilon):
        scope = "all of its questions" if others else "its question"
        return (
            f"{place}: local differential privacy, epsilon {disclosure.epsilon:.3f}, between any two sets of answers "
            f"of one respondent to {scope}."
        )
    if disclosure.candidates == 1:
        return f"{place}: no privacy at all; every answer is certain."
    line = f"{place}: no epsilon holds; a response leaves two candidates, what was sent and its complement"
    return f"{line}; one answer known from elsewhere tells the other {others}." if others else f"{line}."


def question_line(disclosure: QuestionDisclosure) -> str:
    """How unsure a collector stays of a question, and the values that a response may make likelier."""
    place = f'question "{disclosure.question.name}"'
    if disclosure.group is None:
        return f"{place}: sent as it is; the collector knows the answer."
    unsure = f"{disclosure.anonymity:.3f} bits of {disclosure.entropy:.3f} stay unknown"
    return f"{place}: {unsure}; likelier at most: {rises(disclosure)}."


def rises(disclosure: QuestionDisclosure) -> str:
    """The values that a response may make likelier, the steepest rise first: ``yes 20.0% to 50.0%, ...``."""
    steepest = sorted(disclosure.risks, key=lambda risk: risk.rise.before - risk.rise.after)
    texts = [f"{disclosure.question.values[risk.value]} {_percent(risk.rise)}" for risk in steepest[:SHOWN]]
    more = len(steepest) - len(texts)
    return ", ".join(texts) + (f", and {more} more" if more else "")


def _percent(rise: Rise) -> str:
    after = f"{float(rise.after):.1%}"
    if rise.after < SURELY and after == "100.0%":  # which only certainty is
        after = "over 99.9%"
    return f"{float(rise.before):.1%} to {after}"


def _nearly_certain(rise: Rise) -> bool:
    return rise.after >= NEARLY_CERTAIN and rise.before <= COMMON


def _group_lints(disclosure: GroupDisclosure) -> Iterator[Lint]:
    place, truth = f'group "{disclosure.group.name}"', disclosure.group.channel.truth
    if disclosure.candidates == 1:
        yield Lint(REFUSE, place, f"at truth {truth} every answer is certain", "move it away from there, such as 3/4")
    elif disclosure.belief_with_outside_fact == SURELY:
        remedy = 'give each question its own group, or say channel = "uniform"'
        problem = f"whoever knows one of its {len(disclosure.questions)} answers from elsewhere knows them all"
        yield Lint(WARN, place, problem, remedy)
        if _nearly_certain(disclosure.belief):
            yield Lint(WARN, place, f"all its answers together may go from {_percent(disclosure.belief)}", remedy)


def _question_lints(disclosure: QuestionDisclosure) -> Iterator[Lint]:
    group, question = disclosure.group, disclosure.question
    if group is None or group.channel.truth in {0, 1}:  # the group's own lint says it
        return
    place = f'question "{question.name}"'
    for risk in disclosure.risks:
        sent, value = question.word_of(risk.sent), question.values[risk.value]
        problem = f'"{value}" goes from {_percent(risk.rise)} once {sent} is sent'
        if risk.rise.after == SURELY:
            yield Lint(REFUSE, place, problem, 'say coding = "balanced", which leaves no value alone')
        elif _nearly_certain(risk.rise):
            towards = "1/2" if disclosure.bound is not None else "0"
            yield Lint(WARN, place, problem, f'move the truth of group "{group.name}" towards {towards}')
    even = len(set(question.prior)) == 1
    if disclosure.bound is not None and even and len(question.values) > PAIR and question.kind != "number":
        yield Lint(NOTE, place, "its coding takes all values to be equally frequent", "give a prior if you know better")


def _open_lints(questions: list[Question]) -> Iterator[Lint]:
    if questions:
        combinations = prod(len(question.values) for question in questions)
        place = f"sent as they are ({', '.join(question.name for question in questions)})"
        problem = f"{combinations} combinations of answers, and a rare one may tell who somebody is"
        yield Lint(NOTE, place, problem, "ask fewer, or with fewer values")
