"""Reading of the sheets of an XLSForm as rows of cells, with pyxform.

The format XLSForm is described at https://xlsform.org.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pyxform.errors import PyXFormError, PyXFormReadError
from pyxform.xls2json_backends import xlsx_to_dict
from pyxform.xls2xform import convert

from collector.characters import code_point, compared, lost, shown
from collector.errors import InputError, SurveyError
from collector.forms.reading import FormReading
from collector.survey_file.text_file import check_file, check_spreadsheet
from collector.xlsform.columns import (
    ALIASES,
    IGNORED,
    NEEDED_COLUMNS,
    OURS,
    PICTURE_TEXT,
    QUALIFIERS,
    READ,
    REFUSED_COLUMNS,
    TRANSLATED,
    close_match,
)

T = TypeVar("T")
SUFFIXES = (".xlsx", ".xlsm")
SWITCHED_OFF = frozenset({"yes", "true", "true()"})
FIRST_ROW = 2  # number of the first row below the headings
COLONS = re.compile(r"::|(?<!jr):")


class SheetColumn(NamedTuple):
    """The content and the language of a column in a sheet of an XLSForm.

    For example, the heading ``label::French (fr)`` means the label in French.
    """

    name: str
    language: str | None = None


@dataclass(frozen=True)
class SheetRow:
    """A row of a sheet of an XLSForm.

    Attributes:
        sheet: Name of the sheet.
        number: Number of the row as the spreadsheet shows it.
        headings: Heading of every column of the sheet.
        cells: Cells of the row that are not empty, by column.
    """

    sheet: str
    number: int
    headings: Mapping[SheetColumn, str]
    cells: Mapping[SheetColumn, str]

    def get(self, name: str) -> str:
        """Return the cell of a column without a language, or "" if the cell is empty."""
        return self.cells.get(SheetColumn(name), "")

    @property
    def line(self) -> str:
        """The name of this row of the sheet in messages."""
        return f"sheet {self.sheet}, row {self.number}"

    def place(self, column: str | SheetColumn) -> str:
        """Return the name of a cell of this row in messages."""
        column = SheetColumn(column) if isinstance(column, str) else column
        written = column.name if column.language is None else f"{column.name}::{column.language}"
        return f"{self.line}, column {self.headings.get(column, written)}"

    def error(self, column: str | SheetColumn, problem: str, remedy: str) -> SurveyError:
        """Return an error about a cell of the row, with a problem and a remedy."""
        return SurveyError(self.place(column), problem, remedy)


@dataclass(frozen=True)
class Form:
    """An XLSForm.

    Attributes:
        survey: Non-empty rows of the sheet ``survey``, in order.
        choices: Non-empty rows of the sheet ``choices``, in order.
        settings: Row of the sheet ``settings``, which may have no cells.
        path: Path of the spreadsheet.
    """

    survey: Sequence[SheetRow]
    choices: Sequence[SheetRow]
    settings: SheetRow
    path: Path


def read_form(path: Path, reading: FormReading) -> Form:
    """Return the sheets of a form, and add notes about content that is not used.

    Raises:
        SurveyError: If a cell is not valid.
    """
    if path.suffix.lower() not in SUFFIXES:
        problem = "it is an old .xls file" if path.suffix.lower() == ".xls" else "it is not an .xlsx file"
        raise SurveyError("file", problem, "save the spreadsheet as .xlsx")
    try:
        check_file(path, "an .xlsx file")
        path.open("rb").close()
    except OSError as error:
        raise SurveyError("file", f"it cannot be read ({error.strerror})", "give the path of an .xlsx file") from None
    except InputError as error:
        raise SurveyError("file", error.problem, error.remedy) from None
    check_spreadsheet(path)
    problem, remedy = "it cannot be read as a spreadsheet", "open it, and save it again as .xlsx"
    book = _with_pyxform(lambda: xlsx_to_dict(str(path)), problem, remedy)
    if book.get("entities"):
        problem, remedy = "entities tie responses to a person or a thing", "remove the sheet, and the column save_to"
        reading.leave(SurveyError("sheet entities", problem, remedy))
    sheets = {name: list(_rows(book, name, reading)) for name in READ}
    if not sheets["survey"]:
        raise SurveyError(
            "sheet survey", "the sheet is missing or empty", "add a sheet with the columns type, name and label"
        )
    settings = sheets["settings"][0] if sheets["settings"] else SheetRow("settings", FIRST_ROW, {}, {})
    firsts = {column: row for row in reversed(sheets["choices"]) for column in row.cells}
    for column, row in firsts.items():
        if column.name in REFUSED_COLUMNS["choices"]:
            reading.leave(row.error(column, *REFUSED_COLUMNS["choices"][column.name]))
    if unread := _not_used(sheets["survey"] + sheets["choices"]):
        reading.note(f"columns not used: {', '.join(unread)}")
    return Form(sheets["survey"], sheets["choices"], settings, path)


def check_with_pyxform(path: Path) -> None:
    """Refuse a form that pyxform does not accept, because ODK cannot use the form.

    Raises:
        SurveyError: If pyxform refuses the form.
    """
    problem, remedy = (
        "pyxform cannot convert it for ODK",
        "correct it as the XLSForm reference (https://xlsform.org) says",
    )
    _with_pyxform(lambda: convert(str(path), validate=False), problem, remedy)


def _with_pyxform(call: Callable[[], T], problem: str, remedy: str) -> T:
    """Call a function of pyxform, and turn its errors into a `SurveyError`."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # openpyxl warns of spreadsheet features that it does not write back
            return call()
    except Exception as error:  # noqa: BLE001 - a damaged file makes openpyxl stumble in any way
        if isinstance(error, PyXFormError) and not isinstance(error, PyXFormReadError):
            message = " ".join(str(error).split()).rstrip(".")
            raise SurveyError("file", message, "correct the form as described at https://xlsform.org") from None
        raise SurveyError("file", f"{problem} ({type(error).__name__})", remedy) from None


