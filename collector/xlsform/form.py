"""Convert an XLSForm, the spreadsheet format of ODK, Kobo and Ona, to a survey file.

All or nothing: whatever a survey cannot have is refused by sheet, row and column, with what to do about it. Nothing
that a respondent would read is dropped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from collector.channel.channel import REPLACEMENTS, channel
from collector.errors import SurveyError
from collector.survey.question import NAME
from collector.survey.survey import RESERVED_BEGINNINGS, Survey
from collector.survey_file.conditions import Named, conditions_of
from collector.survey_file.folding import condition_text, in_languages
from collector.survey_file.naming import name_of
from collector.survey_file.survey_file import parse_survey
from collector.survey_file.survey_writer import file_of
from collector.xlsform.question import checked_name
from collector.xlsform.sheet import Form, Row, check_with_pyxform, read_form
from collector.xlsform.text import Languages, plain_text
from collector.xlsform.values import read_fraction
from collector.xlsform.walk import Asked, Walk, statements_of

CHANNELS = tuple(REPLACEMENTS)


@dataclass(frozen=True)
class Imported:
    """A form that became a survey file.

    Attributes:
        text: The survey file.
        survey: What it compiles to.
        left_out: Headings of the form's columns that hold something a survey has no use for.
        notes: What was changed on the way, a line each.
    """

    text: str
    survey: Survey
    left_out: tuple[str, ...]
    notes: tuple[str, ...] = ()


def import_form(path: Path) -> Imported:
    """Read an XLSForm as a survey file.

    Raises:
        SurveyError: Naming the file, the sheet, the row, the column and the remedy.
    """
    try:
        form = read_form(path)
        walk = Walk(form, Languages(form))
        tables = _tables(path, walk)
        comment = f"Imported from {path.name}. To see what it reveals: collector check, with this file."
        text = file_of(tables, "".join(each if each.isprintable() else " " for each in comment))
        survey = parse_survey(text)
        check_with_pyxform(path)
    except SurveyError as error:
        raise error.within(str(path)) from None
    if len(walk.languages.tags) > 1:
        walk.remarks["an XLSForm has one title for all languages: translate it in the file"] = None
    return Imported(text, survey, tuple(form.left_out), tuple(walk.remarks))


def _tables(path: Path, walk: Walk) -> dict[str, Any]:
    """The tables of the survey file."""
    asked = list(walk.questions())
    if not asked:
        raise SurveyError("sheet survey", "it asks nothing", "add a select_one, an integer or a decimal")
    groups = _groups([each.row for each in asked])
    names, form, languages = _names(asked), walk.form, walk.languages
    name = _survey_name(path, form)
    title = plain_text(form.settings, "form_title") if form.settings.get("form_title") else name
    head = {"name": name, "title": in_languages(languages.same(title)), "languages": languages.tags}
    silent = all(each.needed is None for each in asked)
    known: dict[str, Named] = {}
    questions = []
    for each, question in zip(asked, names, strict=True):
        table = _table(each, question, languages, silent=silent)
        if conditions := [part for row, text in each.conditions() for part in _conditions(row, text, known)]:
            table["ask_if"] = " and ".join(dict.fromkeys(conditions))
        questions.append(table)
        known |= each.question.known(table, each.row.get("name"))
        for row in each.statements:
            item = row.get("name").removeprefix(f"{question}_")
            known[row.get("name")] = known[f"{question}_{item}"]
    if silent:
        walk.remarks["no row says required: every question needs an answer, unless it says optional = true"] = None
    return head | {"questions": questions, "groups": groups}


def _conditions(row: Row, text: str, known: Mapping[str, Named]) -> list[str]:
    try:
        return [words for each in conditions_of(text, known) if (words := condition_text(each))]
    except SurveyError as error:
        raise row.error("relevant", f"{text[:60]}: {error.problem}", error.remedy) from None


def _table(asked: Asked, name: str, languages: Languages, *, silent: bool) -> dict[str, Any]:
    table: dict[str, Any] = {"name": name, "label": in_languages(asked.label)}
    table |= {"hint": in_languages(asked.hint)} if asked.hint else {}
    group, coins = asked.row.get("rr::group"), asked.row.get("rr::coins")
    home: dict[str, Any] = {"group": group} if group else {"sensitive": False}
    table |= dict(asked.question.table) | home | ({"coins": coins} if coins else {})
    table |= {"statements": statements_of(asked, name, languages)} if asked.statements else {}
    table |= {"section": in_languages(asked.section)} if asked.section else {}
    optional = not asked.needed and not silent and table["kind"] != "multiple"
    return table | ({"optional": True} if optional else {})


def _survey_name(path: Path, form: Form) -> str:
    name = form.settings.get("form_id")
    if not name and not NAME.fullmatch(path.stem):
        remedy = f"add it, such as {name_of(path.stem, 1)}"
        raise form.settings.error("form_id", "it is empty, and the name of the file will not do instead", remedy)
    name = checked_name(form.settings, "form_id", name or path.stem)
    if name.startswith(RESERVED_BEGINNINGS):
        raise form.settings.error("form_id", f"it begins with {' or '.join(RESERVED_BEGINNINGS)}", "choose another")
    return name


def _names(asked: Sequence[Asked]) -> list[str]:
    """Each question's name, with its groups before it where several groups of the form use the same."""
    uses = Counter(each.row.get("name") for each in asked)
    names: dict[str, int] = {}
    for each in asked:
        name = each.row.get("name")
        if uses[name] > 1:
            name = "_".join((*(group.get("name") for group in each.groups), name))
        checked_name(each.row, "name", name)
        if name in names:
            raise each.row.error("name", f'"{name}" is used twice, first in row {names[name]}', "rename one")
        names[name] = each.row.number
    return list(names)


def _groups(rows: Sequence[Row]) -> dict[str, dict[str, str]]:
    """Each rr::group with its truth and its channel, which one of its rows must say, and no two differently."""
    said: dict[str, dict[str, tuple[Row, str]]] = {}
    for row in rows:
        if row.get("rr::group"):
            group = said.setdefault(checked_name(row, "rr::group", row.get("rr::group")), {"home": (row, "")})
            for column in ("rr::truth", "rr::channel"):
                _agree(row, column, group)
    if not said:
        raise SurveyError(
            "sheet survey", "no question is disguised", "add columns rr::group and rr::truth, and fill them"
        )
    return {name: _channel(group) for name, group in said.items()}


def _agree(row: Row, column: str, group: dict[str, tuple[Row, str]]) -> None:
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


def _channel(group: Mapping[str, tuple[Row, str]]) -> dict[str, str]:
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
