"""Forms of other programs that come in and go out again keep all that is supported; what is not is named."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyxform.xls2json_backends import xlsx_to_dict
from pyxform.xls2xform import convert

from collector.errors import SurveyError
from collector.exchange.surveyjs import from_surveyjs
from collector.exchange.surveyjs_out import to_surveyjs
from collector.exchange.xlsform_out import to_xlsform
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from collector.xlsform.form import import_form
from foreign_forms import FORMS as SURVEYJS
from spreadsheet_forms import FORMS as XLSFORMS
from spreadsheets import save_form

GENERAL = (
    "answers are sent as they are by the programs that read it",
    "codes are disguised: rr says how, and SurveyJS itself sends answers as they are",
    'the Creator keeps rr where Survey.Serializer.addProperty("survey", "rr") and ("question", "rr") ran',
)


def named(notes: tuple[str, ...]) -> list[str]:
    return [note for note in notes if note not in GENERAL]


@pytest.mark.parametrize("name", XLSFORMS)
def test_an_xlsform_that_comes_in_goes_out_as_it_was(name: str, tmp_path: Path) -> None:
    given, path = save_form(tmp_path / "given.xlsx", XLSFORMS[name]), tmp_path / "again.xlsx"
    imported = import_form(given)
    converted = to_xlsform(imported.survey)
    path.write_bytes(converted.content)
    again = import_form(path)
    assert again.survey.fingerprint == imported.survey.fingerprint
    assert to_xlsform(again.survey).notes == converted.notes
    assert (named(converted.notes), imported.left_out) == ([], ())
    assert list(asked(path)) == list(asked(given))
    assert "<h:title>" in convert(path).xform


def asked(path: Path) -> Iterator[tuple[object, ...]]:
    """Of each row of the sheet survey what people read and choose, and when it is asked."""
    book = xlsx_to_dict(str(path))
    lists: dict[str, list[tuple[str, str]]] = {}
    for row in book["choices"]:
        lists.setdefault(row["list_name"], []).append((row["name"], text(row, "label")))
    groups: list[bool] = []
    for row in book["survey"]:
        kind, _, listed = row["type"].partition(" ")
        if kind == "begin_group":
            groups.append("relevant" in row)
        if kind == "end_group":
            groups.pop()
        if kind in {"note", "end_group"}:
            continue
        choices, parameters = lists.get(listed), row.get("parameters")
        if kind == "range":  # comes back as the list of its numbers
            kind, choices, parameters = "select_one", [(str(number), str(number)) for number in range(11)], None
        limits = sorted(re.split(r" and (?![^(]*\))", row.get("constraint", "")))
        routed = kind != "begin_group" and ("relevant" in row or any(groups))
        kind = "decimal" if kind == "integer" else kind  # a number is any number
        yield text(row, "label"), kind, choices, limits, parameters, routed, row.get("required", "no")


def text(row: Mapping[str, str], column: str) -> str:
    return next((row[key] for key in row if key.partition("::")[0] == column), "")


@pytest.mark.parametrize("name", SURVEYJS)
def test_a_surveyjs_form_that_comes_in_goes_out_as_it_was(name: str) -> None:
    given = SURVEYJS[name]
    survey = read(json.dumps(given))
    converted = to_surveyjs(survey)
    out = json.loads(converted.content)
    assert read(converted.content.decode()).fingerprint == survey.fingerprint
    assert to_surveyjs(read(converted.content.decode())).content == converted.content
    for key in ("title", "description", "completedHtml", "questionsOrder"):
        assert out.get(key) == given.get(key, out.get(key) if key == "description" else None)
    for before, after in zip(elements(given), elements(out), strict=True):
        assert after == (before if before[2] else (*before[:2], after[2], *before[3:]))  # rates that are not listed
    for key in ("visibleIf", "minSelectedChoices", "maxSelectedChoices"):
        assert json.dumps(given).count(f'"{key}"') <= json.dumps(out).count(f'"{key}"')


def read(content: str) -> Survey:
    return parse_survey(from_surveyjs(content, "form.json").content.decode())


def elements(part: Mapping[str, Any]) -> Iterator[tuple[object, ...]]:
    """Of each question what people read and choose."""
    for each in (*part.get("pages", ()), *part.get("elements", ())):
        if "elements" in each:
            yield from elements(each)
            continue
        title = each.get("title", each["name"])
        options = [
            choice["text"] if isinstance(choice, dict) else str(choice)
            for key in ("choices", "rateValues", "rows", "columns")
            for choice in each.get(key, ())
        ]
        flags = [bool(each.get(key)) for key in ("showNoneItem", "showRefuseItem", "isRequired")]
        random = "random" in {each.get("choicesOrder"), each.get("rowsOrder")}
        yield title, each.get("description"), options or None, flags[:2], random


ODD = st.sampled_from(
    [None, True, 0, -1, 1e300, float("nan"), "", "a", "{a} = 1", [], [1], ["a", "a"], {}, {"default": "x"}, [[]]]
)


@settings(max_examples=100)
@given(st.data())
def test_any_part_of_a_form_may_be_anything_and_it_is_taken_or_refused_in_one_line(data: st.DataObject) -> None:
    form = copy.deepcopy(SURVEYJS[data.draw(st.sampled_from(sorted(SURVEYJS)))])
    part: Any = form
    while True:
        keys = list(part) if isinstance(part, dict) else list(range(len(part)))
        key = data.draw(st.sampled_from(keys))
        if not isinstance(part[key], dict | list) or not part[key] or data.draw(st.integers(0, 4)) == 0:
            break
        part = part[key]
    part[key] = data.draw(ODD)
    try:
        content = from_surveyjs(json.dumps(form), "form.json").content.decode()
    except SurveyError as error:
        assert len(str(error).splitlines()) == 1  # noqa: PT017 - either is right
    else:
        assert to_surveyjs(parse_survey(content)).content
