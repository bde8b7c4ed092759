"""Convert an XLSForm, the spreadsheet format of ODK, Kobo and Ona, to a survey file.

All or nothing: whatever a survey cannot have is refused by sheet, row and column, with what to do about it. Nothing
that a respondent would read is dropped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from collector.channel.channel import REPLACEMENTS, channel
from collector.errors import SurveyError
from collector.survey.question import NAME
from collector.survey.survey import RESERVED_BEGINNINGS, Survey
from collector.survey.text import Text
from collector.survey_file.survey_file import parse_survey
from collector.survey_file.survey_toml import table_lines, written
from collector.xlsform.columns import OURS
from collector.xlsform.question import (
    check_not_relevant,
    checked_name,
    kind_of_row,
    read_question,
    suggested_name,
)
from collector.xlsform.sheet import Form, Row, check_with_pyxform, read_form
from collector.xlsform.text import Languages, joined, plain_text
from collector.xlsform.values import read_fraction

CHANNELS = tuple(REPLACEMENTS)


@dataclass(frozen=True)
class Imported:
    """A form that became a survey file.

    Attributes:
        text: The survey file.
        survey: What it compiles to.
        left_out: Headings of the form's columns that hold something a survey has no use for.
    """

    text: str
    survey: Survey
    left_out: tuple[str, ...]


@dataclass(frozen=True)
class Asked:
    """A question of the form.

    Attributes:
        row: Where it stands.
        pages: Names of the groups of the form around it, from the outside.
        page: What the innermost of them is headed, or None.
        label: What is asked.
        hint: The notes before it and its own hint, or None.
        table: The rest, as in a survey file.
    """

    row: Row
    pages: tuple[str, ...]
    page: str | None
    label: Text
    hint: Text | None
    table: Mapping[str, Any]


@dataclass
class _Walk:
    """Going down the survey sheet: the groups that are open, and the notes that wait for a question."""

    form: Form
    languages: Languages
    open: list[Row] = field(default_factory=list)
    notes: list[tuple[Row, Text]] = field(default_factory=list)

    def questions(self) -> Iterator[Asked]:
        """Every question, in order."""
        for row in self.form.survey:
            kind = kind_of_row(row)
            if kind in {"select_one", "number"}:
                yield self._question(row)
            else:
                self._other(row, kind)
        if self.open:
            raise self.open[-1].error("type", "this group is never ended", "add a row end_group")
        if self.notes:
            row, _ = self.notes[-1]
            raise row.error("type", "no question follows this note", "delete the row: the page thanks by itself")

    def _question(self, row: Row) -> Asked:
        label = self.languages.text(row, "label")
        if label is None:
            raise row.error("label", "it is empty", "write the question")
        hint = self.languages.text(row, "hint")
        texts = [text for _, text in self.notes] + ([hint] if hint else [])
        self.notes.clear()
        page = self.open[-1] if self.open else None
        return Asked(
            row,
            tuple(each.get("name") for each in self.open),
            None if page is None else self._heading(page),
            label,
            joined(texts, self.languages),
            read_question(row, self.form, self.languages),
        )

    def _heading(self, page: Row) -> str:
        text = self.languages.text(page, "label")
        return page.get("name") if text is None else text[self.languages.tags[0]]

    def _other(self, row: Row, kind: str) -> None:
        """Take a note, or open or end a group."""
        check_not_relevant(row)
        for column in OURS:
            if row.get(column):
                raise row.error(column, "only a question is disguised", "write it in the rows of the questions")
        if kind == "note":
            text = self.languages.text(row, "label")
            if text is None:
                raise row.error("label", "it is empty", "write the note, or delete the row")
            hint = self.languages.text(row, "hint")
            self.notes += [(row, each) for each in (text, hint) if each]
        elif kind == "begin_group":
            self.open.append(row)
        elif self.open:
            self.open.pop()
        else:
            raise row.error("type", "no group is open here", "delete the row, or add a begin_group")


def import_form(path: Path) -> Imported:
    """Read an XLSForm as a survey file.

    Raises:
        SurveyError: Naming the file, the sheet, the row, the column and the remedy.
    """
    try:
        form = read_form(path)
        languages = Languages(form)
        asked = list(_Walk(form, languages).questions())
        text = "\n".join(_lines(path, form, languages, asked)) + "\n"
        survey = parse_survey(text)
        check_with_pyxform(path)
    except SurveyError as error:
        raise error.within(str(path)) from None
    return Imported(text, survey, tuple(form.left_out))


def _lines(path: Path, form: Form, languages: Languages, asked: Sequence[Asked]) -> Iterator[str]:
    if not asked:
        raise SurveyError("sheet survey", "it asks nothing", "add a select_one, an integer or a decimal")
    groups = _groups([each.row for each in asked])
    names = _names(asked)
    yield _comment(f"Imported from {path.name}. To see what it reveals: collector check, with this file.")
    yield ""
    name = _survey_name(path, form)
    title = plain_text(form.settings, "form_title") if form.settings.get("form_title") else name
    yield from table_lines({"name": name, "title": _in_languages(languages.same(title)), "languages": languages.tags})
    if len(languages.tags) > 1:
        yield "# An XLSForm has one title for all languages: translate it above."
    pages: tuple[str, ...] = ()
    for each, question in zip(asked, names, strict=True):
        if each.pages != pages:
            yield from ("", _comment("No page" if each.page is None else f"Page: {each.page}"))
        pages = each.pages
        yield from ("", "[[questions]]")
        yield from table_lines(_table(each, question), "questions")
    yield from ("", "[groups]")
    yield from (f"{group} = {written(how)}" for group, how in groups.items())


def _comment(words: str) -> str:
    return "# " + "".join(each if each.isprintable() else " " for each in words)


def _table(asked: Asked, name: str) -> dict[str, Any]:
    table: dict[str, Any] = {"name": name, "label": _in_languages(asked.label)}
    if asked.hint:
        table["hint"] = _in_languages(asked.hint)
    group = asked.row.get("rr::group")
    home: dict[str, Any] = {"group": group} if group else {"sensitive": False}
    return table | dict(asked.table) | home


def _in_languages(text: Text) -> str | dict[str, str]:
    """As a survey file has it: plain where there is one language."""
    return text.design if len(text.pairs) > 1 else text.pairs[0][1]


def _survey_name(path: Path, form: Form) -> str:
    name = form.settings.get("form_id")
    if not name and not NAME.fullmatch(path.stem):
        remedy = f"add it, such as {suggested_name(path.stem, 1)}"
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
            name = "_".join((*each.pages, name))
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
