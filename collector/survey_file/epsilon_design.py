"""The groups and codings of designs that keep one epsilon for the complete response."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from collector.allocation.problem import TREES, Asked, Option, Problem
from collector.survey.group import Group
from collector.survey.question import Question
from collector.survey.sampling import Sampling
from collector.survey_file.group_file import Wish, disguised
from collector.survey_file.question_file import QuestionDraft

ONE_GROUP = "response"  # name of the group of all disguised questions if they share a coin
MOST_TRIED = 24  # largest number of drawn questions that is tried


@dataclass(frozen=True)
class EpsilonDesign:
    """The compiled questions, groups and sampling of one design for an epsilon.

    Attributes:
        questions: Questions with their codings, in survey order.
        groups: Groups of the questions.
        sampling: Sampling of the questions, or None if all respondents are asked all questions.
    """

    questions: tuple[Question, ...]
    groups: tuple[Group, ...]
    sampling: Sampling | None


def always_asked(questions: Iterable[Question], target: str | None) -> tuple[str, ...]:
    """Return the questions that everybody is asked by default: the target and all undisguised questions."""
    return tuple(each.name for each in questions if not each.sensitive or each.name == target)


def problem_of(
    epsilon: Fraction, questions: Iterable[Question], always: Collection[str], target: str | None, aim: str = TREES
) -> Problem:
    """Return the input for dividing an epsilon among questions (see `collector.allocation.problem`)."""
    asked = (Asked(each.name, len(each.values), each.sensitive, each.name in always) for each in questions)
    return Problem(epsilon, tuple(asked), target, aim)


def numbers_below_all(questions: int, always: int) -> range:
    """Return the numbers of questions per respondent that are compared for a split questionnaire."""
    return range(always + 1, min(always + MOST_TRIED, questions - 1) + 1)


def design_of(
    option: Option, epsilon: Fraction, drafts: Sequence[QuestionDraft], always: tuple[str, ...]
) -> EpsilonDesign:
    """Return the compiled questions, groups and sampling of a design for an epsilon.

    Args:
        option: Design to compile, from `collector.allocation.epsilon_plan`.
        epsilon: Epsilon of a complete response.
        drafts: Questions in survey order.
        always: Names of the questions that everybody is asked.

    Raises:
        SurveyError: If no truth probability keeps the epsilon.
    """
    own = dict(option.epsilons)
    sampling = None if option.ask == len(drafts) else Sampling(option.ask, always)
    wishes = {name: Wish(epsilon=share) for name, share in own.items()}
    wishes = wishes or {ONE_GROUP: Wish(epsilon=epsilon)}
    codings = dict(option.codings)
    homed = [_homed(each, codings, own=bool(own)) if each.question.sensitive else each for each in drafts]
    return EpsilonDesign(*disguised(homed, wishes, sampling), sampling)


def _homed(draft: QuestionDraft, codings: Mapping[str, str], *, own: bool) -> QuestionDraft:
    name = draft.question.name
    coding = draft.coding if draft.routed else codings.get(name, draft.coding)
    return replace(draft, group=name if own else ONE_GROUP, coding=coding)
