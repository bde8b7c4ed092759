"""Sentences on each privacy preset of a question, and on what twice the privacy costs."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import cached_property, partial
from math import isfinite, sqrt
from pathlib import Path
from typing import Any

from collector.disclosure.disclosure import QuestionDisclosure
from collector.disclosure.privacy import SurveyPrivacy
from collector.errors import DeniableError, SurveyError
from collector.planning.expectations import value_plans
from collector.survey.group import Group
from collector.survey_file.survey_file import Compiled, compiled_values
from respondent.designing.edits import TomlText, values_of
from respondent.designing.meaning.plain import plain
from respondent.designing.meaning.presets import ANSWER_PRESETS, STRENGTH_KEYS, STRENGTHS, TITLES, set_preset
from respondent.designing.meaning.sentences import doubled, meaning_of, rarest, words_of
from respondent.designing.places import Places

Json = dict[str, Any]
Change = Callable[[TomlText], None]
DIGITS = 6  # significant digits of a halved epsilon, or of the truth probability that halves it


def offers_of(text: str, folder: Path, index: int, respondents: int, found: Compiled | None = None) -> Json:
    """Return the sentences on each preset of a question, and on what twice the privacy costs.

    If the survey file cannot have a preset, a sentence gives the reason.

    Args:
        text: Text of the survey file.
        folder: Folder of the survey's pictures.
        index: Position of the question in the file, counted from 0.
        respondents: Assumed number of respondents.
        found: The compiled survey file, if it is already known.
    """
    file = _File(text, folder, index, respondents, found)
    return {"presets": [_offer(file, name) for name in ANSWER_PRESETS], "doubled": _doubled(file)}


def group_offers(text: str, folder: Path, index: int, respondents: int, found: Compiled | None = None) -> Json:
    """Return the sentences on each preset that the group of a question can have."""
    file = _File(text, folder, index, respondents, found)
    return {"presets": [_offer(file, name) for name in STRENGTHS], "doubled": None}


def _offer(file: _File, name: str) -> Json:
    offer: Json = {"name": name, "title": TITLES[name], "belief": None, "cost": None, "problem": None}
    try:
        return offer | file.preset(name).sentences
    except DeniableError as error:
        return offer | {"problem": plain(error.problem, error.remedy)}


def _path(index: int) -> tuple[str, int]:
    return "questions", index


class _File:
    """A survey file and one of its questions, whose privacy the designer tries to change."""

    def __init__(self, text: str, folder: Path, index: int, respondents: int, found: Compiled | None) -> None:
        self.text, self.folder, self.index, self.respondents = text, folder, index, respondents
        self._found = found

    @cached_property
    def now(self) -> _Preset:
        """The question with the privacy that the survey file sets now."""
        file = _toml(self.text)
        found = compiled_values(file.values, self.folder) if self._found is None else self._found
        return _Preset(found, file.values, self.index, self.respondents)

    def preset(self, name: str) -> _Preset:
        """Return the question with a preset."""
        return self.changed(partial(set_preset, path=_path(self.index), name=name))

    def changed(self, change: Change) -> _Preset:
        """Return the question after a change of the survey file."""
        file = _toml(self.text)
        change(file)
        values = values_of(file.text)
        return _Preset(compiled_values(values, self.folder), values, self.index, self.respondents)


class _Preset:
    """A question of a survey file with one setting of its privacy.

    If a question of the file becomes several questions of the design, the sentences are about the most disclosed
    question.
    """

    def __init__(self, found: Compiled, values: Json, index: int, respondents: int) -> None:
        self.compiled, self.values_of_file = found, values
        self.survey, places = found.survey, Places(values)
        names = [each.name for each in self.survey.questions if places.question(each.name) == _path(index)]
        if not names:
            raise SurveyError("question", "the designer has no proposals for this place", "reload the page")
        self.privacy = SurveyPrivacy(self.survey, planned=found.plan is not None)
        self.disclosed: QuestionDisclosure = max(
            self.privacy.among(names), key=lambda each: max(risk.rise.after for risk in each.risks)
        )
        self.respondents = respondents
        self.values = [each.as_json for each in value_plans(self.survey, self.disclosed.question, respondents)]

    @property
    def sentences(self) -> Json:
        """Sentences on what a response discloses about the question, and on what the disguise costs."""
        return meaning_of(self.disclosed, words_of(self.privacy, self.disclosed), self.values, self.respondents)


def _toml(text: str) -> TomlText:
    try:
        return TomlText(text)
    except ValueError:
        raise SurveyError(
            "survey", "the survey file cannot be read", "correct the line, or undo the last change"
        ) from None


def _doubled(file: _File) -> str | None:
    """Return a sentence on what twice the privacy costs, or None if the design cannot have twice the privacy.

    Twice the privacy means half the epsilon of the response or of the group.
    """
    try:
        now = file.now
        found = _half(now, file.index)
        if found is None:
            return None
        change, words, caveat = found
        then = file.changed(change)
    except DeniableError:
        return None
    before, after = rarest(now.disclosed).rise.after, rarest(then.disclosed).rise.after
    return doubled(words, (now.values, before), (then.values, after)) + caveat


def _half(now: _Preset, index: int) -> tuple[Change, str, str] | None:
    """Return the change that halves the epsilon, its description and a caveat, or None if this is impossible."""
    group, plan = now.disclosed.group, now.compiled.plan
    if group is None:
        return None
    epsilon = now.privacy.question_epsilon(now.disclosed.question) if plan is None else float(plan.epsilon)
    if not isfinite(epsilon):
        return _half_coin(group, index)
    half = Decimal(f"{epsilon / 2:.{DIGITS}g}")
    words = f"epsilon {epsilon / 2:.3g} in place of {epsilon:.3g}"
    if plan is not None:
        return lambda file: file.put(("privacy", "epsilon"), half), words, ""
    return partial(_set_strength, index=index, key="epsilon", value=half), words, ""


def _half_coin(group: Group, index: int) -> tuple[Change, str, str] | None:
    """Return the change that halves the log-odds of a group's coin, its description and a caveat, or None.

    Even if the group has no finite epsilon, the log-odds of the coin bound what a response reveals about one answer to
    a reader who knows no other answer.
    """
    truth = group.channel.coin.fixed
    if truth is None or not 0 < truth < 1 or not group.channel.replacement.paired:
        return None
    odds = sqrt(truth / (1 - truth))
    half = Decimal(f"{odds / (1 + odds):.{DIGITS}g}")
    words = (
        f"a truth probability of {float(half):.3g} in place of {float(truth):.3g}: half the epsilon of the random draw"
    )
    caveat = (
        " It does not help against somebody who already knows this person's answer to another question of this group."
        if len(group.questions) > 1
        else " A response still leaves only some of the answers possible."
    )
    return partial(_set_strength, index=index, key="truth", value=str(half)), words, caveat


def _set_strength(file: TomlText, index: int, key: str, value: Decimal | str) -> None:
    """Replace the truth probability or the epsilon of a question's group."""
    name = file.at((*_path(index), "group"))  # a group of one answer has the settings of that of the question
    settings = file.at(("groups", name))
    kept = {each: settings[each] for each in settings if each not in {"truth", *STRENGTH_KEYS}}
    file.put(("groups", name), kept | {key: value})
