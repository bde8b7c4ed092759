"""Draft a survey file from a table of plain answers; people then confirm it question by question.

A survey that releases are made from is public, and so are its domains: a value, a cut point or the number of values
that was read off the data discloses something about whoever is in them. Every question of a draft therefore says
``confirmed = false``, which no reader of survey files accepts: somebody has to compare it with what is publicly known
(the questionnaire, the code book), mend it, and say so.
"""

from __future__ import annotations

import csv
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from io import StringIO
from itertools import count
from pathlib import Path

from collector.errors import ResponseError
from collector.survey.question import CODE_MARK, MOST_VALUES, NAME, YES_NO, check_name, interval_labels
from collector.survey_file.naming import name_of
from collector.survey_file.survey_file import parse_survey
from collector.survey_file.survey_toml import table_lines, written
from collector.survey_file.text_file import text_of

NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?")
UNCONFIRMED, CONFIRMED = "\nconfirmed = false\n", "\nconfirmed = true\n"
SEPARATORS = (",", ";", "\t", "|")
MISSING = {"", "NA", "N/A", "NaN", "nan", "NULL", "null", "?", "."}  # as tables leave out an answer
THOUSANDS = re.compile(r"-?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?")
MOST_SHARES = 20  # values that frequencies are proposed for
FEW_NUMBERS = 10  # that many different numbers or fewer are a scale
HEADING = (
    "# Drafted from a table: every domain below was read off the data, which are not public.",
    "# Compare each question with what is publicly known (questionnaire, code book), mend its values or cuts, and only",
    "# then say confirmed = true. Until all of them are confirmed nothing can be published, trained or released.",
)
ASKED = (
    "# Drafted from a table of a pilot: a survey to ask. Every value, cut point and frequency was read off the data.",
    "# Compare each question with the questionnaire, mend its words, and only then say confirmed = true. Each has",
    "# a group and a coin of its own to begin with: collector check tells what that reveals, and how precise it is.",
)


@dataclass(frozen=True)
class Draft:
    """A survey file to be.

    Attributes:
        text: The file.
        questions: Names, in the table's order.
        left_out: Columns whose texts are too many to be values, such as names and numbers of people.
        notes: What was made of the table, a line each: names that were changed, and empty cells.
    """

    text: str
    questions: tuple[str, ...]
    left_out: tuple[str, ...]
    notes: tuple[str, ...] = ()


def draft_survey(path: Path, target: str | None, *, ask: bool = False, columns: Sequence[str] = ()) -> Draft:
    """Draft a survey from a CSV file, whatever its separator; empty cells are missing.

    Args:
        path: The table; a row for each person, a column for each question.
        target: The class: the name of a column; None where a survey to ask needs none.
        ask: Propose a survey to ask: each question disguised in a group of its own, with the frequencies as priors.
            Else one that describes a trusted table.
        columns: Their headings, where the table has no header.

    Raises:
        InputError: If the file cannot be read as text.
        ResponseError: If it is no such table, naming file, line and column; never what stands there.
        SurveyError: If its texts are no values, such as texts of over 1,000 characters.
    """
    try:
        found = _columns(_rows(path, columns))
        kinds = {each.name: _question(each, ask=ask) for each in found}
        left_out = tuple(name for name, question in kinds.items() if question is None)
        if target is not None:
            target = next((each.name for each in found if target in {each.heading, each.name}), target)
            _check_target(kinds, target)
    except ResponseError as error:
        raise error.within(str(path)) from None
    questions = {name: question for name, question in kinds.items() if question is not None}
    if not questions:
        raise ResponseError(str(path), "no column can be a question", "give a table with a column for each question")
    name = _survey_name(path.stem)
    lines = [*(ASKED if ask else HEADING), "", *_head(name), *_question_lines(questions)]
    if ask:
        groups = (f"{each} = {written(_coin(question))}" for each, question in questions.items())
        lines += ["", "[groups]", *groups]
    if target is not None:
        lines += ["", "[mining]", *table_lines({"target": target})]
    text = "\n".join([*lines, ""])
    parse_survey(text.replace(UNCONFIRMED, CONFIRMED))  # what is drafted can be used once it is confirmed
    notes = [f'renamed: "{each.heading}" is {each.name}' for each in found if each.heading != each.name]
    notes += [f"{each.name}: {each.missing} cells are empty or stand for no answer" for each in found if each.missing]
    return Draft(text, tuple(questions), left_out, tuple(notes))


