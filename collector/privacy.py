"""The privacy statement of a survey: what `collector.disclosure` computes, in words, and what should be mended.

A statement says for each group whether an epsilon holds, between which neighbours, and what is not covered; and for
each question what the surest conclusions are. No epsilon is ever printed without that.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from html import escape
from math import isfinite
from typing import Any

from collector.disclosure import GroupDisclosure, QuestionDisclosure, total_epsilon
from collector.lints import REFUSE, Lint, design_lints, percent
from collector.question import Question
from collector.survey import Survey

SHOWN = 4
COVERAGE = (
    "Bits and percentages are for a collector that knows the design and its priors, one question at a time. How "
    "answers go together, or a fact known from elsewhere, may tell it more wherever no epsilon is given."
)


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
        return design_lints(self.survey, self.groups, self.questions)

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

    def _repr_html_(self) -> str:
        """For notebooks."""
        return f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in self.lines)}</ul>"

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
    texts = [f"{disclosure.question.values[risk.value]} {percent(risk.rise)}" for risk in steepest[:SHOWN]]
    more = len(steepest) - len(texts)
    return ", ".join(texts) + (f", and {more} more" if more else "")
