"""A survey as an XLSForm, which ODK, Kobo and Ona take: its columns say how answers are disguised here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from typing import Any

from openpyxl import Workbook

from collector.errors import SurveyError
from collector.exchange.file_table import Converted, tables_of
from collector.survey.survey import Survey

LOST = {
    "maximum": "the maximum of a number",
    "unit": "the unit of a number",
    "coding": "a coding that is said",
    "replacement": "a replacement that is said",
}
LOST_ON_TOP = {"study", "sampling", "mining", "privacy", "screens", "shuffle"}


def to_xlsform(survey: Survey) -> Converted:
    """A survey as an XLSForm; what the form has no column for is named.

    Raises:
        SurveyError: If a question is of a kind that it has none for.
    """
    tables, notes = tables_of(survey), ["answers are sent as they are by the programs that read it"]
    languages = tables["languages"]
    rows = [_question(each, tables["groups"], languages, notes) for each in tables["questions"]]
    choices = [row for each in tables["questions"] for row in _choices(each, languages)]
    notes += [f"not in the form: {key}" for key in tables if key in LOST_ON_TOP]
    if tables.get("preview") != "after":
        notes.append("not in the form: preview")
    if len(languages) > 1:
        notes.append(f'not in the form: the title in other languages than "{languages[0]}"')
    title = tables["title"] if isinstance(tables["title"], str) else tables["title"][languages[0]]
    settings = {"form_id": tables["name"], "form_title": title, "default_language": languages[0]}
    book = Workbook()
    for name, sheet in (("survey", rows), ("choices", choices), ("settings", [settings])):
        _fill(book.create_sheet(name), sheet)
    del book[book.sheetnames[0]]
    stream = BytesIO()
    book.save(stream)
    return Converted(stream.getvalue(), tuple(dict.fromkeys(notes)))


def _fill(sheet: Any, rows: Sequence[Mapping[str, str]]) -> None:  # noqa: ANN401 - openpyxl brings no types
    headings = list(dict.fromkeys(key for row in rows for key in row))
    sheet.append(headings)
    for row in rows:
        sheet.append([row.get(heading) for heading in headings])
    for cells in sheet.iter_rows(min_row=2):
        for cell in cells:
            cell.number_format = "@"  # as text: 3/4 is no day
            cell.data_type = (
                "s" if cell.value is not None else cell.data_type
            )  # a text that begins with = is no formula


def _texts(column: str, text: str | Mapping[str, str], languages: Sequence[str]) -> dict[str, str]:
    table = {languages[0]: text} if isinstance(text, str) else text
    return {f"{column}::{language}": table[language] for language in languages}


def _question(
    question: Mapping[str, Any], groups: Mapping[str, Any], languages: Sequence[str], notes: list[str]
) -> dict[str, str]:
    name, kind = question["name"], question["kind"]
    row = {"type": f"select_one {name}", "name": name} | _texts("label", question["label"], languages)
    if "hint" in question:
        row |= _texts("hint", question["hint"], languages)
    if kind == "number":
        row["type"] = "decimal"
        row["rr::cuts"] = " ".join(map(str, question["cuts"]))
        if "minimum" in question:
            row["constraint"] = f". >= {question['minimum']}"
    elif kind == "scale":
        row["appearance"] = "likert"
    elif kind not in {"choice", "yes_no"}:
        raise SurveyError(f'question "{name}"', f'an XLSForm has no "{kind}" here', "leave it out")
    notes += [f'not in the form: {words}, question "{name}"' for key, words in LOST.items() if key in question]
    if "group" in question:
        group = groups[question["group"]]
        row["rr::group"], row["rr::channel"] = question["group"], group["channel"]
        if "truth" not in group:
            raise SurveyError(f'group "{question["group"]}"', "an XLSForm has no column for its odds", "leave it out")
        row["rr::truth"] = group["truth"]
        if "prior" in question:
            row["rr::prior"] = ", ".join(f"{value} = {share}" for value, share in question["prior"].items())
    return row


def _choices(question: Mapping[str, Any], languages: Sequence[str]) -> Iterator[dict[str, str]]:
    if question["kind"] == "number":
        return
    words = question.get("words", {})
    yes_no = {"yes": "Yes", "no": "No"} if question["kind"] == "yes_no" else {}
    for value in question.get("values", yes_no):
        shown = {tag: words.get(tag, {}).get(value, yes_no.get(value, value)) for tag in languages}
        yield {"list_name": question["name"], "name": value} | _texts("label", shown, languages)
