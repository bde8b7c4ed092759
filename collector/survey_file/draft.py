"""Draft a survey file from a table of plain answers; people then confirm it question by question.

A survey that releases are made from is public, and so are its domains: a value, a cut point or the number of values
that was read off the data discloses something about whoever is in them. Every question of a draft therefore says
``confirmed = false``, which no reader of survey files accepts: somebody has to compare it with what is publicly known
(the questionnaire, the code book), mend it, and say so.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from io import StringIO
from pathlib import Path

from collector.errors import ResponseError
from collector.survey.question import CODE_MARK, MOST_VALUES, NAME, RESERVED, YES_NO, check_name
from collector.survey_file.survey_file import parse_survey
from collector.survey_file.survey_toml import table_lines
from collector.survey_file.text_file import text_of

NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?")
UNCONFIRMED, CONFIRMED = "\nconfirmed = false\n", "\nconfirmed = true\n"
FEW_NUMBERS = 10  # that many different numbers or fewer are a scale
HEADING = (
    "# Drafted from a table: every domain below was read off the data, which are not public.",
    "# Compare each question with what is publicly known (questionnaire, code book), mend its values or cuts, and only",
    "# then say confirmed = true. Until all of them are confirmed nothing can be published, trained or released.",
)


@dataclass(frozen=True)
class Draft:
    """A survey file to be.

    Attributes:
        text: The file.
        questions: Names, in the table's order.
        left_out: Columns whose texts are too many to be values, such as names and numbers of people.
    """

    text: str
    questions: tuple[str, ...]
    left_out: tuple[str, ...]


def draft_survey(path: Path, target: str) -> Draft:
    """Draft a survey from a CSV file with a header.

    Args:
        path: The table; a row for each person, a column for each question.
        target: The class: the name of a column.

    Raises:
        InputError: If the file cannot be read as text.
        ResponseError: If it is no such table, naming file, line and column; never what stands there.
        SurveyError: If its texts are no values, such as texts of over 1,000 characters.
    """
    try:
        columns = _columns(_rows(path))
        kinds = {name: _question(name, Counter(cells)) for name, cells in columns.items()}
        left_out = tuple(name for name, question in kinds.items() if question is None)
        _check_target(kinds, target)
    except ResponseError as error:
        raise error.within(str(path)) from None
    questions = {name: question for name, question in kinds.items() if question is not None}
    name = _survey_name(path.stem)
    lines = [*HEADING, "", *_head(name), *_question_lines(questions), "", "[mining]", *table_lines({"target": target})]
    text = "\n".join([*lines, ""])
    parse_survey(text.replace(UNCONFIRMED, CONFIRMED))  # what is drafted can be used once it is confirmed
    return Draft(text, tuple(questions), left_out)


def _rows(path: Path) -> list[list[str]]:
    if path.suffix.lower() != ".csv":
        raise ResponseError("table", "its suffix is not .csv", "save it as CSV, with a header")
    text = text_of(path, "a table")
    try:
        rows = [[cell.strip() for cell in row] for row in csv.reader(StringIO(text, newline=""), strict=True)]
    except csv.Error:
        raise ResponseError("table", "it is not CSV", "check its quotation marks") from None
    if len(rows) < len(("header", "row")):
        raise ResponseError("table", "it has no header or no rows", "begin with a header that names the columns")
    return rows


def _columns(rows: list[list[str]]) -> dict[str, tuple[str, ...]]:
    """The columns by name, once they are known to have names and a word in every cell."""
    header = rows[0]
    for number, name in enumerate(header, start=1):
        if not NAME.fullmatch(name) or name in RESERVED:
            problem = "its name is not [a-z][a-z0-9_]*, or is id, and, in"
            raise ResponseError(f"line 1, column {number}", problem, f"rename it in the table, such as column_{number}")
        if header.index(name) < number - 1:
            raise ResponseError(f'line 1, column "{name}"', "it is there twice", "drop one")
    for line, row in enumerate(rows[1:], start=2):
        if len(row) != len(header):
            raise ResponseError(f"row {line}", f"it has {len(row)} cells, not {len(header)}", "give each column a cell")
        if "" in row:
            place = f'row {line}, column "{header[row.index("")]}"'
            raise ResponseError(place, "the cell is empty", "write a word for it, such as unknown")
    return dict(zip(header, zip(*rows[1:], strict=True), strict=True))


def _question(name: str, counts: Counter[str]) -> dict[str, object] | None:
    """A question that has these answers; None if there is none."""
    start: dict[str, object] = {"name": name, "label": name.replace("_", " ").capitalize() + "?"}
    end = {"sensitive": False, "confirmed": False}
    kind: dict[str, object] | None = None
    if all(NUMBER.fullmatch(cell) for cell in counts):
        kind = _scale(counts) if 1 < len(counts) <= FEW_NUMBERS else _number(counts)
    elif set(counts) <= set(YES_NO):
        kind = {"kind": "yes_no"}
    elif 1 < len(counts) <= MOST_VALUES and not any(cell.startswith(CODE_MARK) for cell in counts):
        kind = {"kind": "choice", "values": sorted(counts)}
    return None if kind is None else start | kind | end


def _scale(counts: Counter[str]) -> dict[str, object]:
    return {"kind": "scale", "values": sorted(counts, key=Decimal)}


def _number(counts: Counter[str]) -> dict[str, object] | None:
    """Cut at the quartiles, each once, above the least number."""
    numbers = sorted(Decimal(cell) for cell in counts.elements())
    quartiles = (numbers[len(numbers) * quarter // 4] for quarter in (1, 2, 3))
    cuts = sorted({each for each in quartiles if each > numbers[0]}) or sorted(set(numbers))[1:2]
    return {"kind": "number", "cuts": cuts} if cuts else None


def _check_target(kinds: Mapping[str, dict[str, object] | None], target: str) -> None:
    if kinds.get(target) is None:
        problem = "its values are too many or only one" if target in kinds else "there is no such column"
        names = [name for name, question in kinds.items() if question is not None]
        raise ResponseError(f'column "{target}"', problem, f"use one of: {', '.join(names)}")


def _survey_name(stem: str) -> str:
    name = re.sub(r"[^a-z0-9]+", "_", stem.lower()).strip("_")
    name = name if NAME.fullmatch(name) else f"survey_{name}".strip("_")[:63]
    check_name(name, "name")
    return name


def _head(name: str) -> Iterator[str]:
    title = name.replace("_", " ").capitalize()
    yield from table_lines({"name": name, "title": title, "languages": ["en"]})


def _question_lines(questions: Mapping[str, Mapping[str, object]]) -> Iterator[str]:
    for question in questions.values():
        yield ""
        yield "[[questions]]"
        yield from table_lines(question)
