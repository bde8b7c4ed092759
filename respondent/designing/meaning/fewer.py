"""The number of questions to ask each person for which an epsilon of the whole response needs the fewest people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from collector.disclosure.lint import NOTE
from collector.disclosure.privacy import SurveyPrivacy
from collector.errors import SurveyError
from collector.planning.expectations import value_plans
from collector.survey.survey import Survey
from collector.survey_file.survey_file import Compiled, compiled_values
from respondent.designing.meaning.sentences import about

WIDTH = 0.1  # width of a 95 % interval of 5 points to each side
SAVING = 1.5  # smallest factor of people saved at which fewer questions are proposed
FEW = 20  # number of questions up to which every number is tried
MANY = 60  # number of questions above which only one number is tried, because each takes long


@dataclass(frozen=True)
class Fewer:
    """A smaller number of questions to ask each person.

    Attributes:
        ask: Number of questions to ask each person.
        questions: Number of questions of the survey.
        people: People needed for a share of the least precise question within 5 points.
        instead: People needed for it with the number of questions that each person is asked now.
        always: Questions to ask everybody because others depend on them, with the target, or no questions.
    """

    ask: int
    questions: int
    people: int
    instead: int
    always: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """A sentence on the number of questions, and on how many people it needs."""
        return (
            f"Ask each person {self.ask} of the {self.questions} questions: {about(self.people)} people instead of "
            f"{about(self.instead)}, for \u00b1 5 points at every question."
        ) + (
            f" Everybody is asked {', '.join(self.always)}: others depend on them, or models predict them."
            if self.always
            else ""
        )

    @property
    def as_json(self) -> dict[str, Any]:
        """The proposal as plain JSON values, with the edits that follow it."""
        figures = {"ask": self.ask, "questions": self.questions, "people": self.people, "instead": self.instead}
        return {**figures, "words": self.words, "edits": asking(self.ask, self.always)}


def asking(ask: int, always: Sequence[str]) -> list[dict[str, Any]]:
    """Return the edits after which each person is asked a number of questions, some of which everybody is asked."""
    edits: list[dict[str, Any]] = [{"op": "set", "path": ["sampling", "ask"], "value": ask}]
    return [{"op": "set", "path": ["sampling", "always"], "value": list(always)}, *edits] if always else edits


def people_needed(survey: Survey) -> dict[str, int]:
    """Return how many people give a share of each question within 5 points, for its least precise value."""
    return {
        question.name: max(each.respondents or 0 for each in value_plans(survey, question, 1, WIDTH))
        for question in survey.questions
    }


def filters(survey: Survey) -> tuple[str, ...]:
    """Return the questions on which others depend, with the target; none if no question depends on another."""
    names = {name for screen in survey.screens for name, _ in screen.ask_if}
    names |= {survey.target} if names and survey.target is not None else set()
    return tuple(each.name for each in survey.questions if each.name in names)


def fewer_questions(
    found: Compiled, privacy: SurveyPrivacy, now: int, values: Mapping[str, Any], folder: Path
) -> Fewer | None:
    """Return the number of questions to ask each person that needs the fewest people, or None if it saves little.

    The number with which tables take the fewest people is compared with its neighbours and, if none of them will do,
    with all others. A number is left out if ``[sampling]`` does not accept it for the survey, if a table with the
    target would need more people, or if `collector check` would warn of something that it does not warn of now.

    Args:
        found: The compiled survey, which has an epsilon of the whole response.
        privacy: Disclosure of the survey.
        now: People needed for a share of its least precise question within 5 points.
        values: Values of its survey file.
        folder: Folder of the survey's pictures.
    """
    always = () if "always" in values.get("sampling", {}) else filters(found.survey)
    if always:
        values = {**values, "sampling": {**values.get("sampling", {}), "always": list(always)}}
    plan, best = found.plan, _best_number(found, values, folder)
    if plan is None or best is None:
        return None
    count, warned = len(found.survey.questions), _warnings(privacy)
    near = [best - 1, best, best + 1] if count <= MANY else [best]
    others = [ask for ask in range(2, count) if ask not in near] if count <= FEW else []
    for asks in (near, others):  # the others take time, and are needed where all near ones bring a warning
        tried = [_with_ask(values, ask, folder) for ask in asks]
        known = [
            (max(people_needed(each.survey).values()), each)
            for each in tried
            if each is not None and each.plan is not None and each.plan.chosen.measure <= plan.chosen.measure
        ]
        for people, each in sorted(known, key=lambda pair: pair[0]):
            if people * SAVING > now:
                break
            if each.survey.sampling is not None and _warnings(SurveyPrivacy(each.survey, planned=True)) <= warned:
                return Fewer(each.survey.sampling.ask, count, people, now, always)
    return None


def _best_number(found: Compiled, values: Mapping[str, Any], folder: Path) -> int | None:
    """Return the number of questions for which tables take the fewest people, or None if this is all questions."""
    if found.plan is not None and "sampling" not in values:
        return None if found.plan.fewer is None else found.plan.fewer.ask
    best = _with_ask(values, "auto", folder)
    return None if best is None or best.survey.sampling is None else best.survey.sampling.ask


def _with_ask(values: Mapping[str, Any], ask: int | str, folder: Path) -> Compiled | None:
    """Return the survey that asks each person a number of questions, or None if the survey file cannot have it."""
    sampling = values.get("sampling", {})
    try:
        return compiled_values({**values, "sampling": {**sampling, "ask": ask}}, folder)
    except SurveyError:
        return None


def _warnings(privacy: SurveyPrivacy) -> set[tuple[str, str]]:
    """Return the severity and place of each warning and refusal."""
    return {(each.severity, each.place) for each in privacy.lints if each.severity != NOTE}
