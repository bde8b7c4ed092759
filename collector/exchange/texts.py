"""Export of a survey's texts for translators as PO or XLSX, and import of the translations."""

import json
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from collector.errors import SurveyError
from collector.exchange.file_table import Converted
from collector.exchange.texts_file import COLUMNS, Entry
from collector.exchange.texts_table import text_sheet
from collector.survey.design import survey_from_design
from collector.survey.screen import GRID
from collector.survey.survey import Survey, check_languages
from collector.survey_file.survey_writer import survey_text


def entries(survey: Survey, language: str) -> list[Entry]:
    """Return every text of a survey, with its translation into a language if there is one."""
    first, found = survey.languages[0], dict[str, Entry]()
    for place, text in _texts(_units_in_each(deepcopy(survey.design)), survey.languages):
        once = _once(survey, place)
        found.setdefault(once, Entry(once, text[first], text.get(language, "")))
    return list(found.values())


def _once(survey: Survey, place: str) -> str:
    """Return the path at which a text is translated, because the texts of a grid's scale are translated once."""
    head, _, number = place.rpartition("/")
    for screen in survey.screens:
        if screen.kind == GRID and head in {f"/questions/{name}/words" for name in screen.questions}:
            return f"/questions/{screen.questions[0]}/words/{number}"
    return place


def _units_in_each(design: dict[str, Any]) -> dict[str, Any]:
    """Return a design in which each unit is a table by language, as other texts are."""
    for part in (*design["questions"], *design.get("screens", [])):
        if isinstance(part.get("unit"), str):
            part["unit"] = dict.fromkeys(design["languages"], part["unit"])
    return design


def _texts(value: object, languages: Sequence[str], place: str = "") -> Iterator[tuple[str, dict[str, str]]]:
    """Yield every text (a table by language) in a design, with the text's path."""
    if isinstance(value, dict):
        if value.keys() == set(languages) and all(isinstance(each, str) for each in value.values()):
            yield place, value
            return
        for key, each in value.items():
            yield from _texts(each, languages, f"{place}/{key}")
    elif isinstance(value, list):
        for number, each in enumerate(value):
            name = each.get("name", number) if isinstance(each, dict) else number
            yield from _texts(each, languages, f"{place}/{name}")


def _check_language(survey: Survey, language: str) -> None:
    check_languages([language])
    if language == survey.languages[0]:
        problem = f'"{language}" is the language that the texts are translated from'
        raise SurveyError("--language", problem, "give the language of the translations (--language)")


def write_texts(survey: Survey, language: str, suffix: str) -> Converted:
    """Return the texts of a survey as PO (``.po``) or XLSX (``.xlsx``).

    Raises:
        SurveyError: If the language tag is not valid, or is the tag of the survey's first language.
    """
    _check_language(survey, language)
    found = entries(survey, language)
    missing = sum(not each.translation for each in found)
    content = _po(found, language) if suffix == ".po" else _xlsx(found)
    return Converted(content, (f"{len(found)} texts, {missing} without a translation",))


def _po(found: Sequence[Entry], language: str) -> bytes:
    def quoted(text: str) -> str:
        return json.dumps(text, ensure_ascii=False)

    head = f'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n"Language: {language}\\n"\n'
    parts = [
        f"msgctxt {quoted(each.place)}\nmsgid {quoted(each.text)}\nmsgstr {quoted(each.translation)}\n"
        for each in found
    ]
    return "\n".join([head, *parts]).encode()


def _xlsx(found: Sequence[Entry]) -> bytes:
    return text_sheet([COLUMNS, *((each.place, each.text, each.translation) for each in found)])


def with_translation(survey: Survey, language: str, found: Mapping[str, Entry]) -> Converted:
    """Return a survey file with a new language, or with new texts in an existing language.

    A text without a translation, or with a changed original, keeps its earlier translation or is in the first language.

    Raises:
        SurveyError: If the language is the survey's first language, a translation has invalid characters, or no text
            belongs to the survey.
    """
    _check_language(survey, language)
    design = _units_in_each(json.loads(survey.canonical))
    first = survey.languages[0]
    missing: list[str] = []
    changed: list[str] = []
    if not found.keys() & {each.place for each in entries(survey, language)}:
        raise SurveyError(
            "texts",
            "none of the texts belongs to this survey",
            "translate a file that collector texts export wrote for this survey",
        )
    for path, text in list(_texts(design, survey.languages)):
        place = _once(survey, path)
        entry = found.get(place)
        if entry is not None and entry.translation.strip() and entry.text == text[first]:
            text[language] = entry.translation.strip()
            continue
        (changed if entry is not None and entry.text != text[first] else missing).append(place)
        text.setdefault(language, text[first])
    if language not in survey.languages:
        design["languages"].append(language)
    again = survey_from_design(design)
    notes = [f"no translation: {', '.join(dict.fromkeys(missing))}"] if missing else []
    notes += [f"changed since it was translated: {', '.join(dict.fromkeys(changed))}"] if changed else []
    return Converted(survey_text(again, f'Translated into "{language}". Comments are not kept.').encode(), tuple(notes))
