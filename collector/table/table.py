"""Disguised responses as CSV and JSON lines: one column per question, values in words.

A cell holds the value that its code stands for, or the code itself, such as ``#5``, where several codes share a value.
In CSV a word that a spreadsheet would run as a formula has an apostrophe before it (`collector.table.csv_cells`).
The column ``_simulated``, in every line, says that no respondent gave the responses (`collector.table.mark`).
In a sampled survey an empty cell, or null, is a question that was not asked. Reading is all or nothing. A message names
line and column (line 1 is the header of a CSV file); it never repeats what stands there, not even in a header: a file
without one has somebody's response in its first line.
"""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

from collector.errors import ResponseError
from collector.store.simulated import MARK, Coins
from collector.survey.survey import Row, Survey
from collector.survey_file.text_file import text_of
from collector.table.csv_cells import escaped, unescaped
from collector.table.mark import Mark
from collector.table.words import Words, words_of

AT_ONCE = 2**12  # responses that are written together


@dataclass(frozen=True)
class Table:
    """What a file holds.

    Attributes:
        rows: Codes in question order, None where a question was not asked; a tuple for each response, in the file's
            order.
        simulated: The coins of simulated responses; None if it does not say that they are.
    """

    rows: list[Row]
    simulated: Coins | None


def read_table(survey: Survey, path: Path) -> Table:
    """Read disguised responses; the format follows from the file's suffix.

    Raises:
        InputError: If the file cannot be read as text.
        ResponseError: Naming the file, line and column, and the remedy.
    """
    read, text, mark = READERS[format_of(path)], text_of(path, "a table"), Mark()
    try:
        return Table(list(read(survey, text, mark)), mark.coins)
    except ResponseError as error:
        raise error.within(str(path)) from None


def format_of(path: Path) -> str:
    """The format that a file's suffix names: ``csv`` or ``jsonl``.

    Raises:
        ResponseError: If it names neither.
    """
    suffix = path.suffix.removeprefix(".").lower()
    if suffix not in READERS:
        raise ResponseError(str(path), "the suffix is neither .csv nor .jsonl", "rename the file after its format")
    return suffix


def write_table(survey: Survey, rows: Iterable[Row], form: str, simulated: Coins | None = None) -> Iterator[str]:
    """Responses as text, one line or more at a time. Reading it back gives the same codes.

    Args:
        survey: The published design.
        rows: Codes in question order.
        form: ``csv`` or ``jsonl``.
        simulated: The coins of simulated responses, to say so in every line.
    """
    return WRITERS[form](survey, rows, simulated)


def _read_csv(survey: Survey, text: str, mark: Mark) -> Iterator[Row]:
    lines = _csv_lines(text)
    _, header = next(lines, (1, []))
    columns, words = _columns(survey, header), words_of(survey)
    for line, cells in lines:
        if len(cells) != len(columns):
            problem = f"it has {len(cells)} cells, not {len(columns)}" if cells else "it is empty"
            raise ResponseError(f"line {line}", problem, "give each question one cell, quoted if it has a comma")
        by_name = dict(zip(columns, map(unescaped, cells), strict=True))
        mark.take(by_name.get(MARK), line)
        yield _asked(survey, (_cell(survey, words, name, by_name[name], line) for name in words), line)


