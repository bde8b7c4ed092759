"""Disguised responses as CSV and JSON lines: one column per question, values in words.

A cell holds the value that its code stands for, or the code itself, such as ``#5``, where several codes share a value.
In CSV a word that a spreadsheet would run as a formula has an apostrophe before it (`collector.table.csv_cells`).
The column ``_simulated``, in every line, says whether respondents gave the responses (`collector.table.mark`).
In a sampled survey an empty cell, or null, is a question that was not asked. Reading is all or nothing. A message names
line and column (line 1 is the header of a CSV file); it never repeats what stands there, not even in a header: a file
without one has somebody's response in its first line.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from collector.database.batch import Batch, rows_of
from collector.errors import ResponseError
from collector.store.simulated import Coins
from collector.survey.survey import Row, Survey
from collector.survey_file.text_file import lines_of
from collector.table.csv_table import read_csv, write_csv
from collector.table.json_table import read_json_lines, write_json_lines
from collector.table.mark import Mark


@dataclass(frozen=True)
class ResponseTable:
    """The content of a file of responses.

    Attributes:
        survey: The published design.
        batch: The responses, in the file's order.
        simulated: The coins of simulated responses; None if it does not say that they are.
        marked: Whether the file has the mark of an export or a simulation. One without it may hold true answers.
    """

    survey: Survey
    batch: Batch
    simulated: Coins | None
    marked: bool

    @property
    def rows(self) -> list[Row]:
        """Codes in question order, None where a question was not asked; a tuple for each response."""
        return list(rows_of(self.survey, self.batch))


def read_table(survey: Survey, path: Path, encoding: str | None = None) -> ResponseTable:
    """Read disguised responses; the format follows from the file's suffix.

    Args:
        survey: The published design.
        path: The file. Commas, semicolons or tabs separate the cells of CSV.
        encoding: Its encoding; UTF-8 if None.

    Raises:
        InputError: If the file cannot be read as text.
        ResponseError: Naming the file, line and column, and the remedy.
    """
    (read, ends), mark = READERS[format_of(path)], Mark()
    try:
        with lines_of(path, "a table", ends, encoding) as lines:
            batch = read(survey, lines, mark)
    except ResponseError as error:
        raise error.within(str(path)) from None
    return ResponseTable(survey, batch, mark.coins, mark.word is not None)


def format_of(path: Path) -> str:
    """The format that a file's suffix names: ``csv`` or ``jsonl``.

    Raises:
        ResponseError: If it names neither.
    """
    suffix = path.suffix.removeprefix(".").lower()
    if suffix not in READERS:
        raise ResponseError(str(path), "the suffix is neither .csv nor .jsonl", "rename the file after its format")
    return suffix


def write_table(survey: Survey, batches: Iterable[Batch], form: str, simulated: Coins | None = None) -> Iterator[str]:
    """Responses as text, one line or more at a time. Reading it back gives the same codes.

    Args:
        survey: The published design.
        batches: The responses.
        form: ``csv`` or ``jsonl``.
        simulated: The coins of simulated responses, to say so in every line; None if people gave them.
    """
    return WRITERS[form](survey, batches, simulated)


READERS: dict[str, tuple[Callable[[Survey, Iterator[str], Mark], Batch], str]] = {
    "csv": (read_csv, ""),
    "jsonl": (read_json_lines, "\n"),  # JSON text may hold other separators
}
"""How a format is read, and what ends its lines."""
WRITERS: dict[str, Callable[[Survey, Iterable[Batch], Coins | None], Iterator[str]]] = {
    "csv": write_csv,
    "jsonl": write_json_lines,
}
