"""A survey's texts for translators, as PO or XLSX, and back into its survey file."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from collector.errors import SurveyError
from collector.exchange.file_table import Converted
from collector.survey.design import survey_from_design
from collector.survey.screen import GRID
from collector.survey.survey import Survey, check_languages
from collector.survey_file.survey_writer import survey_text
from collector.survey_file.text_file import check_file, check_unpacked_size, text_of

PO_LINE = re.compile(r'(?:(?P<key>msgctxt|msgid|msgstr)\s+)?(?P<text>"(?:[^"\\]|\\.)*")\s*')
COLUMNS = ("place", "text", "translation")


@dataclass(frozen=True)
class Entry:
    """One text to be translated.

    Attributes:
        place: Where it stands in the design: its path, without spaces.
        text: In the survey's first language.
        translation: In the other language; empty where there is none.
    """

    place: str
    text: str
    translation: str


def entries(survey: Survey, language: str) -> list[Entry]:
    """Every text of a survey, with its translation into a language as far as there is one."""
    first, found = survey.languages[0], dict[str, Entry]()
    for place, text in _texts(_units_in_each(deepcopy(survey.design)), survey.languages):
        once = _once(survey, place)
        found.setdefault(once, Entry(once, text[first], text.get(language, "")))
    return list(found.values())


def _once(survey: Survey, place: str) -> str:
    """The place where a text is translated: the scale of a grid with its first statement, for all of them."""
    head, _, number = place.rpartition("/")
    for screen in survey.screens:
        if screen.kind == GRID and head in {f"/questions/{name}/words" for name in screen.questions}:
            return f"/questions/{screen.questions[0]}/words/{number}"
    return place


def _units_in_each(design: dict[str, Any]) -> dict[str, Any]:
    """A design in which each unit is a table by language, to be translated as well."""
    for part in (*design["questions"], *design.get("screens", [])):
        if isinstance(part.get("unit"), str):
            part["unit"] = dict.fromkeys(design["languages"], part["unit"])
    return design


def _texts(value: object, languages: Sequence[str], place: str = "") -> Iterator[tuple[str, dict[str, str]]]:
    """Every table by language in a design, with its path; parts that have a name go by it."""
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


def write_texts(survey: Survey, language: str, suffix: str) -> Converted:
    """The texts as PO (``.po``) or XLSX (``.xlsx``).

    Raises:
        SurveyError: If the language is no tag, or is the survey's first.
    """
    check_languages([language])
    if language == survey.languages[0]:
        raise SurveyError("--language", "it is the one that texts are translated from", "name another")
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
    from openpyxl import Workbook  # noqa: PLC0415 - an extra

    book = Workbook()
    sheet = book.active
    sheet.append(COLUMNS)
    for row, each in enumerate(found, start=2):
        for column, text in enumerate((each.place, each.text, each.translation), start=1):
            cell = sheet.cell(row, column, text or None)
            cell.data_type = "s" if text else cell.data_type  # a text that begins with = is no formula
    stream = BytesIO()
    book.save(stream)
    return stream.getvalue()


def read_texts(path: Path) -> dict[str, Entry]:
    """The texts of a translator's file, by place.

    Raises:
        InputError: If it cannot be read as text.
        SurveyError: If it is neither PO nor XLSX as `write_texts` makes it, naming the line.
    """
    rows = _xlsx_rows(path) if path.suffix.lower() == ".xlsx" else _po_rows(text_of(path, "a PO file"), path)
    return {place: Entry(place, text, translation) for place, text, translation in rows if place}


def _xlsx_rows(path: Path) -> Iterator[tuple[str, str, str]]:
    from openpyxl import load_workbook  # noqa: PLC0415 - an extra

    check_file(path, "an XLSX file")
    try:
        check_unpacked_size(path)
    except SurveyError as error:
        raise error.within(str(path)) from None
    try:
        sheet = load_workbook(path).active
        rows = [tuple("" if cell is None else str(cell) for cell in row) for row in sheet.iter_rows(values_only=True)]
    except Exception:  # noqa: BLE001 - openpyxl raises many
        raise SurveyError(str(path), "it is no spreadsheet", "save it as XLSX") from None
    if not rows or rows[0][: len(COLUMNS)] != COLUMNS:
        raise SurveyError(
            str(path), f"its columns are not {', '.join(COLUMNS)}", "translate the file that was exported"
        )
    yield from ((row[0], row[1], row[2]) for row in rows[1:])


def _po_rows(text: str, path: Path) -> Iterator[tuple[str, str, str]]:
    entry: dict[str, str] = {}
    key, guessed = "", [False, False]  # whether this entry is, and the next: a comment stands above what it is of
    for number, line in enumerate([*text.splitlines(), 'msgctxt ""'], start=1):
        guessed[1] |= line.startswith("#,") and "fuzzy" in line
        if not line.strip() or line.startswith("#"):
            continue
        found = PO_LINE.fullmatch(line.strip())
        try:
            piece = None if found is None else json.loads(found["text"])
        except ValueError:
            piece = None
        if found is None or piece is None or not (found["key"] or key):
            raise SurveyError(f"{path}: line {number}", "it is not as PO files are", "save it as PO again")
        if found["key"] == "msgctxt":
            if entry:
                yield entry.get("msgctxt", ""), entry.get("msgid", ""), "" if guessed[0] else entry.get("msgstr", "")
            entry, guessed = {}, [guessed[1], False]
        key = found["key"] or key
        entry[key] = entry.get(key, "") + piece


def with_translation(survey: Survey, language: str, found: Mapping[str, Entry]) -> Converted:
    """The survey file with a language more, or with other texts in one that it has.

    A text that has no translation, or whose original has changed since, reads as in the first language; both are noted.

    Raises:
        SurveyError: If a text cannot be shown as it is, or none of them is of this survey.
    """
    check_languages([language])
    design = _units_in_each(json.loads(survey.canonical))
    first = survey.languages[0]
    missing: list[str] = []
    changed: list[str] = []
    if not found.keys() & {each.place for each in entries(survey, language)}:
        raise SurveyError("texts", "none is of this survey", "translate the file that was exported of it")
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
