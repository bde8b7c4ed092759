"""CSV cells that a spreadsheet would run as a formula: written with an apostrophe in front, read without it.

A cell that begins with = + - @, a tab or a carriage return is a formula to spreadsheets, and may do anything there
(OWASP, *CSV injection*). Numbers are none, negative ones included.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence

FORMULA = re.compile(r"'*[=+\-@\t\r]")
ESCAPED = re.compile(r"'+[=+\-@\t\r]")
NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def escaped(cell: str) -> str:
    """A cell that no spreadsheet runs."""
    return f"'{cell}" if FORMULA.match(cell) and not NUMBER.fullmatch(cell) else cell


def csv_lines(rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Rows as CSV, a line at a time, texts `escaped`."""
    for row in rows:
        line = io.StringIO(newline="")
        csv.writer(line, lineterminator="\n").writerow(escaped(each) if isinstance(each, str) else each for each in row)
        yield line.getvalue()


def unescaped(cell: str) -> str:
    """The cell without the mark of `escaped`; other cells, formulas among them, unchanged."""
    return cell[1:] if ESCAPED.match(cell) else cell
