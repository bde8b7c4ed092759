"""Reading of large tables of undisguised answers in blocks, if all rows have as many cells as the header.

Tables with uneven rows or errors are read by `collector.table.plain_table`, which explains errors.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import chain, islice
from pathlib import Path
from typing import Any

from collector.database.batch import AT_ONCE
from collector.survey_file.text_file import MARK
from collector.table.cell_words import heading_rows
from collector.table.plain_table import C45, LOOKED_AT, OTHER_FORMATS, Reading, names_of, plain_cell, separator_of

PACKED = ".gz"
BLANK = " \r\n\t,;|"


class UnevenError(Exception):
    """The error for a table that must be read by `collector.table.plain_table`."""


class EvenTable:
    """The reader of a table whose rows have equally many cells, which reads the table once.

    Args:
        lines: Lines of the table.
        reading: Headings for a table without a header.

    Attributes:
        separator: Separator of the cells.
        names: Name of each column.

    Raises:
        UnevenError: If the rows of the table have different numbers of cells.
    """

    def __init__(self, lines: Iterator[str], reading: Reading) -> None:
        looked_at = list(islice(lines, LOOKED_AT))
        if not looked_at or len(looked_at[0].splitlines()) != 1 or not looked_at[0].strip():
            raise UnevenError
        looked_at[0] = looked_at[0].removeprefix(MARK)
        self.separator = separator_of(looked_at)
        if self.separator not in looked_at[0] or self.separator == " ":
            raise UnevenError
        self._format: Any = {"delimiter": self.separator, "skipinitialspace": self.separator != "\t", "strict": True}
        if not reading.columns and heading_rows(self._rows_below(looked_at)):
            raise UnevenError
        text = chain(looked_at, lines)
        self._records = csv.reader(text, **self._format)
        self._given = bool(reading.columns)
        self._headings = list(reading.columns) or [plain_cell(cell) for cell in next(self._records)]
        self.names = names_of(self._headings)
        if not self._headings[-1] or len(set(self._headings)) < len(self._headings):
            raise UnevenError

    def _rows_below(self, lines: list[str]) -> list[list[str]]:
        """Return the rows in some lines of the table, without the header."""
        rows: list[list[str]] = []
        with suppress(csv.Error):
            rows.extend([plain_cell(cell) for cell in row] for row in csv.reader(lines, **self._format))
        return rows[1:]

    def blocks(self) -> Iterator[list[tuple[str, ...]]]:
        """Yield the columns of some rows of the table at a time.

        Raises:
            UnevenError: If the rows of the table have different numbers of cells, perhaps after some blocks were
                yielded.
        """
        again, last = [False] * len(self._headings), self._headings
        while records := list(islice(self._records, AT_ONCE)):
            columns = list(zip(*records, strict=True))
            if len(columns) != len(self._headings):
                raise UnevenError
            again = [
                found or heading in column
                for found, heading, column in zip(again, self._headings, columns, strict=True)
            ]
            last = records[-1]
            yield columns
        if not "".join(last).strip(BLANK) or (not self._given and sum(again) > len(again) / 2):
            raise UnevenError


@contextmanager
def even_table(path: Path, reading: Reading) -> Iterator[EvenTable]:
    """Open a table whose rows have equal numbers of cells while the block runs.

    Raises:
        UnevenError: If the rows of the table have different numbers of cells.
    """
    if not path.is_file() or path.name.lower().endswith((*OTHER_FORMATS, *C45, PACKED)):
        raise UnevenError
    with path.open(encoding=reading.encoding, newline="") as lines:
        yield EvenTable(lines, reading)
