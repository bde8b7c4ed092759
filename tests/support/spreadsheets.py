"""XLSForms made for tests: sheets as lists of rows, saved as a person's spreadsheet program would."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from openpyxl import Workbook

Sheets = dict[str, list[list[Any]]]
COLUMNS = [
    "type",
    "name",
    "label",
    "hint",
    "relevant",
    "rr::group",
    "rr::truth",
    "rr::channel",
    "rr::prior",
    "rr::cuts",
]
YEAR, CANNABIS, DRINKING, INCOME = 1, 2, 3, 4  # rows of the sheet survey, counted from 0: a spreadsheet shows one more
FORM: Sheets = {
    "survey": [
        COLUMNS,
        ["select_one years", "year", "Which year are you in?"],
        [
            "select_one yes_no",
            "cannabis",
            "Have you used cannabis?",
            None,
            None,
            "substances",
            "4/5",
            None,
            "yes=0.2, no=0.8",
        ],
        ["select_one often", "drinking", "How often do you drink?", "Six or more.", None, "substances"],
        ["integer", "income", "Monthly income", None, None, "money", "2/3", "uniform", None, "400, 800, 1500"],
    ],
    "choices": [
        ["list_name", "name", "label"],
        ["yes_no", "yes", "Yes"],
        ["yes_no", "no", "No"],
        ["years", "first", "First"],
        ["years", "second", "Second"],
        ["often", "never", "Never"],
        ["often", "every week", "Every week"],
    ],
    "settings": [["form_title", "form_id", "default_language"], ["Student life", "student_life", "English (en)"]],
}


def edited(*edits: tuple[str, int, str, object]) -> Sheets:
    """The form with cells changed: sheet, row counted from 0, heading, new cell. A new heading adds its column."""
    form = copy.deepcopy(FORM)
    for sheet, row, heading, cell in edits:
        rows = form[sheet]
        if heading not in rows[0]:
            rows[0].append(heading)
        column = rows[0].index(heading)
        rows[row] += [None] * (column + 1 - len(rows[row]))
        rows[row][column] = cell
    return form


def with_rows(*rows: list[Any], at: int = 1) -> Sheets:
    """The form with more rows on the sheet survey."""
    form = copy.deepcopy(FORM)
    form["survey"][at:at] = [list(row) for row in rows]
    return form


def save_form(path: Path, sheets: Mapping[str, Sequence[Sequence[object]]]) -> Path:
    """A spreadsheet with these sheets; the first row of each heads its columns."""
    book = Workbook()
    book.remove(book.worksheets[0])
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    book.save(path)
    book.close()
    return path