def _rows(book: Mapping[str, Any], sheet: str, reading: FormReading) -> Iterator[SheetRow]:
    headings: dict[SheetColumn, str] = {}
    names: dict[str, SheetColumn] = {}
    for heading in next(iter(book.get(f"{sheet}_header") or ({},))):
        plain = compared(heading)
        column = _column(sheet, plain) if sheet != "settings" else _setting(plain, headings, reading)
        if column in headings and column.name not in IGNORED:
            place = f"sheet {sheet}, row 1, column {heading}"
            raise SurveyError(
                place, f'it says the same as the column "{headings[column]}"', "remove one of the two columns"
            )
        headings[column] = heading
        names[heading] = column
    for number, cells in enumerate(book.get(sheet) or (), start=FIRST_ROW):
        written = {names[heading]: cell for heading, cell in cells.items() if cell}
        row = SheetRow(sheet, number, headings, {column: _spelled(column, cell) for column, cell in written.items()})
        filled = row.cells
        for column, cell in written.items():
            for each in lost(cell, filled[column]):
                reading.note("invisible characters dropped", f"{code_point(each)} at {row.place(column)}")
        if filled and not (sheet == "survey" and _is_passed_over(row)):
            yield row


def _spelled(column: SheetColumn, cell: str) -> str:
    return shown(cell) if column.name in TRANSLATED else compared(cell)


def _is_passed_over(row: SheetRow) -> bool:
    """Return whether a row is disabled or a comment."""
    says = any(column.name in {"type", "name", "label"} for column in row.cells)
    return row.get("disabled").lower() in SWITCHED_OFF or not says


def _column(sheet: str, heading: str) -> SheetColumn:
    """Return the content and the language of a column, and check the spelling of its heading."""
    parts = [part.strip() for part in COLONS.split(heading)]
    if _snake(parts[0]) in QUALIFIERS and len(parts) > 1:
        parts = parts[1:]
    name = ALIASES.get(_snake(parts[0]), _snake(parts[0]))
    if heading in OURS and sheet == "survey":
        return SheetColumn(heading)
    if sheet == "survey" and (heading == PICTURE_TEXT or heading.startswith(f"{PICTURE_TEXT}::")):
        return SheetColumn(PICTURE_TEXT, heading[len(f"{PICTURE_TEXT}::") :].strip() or None)
    _check_heading(sheet, heading, name)
    language = parts[1] if len(parts) > 1 and parts[1] else None
    if language and name in (*READ[sheet], *REFUSED_COLUMNS[sheet]) and name not in TRANSLATED:
        raise SurveyError(f"sheet {sheet}, row 1, column {heading}", "this column has no translations", f"write {name}")
    return SheetColumn(name, language)


def _setting(heading: str, before: Mapping[SheetColumn, str], reading: FormReading) -> SheetColumn:
    """Return the content of a column in the sheet ``settings``, and add a note if the column is not used."""
    try:
        column = _column("settings", heading)
        known = column.name in READ["settings"] and column not in before
    except SurveyError:
        if heading.startswith("rr"):
            raise
        known = False
    if not known:
        reading.note("columns of the sheet settings not used", heading)
    return column if known else SheetColumn(f"not used: {heading}")


def _check_heading(sheet: str, heading: str, name: str) -> None:
    place = f"sheet {sheet}, row 1, column {heading}"
    looks = _snake(heading).replace(" ", "")
    ours = re.match(r"rr+([^a-z0-9]|$)", looks) or close_match(looks, (*OURS, PICTURE_TEXT))
    if ours or (sheet == "survey" and f"rr::{looks}" in OURS):
        if sheet != "survey":
            raise SurveyError(
                place, "rr:: columns do not belong in this sheet", 'move the column to the sheet "survey"'
            )
        meant = close_match(f"rr::{re.sub('^r+[^a-z0-9]*', '', looks)}", (*OURS, PICTURE_TEXT))
        remedy = f"write {meant}" if meant else f"use one of: {', '.join((*OURS, PICTURE_TEXT))}"
        raise SurveyError(place, "the column is not one of the rr:: columns", remedy)
    known = (*READ[sheet], *REFUSED_COLUMNS[sheet])
    if name not in known and name not in IGNORED and (meant := close_match(name, known)):
        raise SurveyError(place, "the column does not exist", f"write {meant}, or give a comment another heading")


def _snake(words: str) -> str:
    return "_".join(words.split()).lower()


def leave_cells(row: SheetRow, reading: FormReading) -> None:
    """Leave out cells of a row that a survey cannot have, if they are optional."""
    for column in row.cells:
        if column.name in REFUSED_COLUMNS[row.sheet] and column.name not in NEEDED_COLUMNS:
            reading.leave(row.error(column, *REFUSED_COLUMNS[row.sheet][column.name]))


def _not_used(rows: Sequence[SheetRow]) -> list[str]:
    """Return the headings of the columns whose cells the import does not use."""
    unread = {
        row.headings[column]: None
        for row in rows
        for column in row.cells
        if column.name not in READ[row.sheet] and column.name not in REFUSED_COLUMNS[row.sheet]
    }
    return list(unread)
