"""The remarks on a survey that `collector check` and the desk show before it is published."""

import json
import re
from collections.abc import Iterator

from collector.characters import TURNING, difference, looking_alike
from collector.disclosure.lint import NOTE, WARN, Lint, by_gravity
from collector.disclosure.lints import day_lints, precision_lints
from collector.disclosure.privacy import SurveyPrivacy
from collector.exchange.texts import entries
from collector.survey.question import EXTRAS, YES_NO
from collector.survey.screen import INTERVALS, RANKING
from collector.survey.survey import Survey

ALIKE = re.compile("@|://|^[^a-zA-Z]*$")  # pattern of texts that need no translation, such as addresses
SIGN = re.compile(r"[A-Z]{3}|\S{1,2}")  # pattern of units that need no translation, such as EUR and kg
NUMBERED = re.compile(r"(?<=/words)/\d+$")
MOST_NAMED = 20


def remarks(privacy: SurveyPrivacy, respondents: int | None) -> tuple[Lint, ...]:
    """Return all remarks on a survey, the most severe first."""
    survey = privacy.survey
    few = [] if respondents is None else precision_lints(survey, respondents, planned=privacy.planned)
    texts = [*looking(survey), *turning(survey), *untranslated(survey)]
    return by_gravity([*privacy.lints, *day_lints(survey), *texts, *few])


def looking(survey: Survey) -> Iterator[Lint]:
    """Yield a warning for each pair of values or wordings that look alike to a reader."""
    screens = {name: screen for screen in survey.screens for name in screen.questions}
    for question in survey.questions:
        screen, place = screens.get(question.name), f'question "{question.name}"'
        lists = [question.base, *([text[tag] for text in question.shown] for tag in survey.languages)]
        if screen is not None:
            items = [text for _, text in screen.items]
            if screen.is_together and question.name == screen.questions[0]:
                items = [survey.question(name).label for name in screen.questions]
            lists += [[text[tag] for text in items] for tag in survey.languages]
        for one, other in dict.fromkeys(pair for texts in lists for pair in looking_alike(texts)):
            problem = f'"{one}" and "{other}" look alike, and differ in {difference(one, other)}'
            yield Lint(WARN, place, problem, "keep one of them, or write them so that readers can distinguish them")


def turning(survey: Survey) -> Iterator[Lint]:
    """Yield a warning for each language whose texts have characters that turn the direction of text."""
    if not {*TURNING} & {*json.dumps(survey.design, ensure_ascii=False)}:  # to list all places takes longer
        return
    for language in survey.languages:
        places = [each.place for each in entries(survey, language) if {*TURNING} & {*each.translation}]
        if places:
            problem = f"texts have characters that turn the direction of text (U+202A to U+2069): {_named(places)}"
            yield Lint(WARN, f'language "{language}"', problem, "delete them, if what they show is not what you mean")


def untranslated(survey: Survey) -> list[Lint]:
    """Return a note for each language on texts that may lack a translation, because they equal the original."""
    notes = []
    for language in survey.languages[1:]:
        alike = [each for each in entries(survey, language) if each.text == each.translation]
        same = [each.place for each in alike if _is_translated(each.text, each.place)]
        if same:
            problem = f'{len(same)} texts read as in "{survey.languages[0]}": {_named(same)}'
            notes.append(Lint(NOTE, f'language "{language}"', problem, "translate them (collector texts), if need be"))
    if len(survey.languages) > 1 and (bare := _without_words(survey)):
        problem = f"values read as their names in every language: {_named(bare)}"
        notes.append(Lint(NOTE, "languages", problem, "give these questions words, if need be"))
    return notes


def _is_translated(text: str, place: str) -> bool:
    """Return whether a text in a survey file should differ between languages."""
    is_sign = place.endswith("/unit") and SIGN.fullmatch(text)
    return not (ALIKE.search(text) or is_sign or ("/words/" in place and text in EXTRAS))


def _named(places: list[str]) -> str:
    """Return places in a survey file as one text, in which all wordings of a question are one place."""
    found = list(dict.fromkeys(NUMBERED.sub("", each) for each in places))
    return ", ".join(found[:MOST_NAMED]) + (f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else "")


def _without_words(survey: Survey) -> list[str]:
    """Return the questions whose values need wordings and have no wording in any language."""
    intelligible = {name for each in survey.screens if each.kind in {*INTERVALS, RANKING} for name in each.questions}
    return [
        f"/questions/{each.name}"
        for each in survey.questions
        if not (each.shown or each.cuts or each.base == YES_NO or each.name in intelligible)
        and not all(ALIKE.search(value) for value in each.base)
    ]
