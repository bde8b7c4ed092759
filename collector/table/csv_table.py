"""Reading and writing of disguised responses as CSV."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from collector.characters import compared
from collector.database.batch import ABSENT, AT_ONCE, FIRST, Batch, Filling
from collector.errors import ResponseError
from collector.store.simulated import MARK, Coins
from collector.survey.survey import Survey
from collector.table.csv_cells import escaped, unescaped
from collector.table.mark import Mark
from collector.table.words import (
    Recoding,
    Words,
    asked,
    code_at,
    names_of,
    no_answers,
    place,
    words_of,
    written_columns,
)

SEPARATORS = ",;\t"
"""Separators of cells. Excel writes semicolons in countries with a decimal comma."""


def read_csv(survey: Survey, lines: Iterator[str], mark: Mark, recoding: Recoding) -> tuple[Batch, int]:
    """Return the responses of a CSV file, and the number of rows without a required answer, which are left out.

    Raises:
        ResponseError: If a cell is not valid.
    """
    first = next(lines, "")
    separator = max(SEPARATORS, key=first.count)
    reader = csv.reader(chain([first] if first else [], lines), strict=True, delimiter=separator)
    header, broken = _records(reader, 1)
    if broken:
        raise _no_csv(1)
    named = _without_blank_end([compared(each) for each in header[0]]) if header else []
    body = _Body(survey, _columns(survey, named), mark, recoding)
    records = header
    while records and not broken:
        line = reader.line_num + 1
        records, broken = _records(reader, AT_ONCE)
        body.add(records, line)
        if broken:
            raise _no_csv(line + len(records))  # a response takes one line: values do
    return body.filling.batch, body.left_out


def _records(reader: Iterator[list[str]], most: int) -> tuple[list[list[str]], bool]:
    """Return the next records of a CSV file, and whether a faulty record follows."""
    records: list[list[str]] = []
    try:
        records.extend(islice(reader, most))
    except csv.Error:
        return records, True
    return records, False


def _without_blank_end(cells: Sequence[str], least: int = 0) -> Sequence[str]:
    """Return cells without the empty cells at their end, but at least some number of cells."""
    end = len(cells)
    while end > least and not cells[end - 1].strip():
        end -= 1
    return cells[:end]


def _no_csv(line: int) -> ResponseError:
    remedy = "check its quotation marks; one that belongs to a value is written twice"
    return ResponseError(f"line {line}", "the file is not CSV", remedy)


class _Meanings(dict[str, int]):
    """The codes that the cells of a column stand for, computed once for each text."""

    def __init__(self, words: Words, *, may_miss: bool) -> None:
        super().__init__({"": ABSENT} if may_miss else {})
        self._words, self._may_miss = words, may_miss

    def __missing__(self, cell: str) -> int:
        word = self._words.meant(unescaped(cell))
        code = self._words.code_of(word)
        if code is None and (word or not self._may_miss):
            raise KeyError
        self[cell] = number = ABSENT if code is None else code + FIRST
        return number


class _Body:
    """The reader of the rows below the header of a CSV file."""

    def __init__(self, survey: Survey, columns: Sequence[str], mark: Mark, recoding: Recoding) -> None:
        words = words_of(survey, recoding)
        self._survey, self._columns, self._mark, self._words = survey, columns, mark, words
        self._no_answers = {columns.index(name): some for name, some in no_answers(survey, words).items()}
        self._required = not all(survey.may_miss(name) for name in words)
        self.left_out = 0
        meanings = [_Meanings(each, may_miss=survey.may_miss(name)) for name, each in words.items()]
        self.filling = Filling(survey, meanings)

    def add(self, records: Sequence[Sequence[str]], line: int) -> None:
        """Add the responses in some records of the CSV file.

        Raises:
            ResponseError: If a cell is not valid.
        """
        records = [_without_blank_end(each, len(self._columns)) for each in records]
        filled = [each for each in records if not self._is_blank(each)]
        kept = [each for each in filled if self._is_kept(each)] if self._no_answers else filled
        self.left_out += len(filled) - len(kept)
        if not kept:
            return
        try:
            cells = dict(zip(self._columns, zip(*kept, strict=True), strict=True))
            (mark,) = {unescaped(each) for each in set(cells[MARK])} if MARK in cells else {None}
            self.filling.add([cells[name] for name in self._words])
        except (KeyError, ValueError):
            self._check(records, line)  # one of them is no response: which, and why
            raise
        self._mark.take(mark, line)

    def _is_blank(self, cells: Sequence[str]) -> bool:
        """Return whether a row is empty, as Excel writes below a table, and cannot be a response without answers."""
        return not cells or (self._required and not any(map(str.strip, cells)))

    def _is_kept(self, cells: Sequence[str]) -> bool:
        """Return whether a row is not left out for lack of a required answer."""
        return len(cells) != len(self._columns) or not any(
            unescaped(cells[at]).strip() in some for at, some in self._no_answers.items()
        )

    def _check(self, records: Sequence[Sequence[str]], first: int) -> None:
        for line, cells in enumerate(records, start=first):
            if self._is_blank(cells) or not self._is_kept(cells):
                continue
            if len(cells) != len(self._columns):
                problem = f"it has {len(cells)} cells, not {len(self._columns)}" if cells else "it is empty"
                raise ResponseError(
                    f"line {line}",
                    problem,
                    "write one cell for each question, in quotation marks if it contains a comma",
                )
            by_name = dict(zip(self._columns, map(unescaped, cells), strict=True))
            self._mark.take(by_name.get(MARK), line)
            asked(self._survey, (self._code(name, by_name[name], line) for name in self._words), line)

    def _code(self, name: str, word: str, line: int) -> int | None:
        meant = self._words[name].meant(word)
        missing = not meant and self._survey.may_miss(name)
        return None if missing else code_at(self._words[name], meant, place(line, name))


def _columns(survey: Survey, header: Sequence[str]) -> Sequence[str]:
    """Return the header of a CSV file after checking that it names each question once."""
    names = [question.name for question in survey.questions]
    remedy = f"name the columns: {','.join(names)}"
    if not header:
        raise ResponseError("line 1", "the file has no header line", remedy)
    if len(header) == 1 < len(names) and "|" in header[0]:
        problem = "neither commas, semicolons nor tabs separate the columns"
        raise ResponseError("line 1", problem, "save the file with commas")
    for number, name in enumerate(header, start=1):
        if name not in {*names, MARK}:
            raise ResponseError(f"line 1, column {number}", "the column is not named after a question", remedy)
        if header.index(name) < number - 1:
            raise ResponseError(
                f'line 1, column "{name}"', "the column is there twice", "remove one of the two columns"
            )
    for name in names:
        if name not in header:
            raise ResponseError(f'line 1, column "{name}"', "the column is missing", remedy)
    return header


def write_csv(survey: Survey, batches: Iterable[Batch], simulated: Coins | None) -> Iterator[str]:
    """Yield responses as CSV text of many lines at a time."""
    yield _csv_line(names_of(survey))
    for columns in written_columns(survey, batches, simulated, _csv_cell):
        yield "\n".join([*map(",".join, zip(*columns, strict=True)), ""])


def _csv_line(cells: Sequence[str | None]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue()


def _csv_cell(word: str | None) -> str:
    """Return a word as a CSV cell that no spreadsheet runs as a formula."""
    return _csv_line([None if word is None else escaped(word), None]).removesuffix(",\n")
