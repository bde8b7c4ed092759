"""Convert one row of an XLSForm's survey sheet to a question of a survey file."""

from __future__ import annotations

import re
from typing import Any

from collector.errors import SurveyError
from collector.survey.question import RESERVED, check_name
from collector.xlsform.columns import (
    NUMBERS,
    REFUSED_COLUMNS,
    REFUSED_TYPES,
    RELEVANT_ON_DISGUISED,
    SUPPORTED_TYPES,
    close_match,
)
from collector.xlsform.sheet import Form, Row
from collector.xlsform.text import Languages
from collector.xlsform.values import SELECT, choice_values, minimum_of, number_values, prior_of

NEEDS_GROUP = ("rr::truth", "rr::channel", "rr::prior")


def kind_of_row(row: Row) -> str:
    """``select_one``, ``number``, ``note``, ``begin_group`` or ``end_group``.

    Raises:
        SurveyError: For every other type, with what to do instead.
    """
    written = row.get("type")
    if not written:
        raise row.error("type", "it is empty", f"use one of: {', '.join(SUPPORTED_TYPES)}")
    if SELECT.fullmatch(written):
        return "select_one"
    name = "_".join(written.lower().split())
    if name in {"select_one", "select1"}:
        raise row.error("type", "it names no list of choices", "write the list after it, as in select_one yes_no")
    if name in NUMBERS:
        return "number"
    if name in {"note", "begin_group", "end_group"}:
        return name
    first = written.lower().split()[0]
    for known in (name, first, written.lower()):
        if known in REFUSED_TYPES:
            problem, remedy = REFUSED_TYPES[known]
            raise row.error("type", f'"{known}" is not supported: {problem}', remedy)
    meant = close_match(first, (*SUPPORTED_TYPES, *NUMBERS))
    known_types = ", ".join(SUPPORTED_TYPES)
    raise row.error("type", f'there is no type "{first}"', f"write {meant}" if meant else f"use one of: {known_types}")


def checked_name(row: Row, column: str, name: str) -> str:
    """A name, once it is known to be one.

    Raises:
        SurveyError: With a name to take instead.
    """
    if not name:
        raise row.error(column, "it is empty", "give it a name, such as year_1")
    try:
        check_name(name, row.place(column))
    except SurveyError as error:
        problem = f'"{name}" is no name: {error.problem}'
        raise row.error(column, problem, f"rename it, such as {suggested_name(name, row.number)}") from None
    return name


def suggested_name(name: str, number: int) -> str:
    """A name like this one that a survey accepts."""
    slug = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:60]
    if not slug:
        return f"item_{number}"
    return slug if slug[0].isalpha() and slug not in RESERVED else f"q_{slug}"


def read_question(row: Row, form: Form, languages: Languages) -> dict[str, Any]:
    """The question as a table of a survey file; its name, label, group and hint are for the caller to add.

    Raises:
        SurveyError: Naming the cell.
    """
    _check_question_row(row)
    number = kind_of_row(row) == "number"
    values = number_values(row) if number else choice_values(row, form, languages)
    question: dict[str, Any] = {"kind": values.kind}
    if number:
        question |= minimum_of(row, values.cuts) | {"cuts": list(values.cuts)}
    elif values.kind != "yes_no":
        question["values"] = list(values.names)
    if values.words:
        question["words"] = {
            tag: {value: text[tag] for value, text in zip(values.names, values.words, strict=True)}
            for tag in languages.tags
        }
    if prior := prior_of(row, values):
        question["prior"] = prior
    return question


def _check_question_row(row: Row) -> None:
    check_not_relevant(row)
    if row.get("constraint") and kind_of_row(row) != "number":
        raise row.error("constraint", *REFUSED_COLUMNS["survey"]["constraint"])
    if row.get("read_only").lower() not in {"", "no", "false", "false()"}:
        raise row.error("read_only", *REFUSED_COLUMNS["survey"]["read_only"])
    if not row.get("rr::group"):
        for column in NEEDS_GROUP:
            if row.get(column):
                raise row.error(column, "the question is in no group", "give it an rr::group, or empty the cell")


def check_not_relevant(row: Row) -> None:
    """Refuse a row that only some would see.

    Raises:
        SurveyError: Naming the cell.
    """
    if row.get("relevant"):
        disguised = bool(row.get("rr::group"))
        raise row.error("relevant", *(RELEVANT_ON_DISGUISED if disguised else REFUSED_COLUMNS["survey"]["relevant"]))
