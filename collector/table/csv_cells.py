"""Protection of CSV cells that a spreadsheet would run as a formula, by an apostrophe in front of the cell.

Spreadsheets treat a cell that begins with = + - @, a tab or a carriage return as a formula, which may do anything
(OWASP, *CSV injection*). Cells with numbers, also negative numbers, need no apostrophe. When a CSV file is read, the
apostrophe in front of a cell is removed.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence

FORMULA = re.compile(r"'*[=+\-@\t\r]")
ESCAPED = re.compile(r"'+[=+\-@\t\r]")
NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def escaped(cell: str) -> str:
    """Return a cell in a form that no spreadsheet runs as a formula."""
    return f"'{cell}" if FORMULA.match(cell) and not NUMBER.fullmatch(cell) else cell


def csv_lines(rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Yield rows as lines of CSV in which no text is run as a formula by a spreadsheet."""
    for row in rows:
        line = io.StringIO(newline="")
        csv.writer(line, lineterminator="\n").writerow(escaped(each) if isinstance(each, str) else each for each in row)
        yield line.getvalue()


def unescaped(cell: str) -> str:
    """Return a cell without the apostrophe that `escaped` adds."""
    return cell[1:] if ESCAPED.match(cell) else cell
