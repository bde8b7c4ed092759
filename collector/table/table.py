"""Reading and writing of disguised responses as CSV and JSON lines, with a column per question.

A cell holds the value of a code, or the code itself (such as ``#5``) if several codes stand for the value. In CSV, an
apostrophe protects words that a spreadsheet would run as a formula (see `collector.table.csv_cells`). The column
``_simulated`` states whether responses are simulated (see `collector.table.mark`).

In a split questionnaire, an empty cell or null stands for a question that was not asked. Errors about a file name the
line and the column. Errors never repeat the content of the file, because it may be somebody's response.
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
from collector.table.words import NOTHING, Recoding


@dataclass(frozen=True)
class ResponseTable:
    """The content of a file of responses.

    Attributes:
        survey: Published design.
        batch: Responses in the order of the file.
        simulated: How the coins of simulated responses were drawn, or None if the file marks no responses as simulated.
        marked: Whether the file has the column ``_simulated``, without which it may contain true answers.
        left_out: Number of rows that are left out because a required answer is missing.
    """

    survey: Survey
    batch: Batch
    simulated: Coins | None
    marked: bool
    left_out: int = 0

    @property
    def rows(self) -> list[Row]:
        """The codes of each response in question order, with None for questions that were not asked."""
        return list(rows_of(self.survey, self.batch))


def read_table(survey: Survey, path: Path, encoding: str | None = None, recoding: Recoding = NOTHING) -> ResponseTable:
    """Return the disguised responses in a file whose suffix states the format.

    Args:
        survey: Published design.
        path: Path of the file.
        encoding: Encoding of the file, or None for UTF-8.
        recoding: Value that each word of the file stands for, by question.

    Raises:
        InputError: If the file cannot be read as text.
        ResponseError: If a response is not valid.
    """
    (read, ends), mark = READERS[format_of(path)], Mark()
    try:
        with lines_of(path, "a table", ends, encoding) as lines:
            batch, left_out = read(survey, lines, mark, recoding)
    except ResponseError as error:
        raise error.within(str(path)) from None
    return ResponseTable(survey, batch, mark.coins, mark.word is not None, left_out)


def format_of(path: Path) -> str:
    """Return the format (``csv`` or ``jsonl``) according to a file's suffix.

    Raises:
        ResponseError: If the suffix is neither ``.csv`` nor ``.jsonl``.
    """
    suffix = path.suffix.removeprefix(".").lower()
    if suffix not in READERS:
        raise ResponseError(
            str(path), "the file name ends neither in .csv nor in .jsonl", "choose a name that ends in .csv or .jsonl"
        )
    return suffix


def write_table(survey: Survey, batches: Iterable[Batch], form: str, simulated: Coins | None = None) -> Iterator[str]:
    """Yield the text of a file of responses, one or more lines at a time.

    Args:
        survey: Published design.
        batches: Responses to write.
        form: Format, ``csv`` or ``jsonl``.
        simulated: How the coins of simulated responses were drawn, for each line's mark, or None for responses of
            people.
    """
    return WRITERS[form](survey, batches, simulated)


READERS: dict[str, tuple[Callable[[Survey, Iterator[str], Mark, Recoding], tuple[Batch, int]], str]] = {
    "csv": (read_csv, ""),
    "jsonl": (read_json_lines, "\n"),  # JSON text may hold other separators
}
"""The reader of each format, and the end of its lines."""
WRITERS: dict[str, Callable[[Survey, Iterable[Batch], Coins | None], Iterator[str]]] = {
    "csv": write_csv,
    "jsonl": write_json_lines,
}
