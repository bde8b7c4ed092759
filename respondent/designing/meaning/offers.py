"""Sentences on each preset of privacy for a question of a survey file, and on what twice its privacy costs."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import partial
from math import isfinite, sqrt
from pathlib import Path
from typing import Any

from collector.disclosure.disclosure import QuestionDisclosure
from collector.disclosure.privacy import SurveyPrivacy
from collector.errors import DeniableError, SurveyError
from collector.planning.expectations import value_plans
from collector.survey.group import Group
from collector.survey_file.survey_file import Compiled, compiled_values
from respondent.designing.edits import TomlText
from respondent.designing.meaning.plain import plain
from respondent.designing.meaning.presets import STRENGTH_KEYS, TITLES, set_preset
from respondent.designing.meaning.sentences import doubled, meaning_of, rarest, words_of
from respondent.designing.places import Places

Json = dict[str, Any]
Change = Callable[[TomlText], None]
DIGITS = 6  # significant digits of an epsilon that is halved, or of the truth probability that halves it


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
    """Sentence on what twice the privacy costs; None where the design cannot have it.

    It halves the epsilon of the response, of the group, or of the coin where the group has none.
    """
    try:
        now = _Preset(text, folder, index, respondents)
        found = _half(now, index)
        if found is None:
            return None
        change, words, caveat = found
        then = _Preset(text, folder, index, respondents, change)
    except DeniableError:
        return None
    before, after = rarest(now.disclosed).rise.after, rarest(then.disclosed).rise.after
    return doubled(words, (now.values, before), (then.values, after)) + caveat


def _half(now: _Preset, index: int) -> tuple[Change, str, str] | None:
    """The change that halves the epsilon, its words, and what it does not help against; None if nothing is halved."""
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
    """Likewise of the coin of a group without an epsilon: its log-odds are halved. None for other coins.

    A response leaves only some sets of answers possible there, whatever the coin is. What it tells of one answer to
    somebody who knows no other answer still follows from the coin.
    """
    truth = group.channel.coin.fixed
    if truth is None or not 0 < truth < 1 or not group.channel.replacement.paired:
        return None
    odds = sqrt(truth / (1 - truth))
    half = Decimal(f"{odds / (1 + odds):.{DIGITS}g}")
    words = f"a truth probability of {float(half):.3g} in place of {float(truth):.3g}: half the epsilon of the coin"
    caveat = (
        " It does not help against somebody who knows another answer of this person to a question with the same coin."
        if len(group.questions) > 1
        else " A response still leaves only some of the answers possible."
    )
    return partial(_set_strength, index=index, key="truth", value=str(half)), words, caveat


def _set_strength(file: TomlText, index: int, key: str, value: Decimal | str) -> None:
    """Give the group of a question this truth or epsilon in place of the one it has."""
    name = file.at((*_path(index), "group"))  # a group of one answer has the settings of that of the question
    settings = file.at(("groups", name))
    kept = {each: settings[each] for each in settings if each not in {"truth", *STRENGTH_KEYS}}
    file.put(("groups", name), kept | {key: value})