def _coin(question: Mapping[str, object]) -> dict[str, str]:
    """A coin to begin with: an epsilon of about 2 for two values, and one for each value more that stays near it."""
    values = question.get("values", question.get("cuts", YES_NO))
    two = question["kind"] == "yes_no" or (isinstance(values, list) and len(values) < len(("yes", "no", "more")))
    return {"truth": "3/4" if two else "1/2", "channel": "uniform"}


@dataclass(frozen=True)
class _Column:
    """A column: its name in the survey, its heading in the table, its cells that are not empty, how many are."""

    name: str
    heading: str
    cells: tuple[str, ...]
    missing: int


def _rows(path: Path, columns: Sequence[str]) -> list[list[str]]:
    """The header and the rows."""
    if path.suffix.lower() not in {".csv", ".tsv", ".txt", ".data"}:
        raise ResponseError("table", "its suffix is not .csv", "save it as CSV, with a header")
    text = text_of(path, "a table")
    separator = _separator(text)
    try:
        read = csv.reader(StringIO(text, newline=""), delimiter=separator, skipinitialspace=True, strict=True)
        rows = [[_number_as_here(cell.strip(), separator) for cell in row] for row in read]
    except csv.Error:
        raise ResponseError("table", "it is not CSV", "check its quotation marks") from None
    rows = [list(columns)] * bool(columns) + [row for row in rows if any(row)]
    if columns and len(rows) > 1 and len(columns) != len(rows[1]):
        problem = f"it names {len(columns)} columns, and the first row has {len(rows[1])} cells"
        raise ResponseError("--columns", problem, "name each column once")
    if len(rows) < len(("header", "row")):
        raise ResponseError("table", "it has no header or no rows", "begin with a header that names the columns")
    return rows


def _number_as_here(cell: str, separator: str) -> str:
    """A cell; where it is a number with a decimal comma, or with commas between thousands, as numbers stand here."""
    if THOUSANDS.fullmatch(cell) and separator == ",":
        return cell.replace(",", "")
    return cell.replace(",", ".") if separator != "," and NUMBER.fullmatch(cell.replace(",", ".")) else cell


def _separator(text: str) -> str:
    """The one of the usual separators that the header has most of, outside quotation marks; a comma if it has none."""
    header = re.sub(r'"[^"]*"', "", text.split("\n", 1)[0])
    return max(SEPARATORS, key=lambda each: (header.count(each), each == ","))


def _columns(rows: list[list[str]]) -> list[_Column]:
    """The columns, once each row is known to have as many cells."""
    header = rows[0]
    for line, row in enumerate(rows[1:], start=2):
        if len(row) != len(header):
            raise ResponseError(f"row {line}", f"it has {len(row)} cells, not {len(header)}", "give each column a cell")
    again = sum(heading in cells for heading, *cells in zip(*rows, strict=True))
    if again > len(header) / 2:
        problem = f"it is a row and no header: {again} of its {len(header)} cells stand in their columns again"
        raise ResponseError("line 1", problem, "name the columns: --columns age,sex,... as many as there are")
    columns, names = [], set[str]()
    for number, (heading, *cells) in enumerate(zip(*rows, strict=True), start=1):
        if heading in header[: number - 1]:
            raise ResponseError(f'line 1, column "{heading}"', "it is there twice", "drop one")
        name = like = name_of(heading, number)
        if name in names:
            name = next(each for more in count(number) if (each := f"{like}_{more}") not in names)
        names.add(name)
        kept = tuple(cell for cell in cells if cell not in MISSING)
        columns.append(_Column(name, heading, kept, len(cells) - len(kept)))
    return columns