def _csv_lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """Each record with the number of the line it begins on."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    line = 1
    try:
        for cells in reader:
            yield line, cells
            line = reader.line_num + 1
    except csv.Error:
        remedy = "check its quotation marks; one that belongs to a value is written twice"
        raise ResponseError(f"line {line}", "it is not CSV", remedy) from None


def _columns(survey: Survey, header: Sequence[str]) -> Sequence[str]:
    """The header, once it names every question once, and nothing else but the mark of simulated responses."""
    names = [question.name for question in survey.questions]
    remedy = f"name the columns: {','.join(names)}"
    if not header:
        raise ResponseError("line 1", "there is no header", remedy)
    if len(header) == 1 < len(names) and any(mark in header[0] for mark in ";\t|"):
        raise ResponseError("line 1", "no comma separates the columns", "save the file with commas")
    for number, name in enumerate(header, start=1):
        if name not in {*names, MARK}:
            raise ResponseError(f"line 1, column {number}", "it has not the name of a question", remedy)
        if header.index(name) < number - 1:
            raise ResponseError(f'line 1, column "{name}"', "it is there twice", "drop one")
    for name in names:
        if name not in header:
            raise ResponseError(f'line 1, column "{name}"', "it is missing", remedy)
    return header


def _asked(survey: Survey, codes: Iterable[int | None], line: int) -> Row:
    """One response, once it has as many codes as one respondent is asked for."""
    row = tuple(codes)
    try:
        survey.check_count(row)
    except ResponseError as error:
        raise error.within(f"line {line}") from None
    return row


def _cell(survey: Survey, words: Mapping[str, Words], name: str, word: str, line: int) -> int | None:
    return None if not word and survey.may_miss(name) else _code(words[name], word, _place(line, name))


def _place(line: int, name: str) -> str:
    return f'line {line}, column "{name}"'


def _code(words: Words, found: object, place: str) -> int:
    code = words.code_of(found) if isinstance(found, str) else None
    if code is None:
        problem, remedy = words.problem_with(found)
        raise ResponseError(place, problem, remedy)
    return code


def _read_json_lines(survey: Survey, text: str, mark: Mark) -> Iterator[Row]:
    lines = text.split("\n")  # not splitlines: JSON text may hold other separators
    if not lines[-1]:
        lines.pop()
    words = words_of(survey)
    for line, written in enumerate(lines, start=1):
        cells = _json_cells(written, line)
        mark.take(cells.pop(MARK, None), line)
        if cells.keys() - words.keys():
            remedy = f"use these names only: {', '.join(words)}"
            raise ResponseError(f"line {line}", "there is a name that is no question", remedy)
        yield _asked(survey, (_json_cell(survey, words, name, cells, line) for name in words), line)


def _json_cells(written: str, line: int) -> dict[str, Any]:
    try:
        pairs = json.loads(written, object_pairs_hook=_Pairs)
    except (ValueError, RecursionError):
        raise ResponseError(
            f"line {line}", "it is not JSON", "write one object on each line, and nothing else"
        ) from None
    if not isinstance(pairs, _Pairs):
        raise ResponseError(f"line {line}", "it is not a JSON object", 'write one, such as {"question": "value"}')
    if len(dict(pairs)) < len(pairs):
        raise ResponseError(f"line {line}", "a name is there twice", "drop one")
    return dict(pairs)


class _Pairs(list[tuple[str, Any]]):
    """The members of a JSON object as they are written, repeated ones included."""


def _json_cell(
    survey: Survey, words: Mapping[str, Words], name: str, cells: Mapping[str, object], line: int
) -> int | None:
    if survey.may_miss(name) and cells.get(name) is None:
        return None
    if name not in cells:
        raise ResponseError(_place(line, name), "it is missing", "give every question a value")
    return _code(words[name], cells[name], _place(line, name))


def _write_csv(survey: Survey, rows: Iterable[Row], simulated: Coins | None) -> Iterator[str]:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    header: Iterator[Sequence[str | None]] = iter([_names(survey, simulated)])
    for lines in chain([header], _words(survey, rows, simulated, escaped)):
        writer.writerows(lines)
        yield text.getvalue()
        text.seek(0)
        text.truncate()


def _write_json_lines(survey: Survey, rows: Iterable[Row], simulated: Coins | None) -> Iterator[str]:
    names = _names(survey, simulated)
    for words in chain.from_iterable(_words(survey, rows, simulated)):
        yield json.dumps(dict(zip(names, words, strict=True)), ensure_ascii=False) + "\n"


def _names(survey: Survey, simulated: Coins | None) -> list[str]:
    return [*(question.name for question in survey.questions), *([MARK] if simulated else [])]


def _words(
    survey: Survey, rows: Iterable[Row], simulated: Coins | None, written: Callable[[str], str] = str
) -> Iterator[Iterator[Sequence[str | None]]]:
    """The words of responses, many at a time: column by column, which is much faster than row by row."""
    words = [_Remembered(each, written) for each in words_of(survey).values()]
    left = iter(rows)
    while some := list(islice(left, AT_ONCE)):
        columns = zip(*some, strict=True)
        told = (map(each.__getitem__, column) for each, column in zip(words, columns, strict=True))
        yield zip(*told, *([[str(simulated)] * len(some)] if simulated else []), strict=True)


class _Remembered(dict[int | None, str | None]):
    """The words of one column, by code; none where a question was not asked."""

    def __init__(self, words: Words, written: Callable[[str], str]) -> None:
        super().__init__({None: None})
        self._words = words
        self._written = written

    def __missing__(self, code: int) -> str:
        self[code] = word = self._written(self._words.word_of(code))
        return word


READERS: dict[str, Callable[[Survey, str, Mark], Iterator[Row]]] = {"csv": _read_csv, "jsonl": _read_json_lines}
WRITERS: dict[str, Callable[[Survey, Iterable[Row], Coins | None], Iterator[str]]] = {
    "csv": _write_csv,
    "jsonl": _write_json_lines,
}
