"""Conversion of a row of an XLSForm's survey sheet to a question of a survey file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from collector.errors import SurveyError
from collector.forms.reading import FormReading
from collector.survey.question import check_name
from collector.survey.screen import MOST_RANKED
from collector.survey.text import in_languages
from collector.survey_file.kinds.parts import COINS
from collector.survey_file.kinds.registry import PARTS
from collector.survey_file.naming import item_names, name_of
from collector.xlsform.columns import NUMBERS, REFUSED_COLUMNS, REFUSED_TYPES, SUPPORTED_TYPES, close_match, newest_type
from collector.xlsform.limits import (
    bounds_in,
    ends_of,
    is_long,
    is_whole,
    limits_of,
    parameters_of,
    range_values,
    ticks_of,
)
from collector.xlsform.priors import prior_of
from collector.xlsform.sheet import Form, SheetRow
from collector.xlsform.text import Languages
from collector.xlsform.values import KINDS, LISTED, YES, Values, choice_values, interval_values

NEEDS_GROUP = ("rr::truth", "rr::channel", "rr::prior", "rr::coins")
NO = ("no", "false", "false()")
NAMED_KINDS = {"choice": "select_one", "multiple": "select_multiple"}
ASKED = (*KINDS.values(), "number", "date", "range")
"""The kinds, returned by `kind_of_row`, of rows that ask a question."""


@dataclass(frozen=True)
class FormQuestion:
    """A question of an XLSForm.

    Attributes:
        table: Table of the survey file, without the keys for name, label, group and hint.
        written: The form's words for values, options or items to rank.
    """

    table: Mapping[str, Any]
    written: Mapping[str, str]


def kind_of_row(row: SheetRow) -> str:
    """Return the kind of a row in the survey sheet, such as ``number``.

    The kind is ``select_one``, ``select_multiple``, ``rank``, ``number``, ``range``, ``date``, ``note``, or the begin
    or end of a group.

    Raises:
        SurveyError: If the type of the row is not supported.
    """
    written = row.get("type")
    if not written:
        raise row.error("type", "it is empty", f"use one of: {', '.join(SUPPORTED_TYPES)}")
    if found := LISTED.fullmatch(written):
        return KINDS["_".join(found["kind"].lower().split())]
    name = "_".join(written.lower().split())
    if name in KINDS:
        raise row.error("type", "it names no list of choices", f"write the list after it, as in {KINDS[name]} yes_no")
    if name in NUMBERS:
        return "number"
    if name in {"note", "begin_group", "end_group", "date", "range"}:
        return name
    first, newest = written.lower().split()[0], newest_type(name)
    for known in (newest, "_".join(newest.split("_")[:2]), newest.split("_")[0], first, written.lower()):
        if known in REFUSED_TYPES:
            problem, remedy = REFUSED_TYPES[known]
            raise row.error("type", f'"{known}" is not supported: {problem}', remedy)
    asked = (*SUPPORTED_TYPES, *NUMBERS)
    meant = newest if newest in asked else close_match(first, asked)
    known_types = ", ".join(SUPPORTED_TYPES)
    raise row.error("type", f'there is no type "{first}"', f"write {meant}" if meant else f"use one of: {known_types}")


def checked_name(row: SheetRow, column: str, name: str) -> str:
    """Check that a name is valid, and return the name.

    Raises:
        SurveyError: If the name is not valid.
    """
    if not name:
        raise row.error(column, "it is empty", "give it a name, such as year_1")
    try:
        check_name(name, row.place(column))
    except SurveyError as error:
        problem = f'"{name}" is no name: {error.problem}'
        raise row.error(column, problem, f"rename it, such as {name_of(name, row.number)}") from None
    return name


def read_question(row: SheetRow, form: Form, languages: Languages, name: str) -> FormQuestion:
    """Return the question in a row of the survey sheet.

    Raises:
        SurveyError: If a cell is not valid.
    """
    check_disguise(row)
    if row.get("read_only").lower() not in {"", *NO}:
        raise row.error("read_only", *REFUSED_COLUMNS["survey"]["read_only"])
    if row.get("choice_filter"):
        raise row.error("choice_filter", *REFUSED_COLUMNS["survey"]["choice_filter"])
    reading = languages.reading
    kind, parameters = kind_of_row(row), parameters_of(row, reading)
    if row.get("rr::kind") and NAMED_KINDS.get(row.get("rr::kind")) != kind:
        words = "say choice of a select_one, multiple of a select_multiple, or empty the cell"
        raise row.error("rr::kind", "it is not the kind of this type", words)
    if kind in {"number", "date"} or (kind == "range" and (row.get("rr::cuts") or is_long(parameters))):
        return _intervals(row, "number" if kind == "range" else kind, parameters, reading)
    values = range_values(row, parameters) if kind == "range" else choice_values(row, form, languages)
    listed = _items(row, kind, values, name, reading) if kind in {"select_multiple", "rank"} else None
    question = listed or with_values(row, values, languages)
    reading.part(lambda: limits_of(row, "none" if kind != "select_multiple" else kind), {})
    more = {"shuffle": True} if parameters.get("randomize") == "true" else {}
    more |= {"decline": True} if values.declined else _declined(row)
    return FormQuestion(dict(question.table) | more, question.written)


def check_disguise(row: SheetRow) -> None:
    """Refuse cells with settings of the disguise for an undisguised question.

    Raises:
        SurveyError: If a cell has a setting of the disguise.
    """
    for column in NEEDS_GROUP:
        if row.get(column) and not row.get("rr::group"):
            raise row.error(column, "the question is in no group", "give it an rr::group, or empty the cell")
    if row.get("rr::coins") not in {"", *COINS}:
        raise row.error("rr::coins", "there are no such coins", "write one or own")


def _intervals(row: SheetRow, kind: str, parameters: Mapping[str, str], reading: FormReading) -> FormQuestion:
    ends = ends_of(row, parameters)
    between, whole = bounds_in(row, kind, ends), is_whole(row)
    cuts = [] if row.get("rr::cuts") else reading.cuts([row.get("name")], between, whole=whole)
    values = interval_values(row, kind, cuts)
    bounds: dict[str, Any] = ends | reading.part(lambda: limits_of(row, kind, values.cuts), {})
    table = {"kind": kind} | bounds | {"cuts": list(values.cuts)} | prior_of(row, values) | _declined(row)
    numbers = [*values.cuts, *bounds.values(), parameters.get("step", "1")]
    if kind == "number" and whole and all(Decimal(str(each)) % 1 == 0 for each in numbers):
        table["whole"] = True
    return FormQuestion(table | ({"unit": row.get("rr::unit")} if row.get("rr::unit") else {}), {})


def _declined(row: SheetRow) -> dict[str, bool]:
    said = row.get("rr::decline").lower()
    if said not in {"", *YES, *NO}:
        raise row.error("rr::decline", "it says neither yes nor no", "write yes where one may decline to answer")
    return {"decline": True} if said in YES else {}


def with_values(row: SheetRow, values: Values, languages: Languages, grid: SheetRow | None = None) -> FormQuestion:
    """Return a question or a grid with the given values."""
    question: dict[str, Any] = {"kind": values.kind}
    if grid is not None:
        question = {"kind": "grid", "values": list(values.names)} | ({"decline": True} if values.declined else {})
    if values.kind != "yes_no":
        question["values"] = list(values.names)
    question |= _pictures(row, values, {} if grid is not None else values.named, languages.reading)
    if values.words:
        question["words"] = {tag: {value: text[tag] for value, text in values.words.items()} for tag in languages.tags}
    return FormQuestion(question | prior_of(grid or row, values), {} if grid is not None else values.named)


def _items(row: SheetRow, kind: str, values: Values, name: str, reading: FormReading) -> FormQuestion:
    """Return a question with options to tick, or a ranking."""
    excluding, limits = ticks_of(row, values.named, reading) if kind == "select_multiple" else (None, {})
    given = [name for name in values.named if name != excluding]
    if kind == "rank" and len(given) > MOST_RANKED:
        problem = f"{len(given)} things are ranked, and {MOST_RANKED} are the most"
        raise row.error("type", problem, "rank fewer, or ask a select_one for the first")
    if len(given) < 2:
        raise row.error("type", "the list has one choice that may be ticked", "ask a yes/no select_one instead")
    names = item_names(given, name)
    for before, item in zip(given, names, strict=True):
        if before != item:
            reading.note("renamed", f'the choice "{before}" of {name} is {item}')
    our_kind = "multiple" if kind == "select_multiple" else "ranking"
    shown = {item: in_languages(values.labels[before]) for before, item in zip(given, names, strict=True)}
    table: dict[str, Any] = {"kind": our_kind, PARTS[our_kind]: shown}
    written = dict(zip(given, names, strict=True))
    table |= _pictures(row, values, written if our_kind == "multiple" else {}, reading)
    if excluding:
        table["none"] = in_languages(values.labels[excluding])
        if not required(row, reading):
            reading.note("a choice has to be ticked, or the one that stands alone", name)
    if limits.get("most", 0) > len(given):
        del limits["most"]  # it limits nothing
    if required(row, reading) and our_kind == "multiple" and not excluding and "least" not in limits:
        limits["least"] = 1
    return FormQuestion(table | limits | prior_of(row, values, written if our_kind == "multiple" else None), written)


def _pictures(
    row: SheetRow, values: Values, shown: Mapping[str, str], reading: FormReading
) -> dict[str, dict[str, str]]:
    """Return the key ``pictures`` for the choices that respondents see."""
    found = {shown[name]: picture for name, picture in values.pictures.items() if name in shown}
    for name in values.pictures.keys() - shown.keys():
        problem = f'the choice "{name}" is not shown with a picture here'
        reading.leave(row.error("type", problem, "empty the cell, or ask a select_one or a select_multiple"))
    return {"pictures": found} if found else {}


def required(row: SheetRow, reading: FormReading) -> bool:
    """Return whether an answer is always required."""
    said = row.get("required").lower()
    if said not in {"", *YES, *NO}:
        problem = "whether an answer is needed does not depend on another"
        reading.leave(row.error("required", problem, "write yes or no"))
    return said in YES
