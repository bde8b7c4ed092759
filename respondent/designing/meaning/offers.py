"""Sentences on each preset of privacy for a question of a survey file, and on what twice its privacy costs."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any

from collector.disclosure.disclosure import QuestionDisclosure
from collector.disclosure.privacy import SurveyPrivacy
from collector.errors import DeniableError, SurveyError
from collector.planning.expectations import value_plans
from collector.survey_file.survey_file import Compiled, compiled_values
from respondent.designing.edits import TomlText
from respondent.designing.meaning.plain import plain
from respondent.designing.meaning.presets import TITLES, set_preset
from respondent.designing.meaning.sentences import doubled, meaning_of, words_of
from respondent.designing.places import Places

Json = dict[str, Any]
Change = Callable[[TomlText], None]
DIGITS = 6  # significant digits of an epsilon that is halved


def offers_of(text: str, folder: Path, index: int, respondents: int) -> Json:
    """Each preset with its sentences, or why the file cannot have it; and what twice the privacy costs.

    Args:
        text: Text of the survey file.
        folder: Where its pictures are.
        index: Place of the question in the file.
        respondents: How many people answer.
    """
    offers = []
    for name, title in TITLES.items():
        offer: Json = {"name": name, "title": title, "belief": None, "cost": None, "problem": None}
        try:
            change = partial(set_preset, path=_path(index), name=name)
            offer |= _Preset(text, folder, index, respondents, change).sentences
        except DeniableError as error:
            offer["problem"] = plain(error.problem, error.remedy)
        offers.append(offer)
    return {"presets": offers, "doubled": _doubled(text, folder, index, respondents)}


def _path(index: int) -> tuple[str, int]:
    return "questions", index


class _Preset:
    """A question of a changed survey file; where it becomes several, the one that a response discloses most of."""

    def __init__(self, text: str, folder: Path, index: int, respondents: int, change: Change | None = None) -> None:
        file = _file(text)
        if change is not None:
            change(file)
        self.compiled: Compiled = compiled_values(file.values, folder)
        self.survey, places = self.compiled.survey, Places(file.values)
        names = [each.name for each in self.survey.questions if places.question(each.name) == _path(index)]
        if not names:
            raise SurveyError("question", "there is no offer at this place", "reload the page")
        self.privacy = SurveyPrivacy(self.survey, planned=self.compiled.plan is not None)
        self.disclosed: QuestionDisclosure = max(
            self.privacy.among(names), key=lambda each: max(risk.rise.after for risk in each.risks)
        )
        self.respondents = respondents
        self.values = [each.as_json for each in value_plans(self.survey, self.disclosed.question, respondents)]

    @property
    def sentences(self) -> Json:
        """Its sentences."""
        return meaning_of(self.disclosed, words_of(self.privacy, self.disclosed), self.values, self.respondents)


def _file(text: str) -> TomlText:
    try:
        return TomlText(text)
    except ValueError:
        raise SurveyError(
            "survey", "the survey file cannot be read", "correct the line, or undo the last change"
        ) from None


def _doubled(text: str, folder: Path, index: int, respondents: int) -> str | None:
    """Sentence on what half the epsilon of its group, or of the response, costs; None if it cannot have that."""
    try:
        now = _Preset(text, folder, index, respondents)
        group, plan = now.disclosed.group, now.compiled.plan
        epsilon = now.privacy.question_epsilon(now.disclosed.question) if plan is None else float(plan.epsilon)
        if group is None or not isfinite(epsilon):
            return None
        half = Decimal(f"{epsilon / 2:.{DIGITS}g}")

        def halve(file: TomlText) -> None:
            if plan is not None:
                file.put(("privacy", "epsilon"), half)
                return
            name = file.at((*_path(index), "group"))  # a group of one answer has the settings of that of the question
            settings = file.at(("groups", name))
            kept = {key: each for key, each in settings.items() if key not in {"truth", "odds"}}
            file.put(("groups", name), kept | {"epsilon": half})

        return doubled(epsilon, now.values, _Preset(text, folder, index, respondents, halve).values)
    except DeniableError:
        return None
