"""Reading of published tables of undisguised answers, as headings and cells of text."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from io import StringIO
from itertools import count
from pathlib import Path

from collector.characters import compared
from collector.errors import ResponseError
from collector.survey.question import NAME, RESERVED
from collector.survey_file.naming import LONGEST_NAME, name_of
from collector.survey_file.text_file import LARGEST_MADE, text_of
from collector.table.cell_words import MISSING, heading_rows

SEPARATORS = (",", ";", "\t", "|")
NUMBER = re.compile(r"[-+]?((0|[1-9][0-9]{0,14})(\.[0-9]{0,22})?|\.[0-9]{1,22})([eE][-+]?[0-9]{1,2})?")
"""Numbers with up to 22 decimals, as programs write the 17 digits of a double from 0.000001 on."""
THOUSANDS = re.compile(r"[-+]?[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]+)?")
POINTS = re.compile(r"[-+]?[1-9][0-9]{0,2}(\.[0-9]{3})+,[0-9]+")
"""Numbers with points between thousands and a decimal comma."""
OTHER_FORMATS = {
    ".parquet",
    ".xlsx",
    ".xls",
    ".ods",
    ".sav",
    ".dta",
    ".rds",
    ".json",
    ".jsonl",
    ".zip",
    ".bz2",
    ".xz",
    ".arff",
}
C45 = (".data", ".test", ".train")  # suffixes of C4.5, in which a bar begins a comment and a full stop may end a row
LOOKED_AT = 100  # number of lines from which the separator is inferred


@dataclass(frozen=True)
class Reading:
    """The headings and the encoding of a table, if the table itself does not state them.

    Attributes:
        columns: Headings for a table without a header.
        encoding: Encoding of the text.
    """

    columns: tuple[str, ...] = ()
    encoding: str = "utf-8"


AS_IT_STANDS = Reading()


@dataclass(frozen=True)
class Column:
    """A column of a table, with its heading and its cells.

    Attributes:
        name: Name of the column, made from the heading so that it is valid for a question.
        heading: Heading as it is written in the table.
        cells: Text of each row.
        more: Texts of the column in further rows of headings.
    """

    name: str
    heading: str
    cells: tuple[str, ...]
    more: tuple[str, ...] = ()


def read_plain_table(path: Path, reading: Reading = AS_IT_STANDS) -> tuple[Column, ...]:
    """Return the columns of a table whose cells are separated by commas, semicolons, tabs, bars or spaces.

    Raises:
        InputError: If the file cannot be read as text.
        ResponseError: If the file is not a table of undisguised answers.
    """
    if path.suffix.lower() in OTHER_FORMATS:
        raise ResponseError(f"{path}: table", f"it is a {path.suffix} file", "save it as CSV, with a header")
    text = text_of(path, "a table", LARGEST_MADE, reading.encoding)
    try:
        return _columns(text, reading.columns, c45=path.name.lower().removesuffix(".gz").endswith(C45))
    except ResponseError as error:
        raise error.within(str(path)) from None


def plain_cell(cell: str) -> str:
    """Return a cell without surrounding spaces, in the spelling of survey files."""
    return compared(cell).strip()


class _Cells(dict[str, str]):
    """A cache of cells in the spelling of survey files, because tables repeat a few texts many times."""

    def __missing__(self, cell: str) -> str:
        plain = plain_cell(cell)
        self[cell] = self[plain] = plain = self.get(plain, plain)
        return plain


def number_text(cell: str, separator: str = ",") -> str | None:
    """Return a number in a uniform spelling, such as 32 for ``32.0``, or None if the text is not a number.

    If commas separate the cells of a table, a comma in a cell separates thousands, otherwise a comma is the decimal
    sign.
    """
    if separator == "," and THOUSANDS.fullmatch(cell):
        cell = cell.replace(",", "")
    elif separator != ",":
        plain = (cell.replace(".", "") if POINTS.fullmatch(cell) else cell).replace(",", ".")
        cell = plain if NUMBER.fullmatch(plain) else cell
    return f"{Decimal(cell).normalize() + 0:f}" if NUMBER.fullmatch(cell) else None


def _columns(text: str, given: Sequence[str], *, c45: bool) -> tuple[Column, ...]:
    lines = text.splitlines(keepends=True)
    if c45:
        lines = ["\n" if line.startswith("|") else line for line in lines]
    separator, rows = _rows(lines)
    if given:
        rows.insert(0, (0, list(given)))
    elif not rows:
        raise ResponseError("table", "the table is empty", "begin the file with a header line that names the questions")
    headings, cells = _even(rows, named=bool(given), by_r=separator in " \t")
    if c45 and cells and all(row[-1].endswith(".") for row in cells):
        cells = [[*row[:-1], row[-1][:-1]] for row in cells]
    number = 0 if given else heading_rows(cells[:LOOKED_AT])
    more = list(zip(*cells[:number], strict=True)) or [()] * len(headings)
    headings = [heading or "".join(texts[:1]) for heading, texts in zip(headings, more, strict=True)]
    cells = cells[number:]
    by_column = list(zip(*cells, strict=True)) if cells else [()] * len(headings)
    if not given:
        _check_header(headings, by_column)
    names = names_of(headings)
    numbered = (_numbers(column, separator) for column in by_column)
    return tuple(Column(*each) for each in zip(names, headings, numbered, more, strict=True))


def _rows(lines: list[str]) -> tuple[str, list[tuple[int, list[str]]]]:
    """Return the separator of a table's cells, and each row with the number of the row's last line."""
    while lines and not lines[-1].strip(" \r\n\t,;|"):
        lines.pop()
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    separator = separator_of(lines[first:])
    if separator == " ":
        lines = [
            re.sub(r'"[^"]*"| +', lambda found: found[0] if found[0][0] == '"' else "\t", each.strip(" "))
            for each in lines
        ]
    text = StringIO("".join(lines[first:]), newline="")
    reader = csv.reader(
        text, delimiter="\t" if separator == " " else separator, skipinitialspace=separator != "\t", strict=True
    )
    rows: list[tuple[int, list[str]]] = []
    texts = _Cells()
    try:
        rows.extend((first + reader.line_num, [texts[cell] for cell in row]) for row in reader)
    except csv.Error:
        place = f"line {first + reader.line_num}"
        raise ResponseError(place, "the table is not CSV", "check the quotation marks") from None
    return separator, rows


def separator_of(lines: Sequence[str]) -> str:
    """Return the most frequent separator in the header of a table.

    Spaces are the separator if the header has no other separator, and as many words as the lines below.
    """
    looked_at = [re.sub(r'"[^"]*"', "_", line) for line in lines[:LOOKED_AT]]
    header = looked_at[0] if looked_at else ""
    found = max(SEPARATORS, key=lambda each: (header.count(each), each == ","))
    words = [len(line.split()) for line in looked_at]
    even = len(words) > 1 and min(words[1:]) == max(words[1:]) > 1 and 0 <= words[1] - words[0] <= 1
    return " " if even and not header.count(found) else found


def _even(rows: list[tuple[int, list[str]]], *, named: bool, by_r: bool) -> tuple[list[str], list[list[str]]]:
    """Check that each row has as many cells as the header, and return the header and the rows.

    If each row of a table has one cell more than the header, the first cell is the row's name, as in tables written by
    R.
    """
    (_, header), *body = rows
    width, wide = len(header), {len(row) for _, row in body}
    if by_r and not named and wide == {width + 1} and any(row[-1] for _, row in body):
        return ["rownames", *header], [row for _, row in body]
    while width > 1 and not header[width - 1] and not any(any(row[width - 1 :]) for _, row in body):
        width -= 1
    even = [(line, row[:width] if len(row) > width and not any(row[width:]) else row) for line, row in body]
    for line, row in even:
        if len(row) == width:
            continue
        if named and line == even[0][0]:
            problem = f"it names {width} columns, and the first row has {len(row)} cells"
            raise ResponseError("--columns", problem, "give one name for each column")
        problem = f"it has {len(row)} cells, not {width}" if row else "it is empty"
        raise ResponseError(f"line {line}", problem, "give each line as many cells as the header has")
    return header[:width], [row for _, row in even]


def _check_header(headings: Sequence[str], by_column: Sequence[Sequence[str]]) -> None:
    """Refuse a first row that looks like the answers of a person and not like a header."""
    again = sum(heading in cells for heading, cells in zip(headings, by_column, strict=True))
    if again > len(headings) / 2:
        problem = f"it is a row and no header: {again} of its {len(headings)} cells stand in their columns again"
        raise ResponseError("line 1", problem, "name all columns, such as --columns age,sex")


def names_of(headings: Sequence[str]) -> list[str]:
    """Return a valid name for each heading of a table, with numbers at the end of names that would be equal."""
    names: list[str] = []
    for number, heading in enumerate(headings, start=1):
        fits = NAME.fullmatch(heading) and heading not in RESERVED and len(heading) <= LONGEST_NAME
        name = like = heading if fits else name_of(heading, number)
        if name in names:
            name = next(each for more in count(2) if (each := f"{like}_{more}") not in {*names, *headings})
        names.append(name)
    return names


def _numbers(cells: Sequence[str], separator: str) -> tuple[str, ...]:
    """Return the cells of a column, with numbers in a uniform spelling if all cells are numbers or empty."""
    numbers = {cell: number_text(cell, separator) for cell in set(cells) - MISSING}
    if not numbers or None in numbers.values():
        return tuple(cells)
    return tuple(numbers.get(cell) or cell for cell in cells)
