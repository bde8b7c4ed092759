"""Reading and writing of disguised responses as JSON lines."""

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from collector.database.batch import Batch, batch_from
from collector.errors import ResponseError
from collector.store.simulated import MARK, Coins
from collector.survey.survey import Row, Survey
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


def read_json_lines(survey: Survey, lines: Iterator[str], mark: Mark, recoding: Recoding) -> tuple[Batch, int]:
    """Return the responses of a file of JSON lines, and the number of lines without a required answer.

    Raises:
        ResponseError: If a value is not valid.
    """
    left_out: list[int] = []
    batch = batch_from(survey, _json_rows(survey, lines, mark, words_of(survey, recoding), left_out))
    return batch, len(left_out)


def _json_rows(
    survey: Survey, lines: Iterator[str], mark: Mark, words: Mapping[str, Words], left_out: list[int]
) -> Iterator[Row]:
    """Yield the response in each line of JSON, and count the lines that are left out."""
    absent = no_answers(survey, words)
    for line, written in enumerate(lines, start=1):
        cells = _json_cells(written.removesuffix("\n"), line)
        mark.take(cells.pop(MARK, None), line)
        if cells.keys() - words.keys():
            remedy = f"use these names only: {', '.join(words)}"
            raise ResponseError(f"line {line}", "a name is not the name of a question", remedy)
        cells = {name: _word(words[name], cell) for name, cell in cells.items()}
        if any(cells.get(name) in some for name, some in absent.items()):
            left_out.append(line)
            continue
        yield asked(survey, (_json_cell(survey, words, name, cells, line) for name in words), line)


def _json_cells(written: str, line: int) -> dict[str, Any]:
    try:
        pairs = json.loads(written, object_pairs_hook=_Pairs)
    except (ValueError, RecursionError):
        raise ResponseError(
            f"line {line}", "the line is not JSON", "write one object on each line, and nothing else"
        ) from None
    if not isinstance(pairs, _Pairs):
        raise ResponseError(
            f"line {line}", "the line is not a JSON object", 'write an object such as {"question": "value"}'
        )
    if len(dict(pairs)) < len(pairs):
        raise ResponseError(f"line {line}", "a name occurs twice", "remove one of the two entries")
    return dict(pairs)


class _Pairs(list[tuple[str, Any]]):
    """The keys and values of a JSON object as written, including repeated keys."""


def _json_cell(
    survey: Survey, words: Mapping[str, Words], name: str, cells: Mapping[str, object], line: int
) -> int | None:
    found = cells.get(name)
    meant = words[name].meant(found) if isinstance(found, str) else found
    if survey.may_miss(name) and (meant is None or (words[name].recoded and not meant)):
        return None
    if name not in cells:
        raise ResponseError(place(line, name), "the value is missing", "give every question a value")
    return code_at(words[name], meant, place(line, name))


def _word(words: Words, cell: object) -> object:
    """Return a JSON value as text for recoding, or a number as text, with null as the empty text."""
    if isinstance(cell, str) or not (words.recoded or type(cell) in {int, float}):
        return cell
    return "" if cell is None else json.dumps(cell)


def write_json_lines(survey: Survey, batches: Iterable[Batch], simulated: Coins | None) -> Iterator[str]:
    """Yield responses as JSON lines, many lines at a time."""
    members = [json.dumps(name, ensure_ascii=False) + ": " for name in names_of(survey)]
    written = partial(json.dumps, ensure_ascii=False)
    for columns in written_columns(survey, batches, simulated, written):
        named = (map(member.__add__, column) for member, column in zip(members, columns, strict=True))
        yield "".join(f"{{{', '.join(cells)}}}\n" for cells in zip(*named, strict=True))