def _question(column: _Column, *, ask: bool) -> dict[str, object] | None:
    """A question that has these answers; None if there is none."""
    counts = Counter(column.cells)
    label = column.heading if column.heading != column.name else column.name.replace("_", " ").capitalize()
    start: dict[str, object] = {"name": column.name, "label": f"{label.rstrip('?')}?"}
    kind: dict[str, object] | None = None
    if not counts:
        return None
    if all(NUMBER.fullmatch(cell) for cell in counts):
        kind = _scale(counts) if 1 < len(counts) <= FEW_NUMBERS else _number(counts)
    elif set(counts) <= set(YES_NO):
        kind = {"kind": "yes_no"}
    elif 1 < len(counts) <= MOST_VALUES and not any(cell.startswith(CODE_MARK) for cell in counts):
        kind = {"kind": "choice", "values": sorted(counts)}
    if kind is None:
        return None
    if not ask:
        return start | kind | {"sensitive": False, "confirmed": False}
    return start | kind | _prior(kind, counts) | {"group": column.name, "confirmed": False}


def _prior(kind: Mapping[str, object], counts: Counter[str]) -> dict[str, object]:
    """The frequencies in whole hundredths, each at least one, adding up to 1; none for many values."""
    values, cuts = kind.get("values", list(YES_NO)), kind.get("cuts")
    if isinstance(cuts, list):
        values = list(interval_labels(tuple(int(cut) if cut == int(cut) else float(cut) for cut in cuts)))
        falls = Counter({values[bisect_right(cuts, Decimal(cell))]: 0 for cell in counts})
        for cell, number in counts.items():
            falls[values[bisect_right(cuts, Decimal(cell))]] += number
        counts = falls
    if not isinstance(values, list) or len(values) > MOST_SHARES:
        return {}
    total = sum(counts.values())
    shares = {value: max(1, round(100 * counts[value] / total)) for value in values}
    largest = max(shares, key=lambda value: shares[value])
    shares[largest] += 100 - sum(shares.values())
    return {"prior": {value: Decimal(share) / 100 for value, share in shares.items()}} if shares[largest] > 0 else {}


def _scale(counts: Counter[str]) -> dict[str, object]:
    return {"kind": "scale", "values": sorted(counts, key=Decimal)}


def _number(counts: Counter[str]) -> dict[str, object] | None:
    """Cut near the quartiles, each rounded and once, above the least number.

    Where three in four have the least number, as with gains that most people do not have, the quartiles of the others.
    """
    numbers = sorted(Decimal(cell) for cell in counts.elements())
    cuts = _quartiles(numbers) or _quartiles([each for each in numbers if each > numbers[0]], numbers[0])
    return {"kind": "number", "cuts": cuts} if cuts else None


def _quartiles(numbers: list[Decimal], least: Decimal | None = None) -> list[Decimal]:
    quartiles = [numbers[len(numbers) * quarter // 4] for quarter in (1, 2, 3)] if numbers else []
    least = numbers[0] if least is None and numbers else least
    cuts = []
    for exact in quartiles:
        rounded = _rounded(exact, quartiles[-1] - quartiles[0])
        cuts.append(rounded if least is not None and least < rounded <= numbers[-1] else exact)
    return sorted({cut for cut in cuts if least is not None and cut > least})


def _rounded(number: Decimal, spread: Decimal) -> Decimal:
    """A number with two digits that count, or more where numbers are close: 1234 becomes 1200, but 1987 stays."""
    if not number:
        return number
    place = number.adjusted() - 1
    while spread and Decimal(1).scaleb(place) > spread / 4:
        place -= 1
    return number.quantize(Decimal(1).scaleb(place)).normalize() + 0


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
        yield from table_lines(question, "questions")
