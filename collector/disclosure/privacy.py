"""The privacy statement of a survey: figures on disclosure in words, and remarks on the design.

The statement says for each group whether an epsilon holds, between which answers, and what it does not cover. For each
question, the statement names the most certain conclusions from a response.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from html import escape
from math import exp, floor, inf, isfinite
from typing import Any

from collector.disclosure.accounting import epsilon_of, fewest_asked, group_ratio, person_ratio, power_above
from collector.disclosure.disclosure import SURELY, QuestionDisclosure, alone
from collector.disclosure.families import families, family_of
from collector.disclosure.family import Family
from collector.disclosure.group_disclosure import GroupDisclosure
from collector.disclosure.lint import REFUSE, Lint, by_gravity, percent, rise_size
from collector.disclosure.lints import coin_told, design_lints
from collector.disclosure.option_disclosure import as_plain, option_disclosures, option_lints, options_told
from collector.disclosure.question_lints import listed, routing_lints
from collector.survey.group import Group, most_asked
from collector.survey.question import Question
from collector.survey.survey import Survey
from collector.wording.wording import wordings

SHOWN = 4
MANY = 100
COVERAGE = (
    "Bits and percentages are for a collector that knows the design, its priors and which answers the screens allow "
    "together, and has the whole response. How answers go together besides, or a fact known from elsewhere, may tell "
    "it more wherever no epsilon is given."
)


@dataclass(frozen=True)
class SurveyPrivacy:
    """The privacy statement of a survey as lines of text, as remarks, and as JSON.

    Attributes:
        survey: Published design.
        planned: Whether the groups are computed from ``[privacy]`` in the survey file, so that remedies change
            ``[privacy]``.
    """

    survey: Survey
    planned: bool = False

    @cached_property
    def questions(self) -> tuple[QuestionDisclosure, ...]:
        """The disclosure of each question, in survey order."""
        return self.among([each.name for each in self.survey.questions])

    def among(self, names: Sequence[str]) -> tuple[QuestionDisclosure, ...]:
        """Return the disclosure of each question in a list."""
        pairs = zip(names, families(self.survey, names), strict=True)
        return tuple(self._question(self.survey.question(name), family) for name, family in pairs)

    def question(self, name: str) -> QuestionDisclosure:
        """Return the disclosure of a question, given the question's name."""
        return self._question(self.survey.question(name), family_of(self.survey, name))

    @cached_property
    def groups(self) -> tuple[GroupDisclosure, ...]:
        """The disclosure of each group, in the order of the survey file."""
        return tuple(GroupDisclosure(each, self._telling(each)) for each in self.survey.groups)

    def _question(self, question: Question, family: Family) -> QuestionDisclosure:
        group = self.survey.group_of(question.name)
        asked = () if group is None else fewest_asked(self.survey, group, question.name)
        if len(family.questions) == 1:
            return alone(question, group, asked)
        return QuestionDisclosure(question, group, asked, family)

    def _telling(self, group: Group) -> tuple[Question, ...]:
        """Return the questions of a group in the draw that discloses most, or all questions of the group."""
        if self.survey.sampling is None or group.channel.replacement.keeps_epsilon:
            return fewest_asked(self.survey, group)
        most = most_asked(self.survey.members(group), self.survey.sampling)
        return tuple(most) if len(most) == 1 else self.survey.members(group)

    @cached_property
    def epsilon(self) -> float:
        """The epsilon of one person's disguised answers, or infinity. Undisguised questions are left out."""
        return epsilon_of(person_ratio(self.survey)) if self.groups else inf

    def question_epsilon(self, question: Question) -> float:
        """Return the epsilon between any two answers to a question (the epsilon of its group)."""
        group = self.survey.group_of(question.name)
        return inf if group is None else epsilon_of(group_ratio(self.survey, group))

    @cached_property
    def lints(self) -> tuple[Lint, ...]:
        """Every remark on the design, the most severe first."""
        remarks = design_lints(self.survey, self.groups, self.questions, planned=self.planned)
        options = [lint for each in self.questions for lint in option_lints(self.survey, each, planned=self.planned)]
        return by_gravity([*remarks, *options, *routing_lints(self.survey)])

    @property
    def refusals(self) -> tuple[Lint, ...]:
        """The remarks of severity ``refuse``: a response makes a sensitive answer certain to the collector.

        A group with truth probability 0 or 1 is refused, even if values that share codes remain uncertain.
        """
        return tuple(lint for lint in self.lints if lint.severity == REFUSE)

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of the privacy statement, on groups, questions, the whole response and the assumptions."""
        return (*self.group_lines, *(self.question_line(each) for each in self.questions), *self.closing_lines)

    def lines_in(self, language: str) -> tuple[str, ...]:
        """Return the privacy statement with the values and options in a language of the survey."""
        question_lines = (self.question_line(each, language) for each in self.questions)
        return (*self.group_lines, *question_lines, *self.closing_lines)

    def question_line(self, disclosure: QuestionDisclosure, language: str | None = None) -> str:
        """Return the line of the privacy statement on one question.

        Args:
            disclosure: Disclosure of the question.
            language: Language of the values and options, or None for their names.
        """
        question, options = disclosure.question, option_disclosures(self.survey, disclosure)
        if language is None:
            return question_line(disclosure, question.values, options_told(options))
        screen, read = self.survey.screen_of(question.name), wordings(self.survey, question, language)
        labels = {} if screen is None else {name: quoted(text[language]) for name, text in screen.items}
        worded = tuple(replace(each, option=labels[each.option]) for each in options)
        return question_line(disclosure, [quoted(each) for each in read], options_told(worded))

    @property
    def group_lines(self) -> tuple[str, ...]:
        """Lines that state the guarantee of each group, its neighbours, and its limits."""
        return tuple(group_line(group) for group in self.groups)

    @property
    def closing_lines(self) -> tuple[str, ...]:
        """Lines that state the guarantee of the whole response and the assumptions of the guarantee."""
        return self._whole_line, *(accounting_lines(self.epsilon) if isfinite(self.epsilon) else ()), COVERAGE

    def _repr_html_(self) -> str:
        return f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in self.lines)}</ul>"

    @property
    def as_dict(self) -> dict[str, Any]:
        """The privacy statement as plain JSON values, including its lines of text."""
        return {
            "survey": self.survey.name,
            "fingerprint": self.survey.fingerprint,
            "epsilon": _or_none(self.epsilon),
            "groups": [group.as_dict for group in self.groups],
            "questions": [
                each.as_dict
                | {"epsilon": _or_none(self.question_epsilon(each.question))}
                | {"options": as_plain(option_disclosures(self.survey, each))}
                for each in self.questions
            ],
            "lints": [asdict(lint) for lint in self.lints],
            "lines": list(self.lines),
        }

    @property
    def _whole_line(self) -> str:
        if not self.groups:
            return "Whole response: nothing is disguised."
        without = [f'"{each.group.name}"' for each in self.groups if not isfinite(each.epsilon)]
        if without:
            return f"Whole response: no epsilon holds, because of group {', '.join(without)}."
        names = ", ".join(question.name for question in self.survey.questions if not question.sensitive)
        most, asked = (" at most", " asked") if self.survey.sampling else ("", "")
        drawn = ", whatever is drawn; the draw itself is public" if self.survey.sampling else ""
        covered = f"{drawn}{f'; {names} not covered' if names else ''}"
        return (
            f"Whole response: local differential privacy, epsilon {self.epsilon:.3f}{most}, between any two sets of "
            f"answers of one respondent to the disguised questions{asked}{covered}."
        )


def accounting_lines(epsilon: float) -> tuple[str, str]:
    """Return lines that state the epsilon of a response as odds, and as a sum over groups."""
    power = power_above(epsilon)
    times, wrong = (_odds(exp(epsilon)), _odds(exp(epsilon) + 1)) if power is None else (power, power)
    in_odds = (
        f"In odds: no response is more than {times} times as likely under one set of these answers as under "
        f"another; a guess between two that was even before is still wrong at least 1 time in {wrong}."
    )
    person = (
        "Accounting per person: each further response of the same person, to another wave or version too, adds its "
        f"own epsilon; two like this make {2 * epsilon:.3f}. The same response sent again adds nothing. One that is "
        "withdrawn was received, and its epsilon stays spent."
    )
    return in_odds, person


def _odds(odds: float) -> str:
    return f"{odds:,.1f}" if odds < MANY else f"{odds:,.0f}"


def _or_none(epsilon: float) -> float | None:
    return epsilon if isfinite(epsilon) else None


def group_line(disclosure: GroupDisclosure) -> str:
    """Return the line that states the guarantee of a group, its neighbours, and its limits."""
    group, others = disclosure.group, len(disclosure.group.questions) - 1
    coin = "{} {}".format(*group.channel.coin.published)
    place = f'group "{group.name}" ({", ".join(group.questions)}; {group.channel.name}, {coin})'
    if isfinite(disclosure.epsilon):
        scope = "all of its questions" if others else "its question"
        scope = "those of its questions that are asked" if group.channel.coin.varies else scope
        return (
            f"{place}: local differential privacy, epsilon {disclosure.epsilon:.3f}, between any two sets of answers "
            f"of one respondent to {scope}."
        )
    if never_replaced(disclosure):
        return f"{place}: no epsilon holds; an answer that is never a replacement is certain once it is sent."
    if disclosure.candidates == 1:
        nothing = "no privacy at all" if disclosure.surest == SURELY else "no epsilon holds"
        return f"{place}: {nothing}; {coin_told(disclosure)}."
    line = f"{place}: no epsilon holds; a response leaves two candidates, what was sent and its complement"
    return f"{line}; one answer known from elsewhere tells the other {others}." if others else f"{line}."


def never_replaced(disclosure: GroupDisclosure) -> bool:
    """Return whether some values of a group, but not all, may be sent in place of other values."""
    weights = disclosure.questions[0].coding.replacement
    return weights is not None and 0 in weights and disclosure.truth < 1


def quoted(words: str) -> str:
    """Return words in quotation marks."""
    return f"\u201c{words}\u201d"


def question_line(disclosure: QuestionDisclosure, values: Sequence[str], options: str) -> str:
    """Return the line of the privacy statement on a question, with values that may become more probable."""
    place = f'question "{disclosure.question.name}"'
    if disclosure.group is None:
        return f"{place}: sent as it is; the collector knows the answer."
    whole = "" if disclosure.entropy is None else f" of {entropy_told(disclosure)}"
    unsure = f"{bits_told(disclosure)} bits{whole} stay unknown"
    bound = "" if disclosure.exact else " (a bound)"
    return f"{place}: {unsure}; likelier at most{bound}: {rises(disclosure, values)}{_told_by(disclosure)}{options}."


def bits_told(disclosure: QuestionDisclosure) -> str:
    """Return the bits of uncertainty about an answer after a response, as text."""
    if disclosure.counted:
        return f"{disclosure.anonymity:.3f}"
    return f"at least {floor(1000 * disclosure.anonymity) / 1000:.3f}"


def entropy_told(disclosure: QuestionDisclosure) -> str:
    """Return the bits of uncertainty before a response, as text."""
    return "not known" if disclosure.entropy is None else f"{disclosure.entropy:.3f}"


def _told_by(disclosure: QuestionDisclosure) -> str:
    """Return text that names the other questions whose codes raise the probability of a value most."""
    if disclosure.family is None or not any(disclosure.told_by_others):
        return ""
    return f" (by its code and those of {listed(disclosure.family.others(disclosure.question))})"


def rises(disclosure: QuestionDisclosure, values: Sequence[str]) -> str:
    """Return the rises of the values' probabilities as text, such as ``yes 20.0% to 50.0%``, the largest first."""
    steepest = sorted(disclosure.risks, key=lambda risk: -rise_size(risk.rise))
    texts = [f"{values[risk.value]} {percent(risk.rise)}" for risk in steepest[:SHOWN]]
    more = len(steepest) - len(texts)
    return ", ".join(texts) + (f", and {more} more" if more else "")


def versions_epsilon(surveys: Sequence[Survey]) -> float:
    """Return the epsilon of a person who answers every version of a survey: the sum of the versions' epsilons."""
    return sum(SurveyPrivacy(each).epsilon for each in surveys)


def versions_line(surveys: Sequence[Survey]) -> str | None:
    """Return a sentence on what a person spends who answers every version, or None for a single version."""
    if len(surveys) < 2:
        return None
    each, total = [SurveyPrivacy(survey).epsilon for survey in surveys], versions_epsilon(surveys)
    who = f"Whoever answers all {len(surveys)} versions"
    if not isfinite(total):
        return f"{who} has no epsilon in all, as a response to some version has none."
    parts = " + ".join(f"{epsilon:.3f}" for epsilon in each)
    return (
        f"{who} has epsilon {total:.3f} in all ({parts}): the epsilons of one person's responses add up, and so do "
        "those of a response that replaces another."
    )
