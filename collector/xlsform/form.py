"""Conversion of an XLSForm, the spreadsheet format of ODK, Kobo and Ona, to a survey file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from collector.channel.channel import REPLACEMENTS, channel
from collector.errors import SurveyError
from collector.forms.collected import FormTally
from collector.forms.reading import FormReading
from collector.survey.picture import Picture
from collector.survey.survey import RESERVED_BEGINNINGS, Survey
from collector.survey.text import in_languages
from collector.survey_file.naming import name_of
from collector.survey_file.survey_file import parse_survey
from collector.survey_file.survey_writer import file_of
from collector.xlsform.priors import read_fraction
from collector.xlsform.question import checked_name
from collector.xlsform.sheet import Form, SheetColumn, SheetRow, check_with_pyxform, read_form
from collector.xlsform.text import Languages
from collector.xlsform.walk import FormWalk

CHANNELS = tuple(REPLACEMENTS)


@dataclass(frozen=True)
class Imported:
    """An XLSForm that was converted to a survey file.

    Attributes:
        text: Text of the survey file.
        survey: Survey compiled from the survey file.
        left_out: Lines about parts that a survey cannot have, each with its cell and a remedy.
        notes: Lines about changes, and about parts of the form that are not used.
        pictures: Pictures of the survey, by their SHA-256.
        tally: Numbers of questions imported and left out.
    """

    text: str
    survey: Survey
    left_out: tuple[str, ...]
    notes: tuple[str, ...] = ()
    pictures: tuple[Picture, ...] = ()
    tally: FormTally | None = None


def import_form(path: Path, *, strict: bool = False, cuts: Mapping[str, Sequence[Decimal]] | None = None) -> Imported:
    """Return an XLSForm as a survey file with all questions that a survey can ask.

    Args:
        path: Path of the spreadsheet.
        strict: Whether to refuse the form instead of leaving anything out.
        cuts: Cut points by name of the question, for numbers without cut points in the form.

    Raises:
        SurveyError: If the form cannot be converted.
    """
    try:
        reading = FormReading(strict, measured=cuts or {})
        form = read_form(path, reading)
        walk = FormWalk(form, Languages(form, reading))
        tables = _tables(path, walk)
        comment = f"Imported from {path.name}. To see what it reveals: collector check, with this file."
        text = file_of(tables, "".join(each if each.isprintable() else " " for each in comment))
        survey = parse_survey(text)
        _check_for_odk(path, reading)
    except SurveyError as error:
        raise error.within(str(path)) from None
    if len(reading.languages) > 1:
        reading.note("an XLSForm has one title for all languages: translate it in the file")
    notes, pictures = tuple(reading.closing_notes(survey)), tuple(reading.pictures.values())
    return Imported(text, survey, reading.left_out, notes, pictures, reading.tally)


def _check_for_odk(path: Path, reading: FormReading) -> None:
    """Record whether ODK would refuse the form.

    Raises:
        SurveyError: If ODK would refuse the form, and the import is strict.
    """
    try:
        check_with_pyxform(path)
    except SurveyError as error:
        if reading.strict:
            raise
        reading.note(f"ODK itself would refuse the form: {error.problem}")


def _tables(path: Path, walk: FormWalk) -> dict[str, Any]:
    """Return the tables of the survey file for a form."""
    form, languages, reading = walk.form, walk.languages, walk.reading
    questions = list(walk.tables())
    reading.check_some(questions, "sheet survey", "add a select_one, or an integer with rr::cuts")
    if walk.silent:
        reading.note("no row says required: every question needs an answer, unless it says optional = true")
    given = form.settings.get("form_id") or path.stem
    name = name_of(given, 1)
    if name != given:
        reading.note("renamed", f'"{given}" is {name}')
    if name.startswith(RESERVED_BEGINNINGS):
        problem = f"it begins with {' or '.join(RESERVED_BEGINNINGS)}"
        raise form.settings.error("form_id", problem, "choose another")
    title = reading.part(lambda: _title(form, languages), None) or name
    head = {"name": name, "title": in_languages(languages.same(title)), "languages": list(languages.tags)}
    groups = _groups(walk.asked)
    return head | {"questions": questions} | ({"groups": groups} if groups else {})


def _title(form: Form, languages: Languages) -> str:
    title = form.settings.get("form_title")
    return languages.clean(form.settings, SheetColumn("form_title"), title) if title else ""


def _groups(rows: Sequence[SheetRow]) -> dict[str, dict[str, str]]:
    """Return the groups named in the column rr::group, with their truth probabilities and channels.

    At least one row of each group must set the truth probability, and the rows of a group must agree.
    """
    said: dict[str, dict[str, tuple[SheetRow, str]]] = {}
    for row in rows:
        if row.get("rr::group"):
            group = said.setdefault(checked_name(row, "rr::group", row.get("rr::group")), {"home": (row, "")})
            for column in ("rr::truth", "rr::channel"):
                _agree(row, column, group)
    return {name: _channel(group) for name, group in said.items()}


def _agree(row: SheetRow, column: str, group: dict[str, tuple[SheetRow, str]]) -> None:
    value = row.get(column)
    if not value:
        return
    if column == "rr::channel" and value not in CHANNELS:
        raise row.error(column, "there is no such channel", f"use one of: {', '.join(CHANNELS)}")
    first, before = group.setdefault(column, (row, value))
    same = before == value
    if column == "rr::truth":
        same = read_fraction(row, column, value) == read_fraction(first, column, before)
    if not same:
        problem = f"the group has another one in row {first.number}: {before}"
        raise row.error(column, problem, "write the same in both rows, or in one only")


def _channel(group: Mapping[str, tuple[SheetRow, str]]) -> dict[str, str]:
    row, _ = group["home"]
    if "rr::truth" not in group:
        raise row.error("rr::truth", "no question of the group has one", "write one, such as 3/4")
    row, truth = group["rr::truth"]
    table = {"truth": truth}
    if "rr::channel" in group:
        table["channel"] = group["rr::channel"][1]
    try:
        channel(table.get("channel", CHANNELS[0]), read_fraction(row, "rr::truth", truth))
    except SurveyError as error:
        raise row.error("rr::truth", error.problem, error.remedy) from None
    return table
