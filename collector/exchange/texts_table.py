"""Tables of texts for translators (CSV or XLSX), with a row for each text and a column for each language."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from collector.characters import shown
from collector.errors import SurveyError
from collector.exchange.texts_file import MOST_ROWS, sheet_rows, texts_below
from collector.survey_file.text_file import text_of
from collector.table.csv_cells import csv_lines, unescaped
from collector.table.plain_table import separator_of

PLACE = "place"
MOST_COLUMNS = 100
MARK = "\ufeff"
"""Byte order mark, by which Excel recognises UTF-8."""
Rows = Iterable[Sequence[str]]


@dataclass(frozen=True)
class TableRow:
    """A row of a table of texts.

    Attributes:
        line: Place of the row in the file, in words.
        place: Place of the text in the survey.
        texts: Text for each language that has a column, which may be empty.
    """

    line: str
    place: str
    texts: dict[str, str]


def text_table(rows: Rows, suffix: str) -> bytes:
    """Return a table as CSV (``.csv``, with a byte order mark) or XLSX (``.xlsx``).

    Args:
        rows: Rows of the table, the heading first.
        suffix: Suffix of the file to write.
    """
    return text_sheet(rows) if suffix == ".xlsx" else (MARK + "".join(csv_lines(rows))).encode()


def text_sheet(rows: Rows) -> bytes:
    """Return a table as XLSX in which every cell is text, and no cell is a formula."""
    from openpyxl import Workbook  # noqa: PLC0415 - an extra

    book = Workbook()
    sheet = book.active
    for row, texts in enumerate(rows, start=1):
        for column, text in enumerate(texts, start=1):
            cell = sheet.cell(row, column, text or None)
            cell.data_type = "s" if text else cell.data_type
    stream = BytesIO()
    book.save(stream)
    return stream.getvalue()


def read_text_table(path: Path, languages: Sequence[str]) -> list[TableRow]:
    """Return the rows of a file of texts, in the spelling of survey files.

    Args:
        path: Path of the file, whose suffix states the format (CSV or XLSX).
        languages: Languages of the survey, the default language first.

    Raises:
        InputError: If the file cannot be read as text.
        SurveyError: If the file is not a table of texts.
    """
    is_sheet = path.suffix.lower() == ".xlsx"
    heading, rows = _sheet(path) if is_sheet else _csv(path)
    _check_heading(path, heading, languages)
    found: dict[str, TableRow] = {}
    for line, cells in rows:
        texts = {name: shown(cell.replace("\r\n", "\n")).strip() for name, cell in zip(heading, cells, strict=True)}
        place = texts.pop(PLACE)
        if place in found:
            problem = f"{place} is there twice, first in {found[place].line}"
            raise SurveyError(f"{path}: {line}", problem, "keep one of the two rows")
        if place:
            found[place] = TableRow(line, place, texts)
        elif any(texts.values()):
            raise SurveyError(
                f"{path}: {line}",
                "the row contains a text, but its first column is empty",
                "translate a table that was exported from this survey",
            )
    return list(found.values())


def _check_heading(path: Path, heading: Sequence[str], languages: Sequence[str]) -> None:
    first = languages[0]
    if PLACE not in heading or first not in heading:
        problem = f'its first row does not name the columns "{PLACE}" and "{first}"'
        raise SurveyError(str(path), problem, "translate a table that was exported from this survey")
    for name in heading:
        if heading.count(name) > 1:
            raise SurveyError(str(path), f'it has two columns "{name}"', "keep one of the two columns")
        if name not in {PLACE, *languages}:
            problem = f'its column "{name}" is no language of the survey'
            raise SurveyError(str(path), problem, "add the language to the survey first, or remove the column")


def _sheet(path: Path) -> tuple[list[str], Iterator[tuple[str, list[str]]]]:
    rows = sheet_rows(path, MOST_COLUMNS)
    names = ["" if cell.value is None else str(cell.value).strip() for cell in rows[0]] if rows else []
    width = next((at for at in range(len(names), 0, -1) if names[at - 1]), 0)
    filled = [row[:width] for row in rows if any(cell.value is not None for cell in row[:width])]
    below = ((line, texts + [""] * (width - len(texts))) for line, texts in texts_below(path, filled))
    return names[:width], below


def _csv(path: Path) -> tuple[list[str], Iterator[tuple[str, list[str]]]]:
    text = text_of(path, "a CSV file")
    separator = separator_of(text.splitlines())
    records = csv.reader(text.splitlines(keepends=True), delimiter="," if separator == " " else separator, strict=True)
    found: list[tuple[str, list[str]]] = []
    try:
        found.extend(
            (f"line {records.line_num}", [unescaped(cell) for cell in cells]) for cells in records if any(cells)
        )
    except csv.Error as error:
        line = f"{path}: line {records.line_num}"
        raise SurveyError(
            line, f"the table is not valid CSV ({error})", "save the table as CSV or XLSX again"
        ) from None
    if len(found) > MOST_ROWS:
        raise SurveyError(
            str(path), f"it has more than {MOST_ROWS:,} rows", "translate a table that was exported from this survey"
        )
    heading = [cell.strip() for cell in found[0][1]] if found else []
    for line, cells in found[1:]:
        if len(cells) != len(heading):
            problem = f"it has {len(cells)} cells, and the first row {len(heading)}"
            raise SurveyError(f"{path}: {line}", problem, "save the table as CSV or XLSX again")
    return heading, iter(found[1:])
