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
from collector.survey_file.survey_file import parse_survey, read_survey_file
from collector.xlsform.form import import_form
from foreign_forms import FORMS as SURVEYJS
from kind_surveys import EVERY_KIND, TICKS
from spreadsheet_forms import FORMS as XLSFORMS
from spreadsheet_forms import YES_NO, sheets
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


HEAD = """name = "f"
title = "F"
languages = ["en"]

[[questions]]
name = "x"
label = "X?"
group = "g"
"""
COIN = """
[groups]
g = { truth = "1/2", channel = "uniform" }
"""
ABC = 'options = { a = "A", b = "B", c = "C" }'
FOLLOWER = '[[questions]]\nname = "y"\nlabel = "Y?"\nkind = "yes_no"\ngroup = "g"\nask_if = "'
ALIKE = {
    "a choice between yes and no": 'kind = "choice"\nvalues = ["yes", "no"]',
    "a choice whose words are yes and no": 'kind = "choice"\nvalues = ["a", "b"]\n'
    'words = { en = { a = "Yes", b = "No" } }',
    "a scale of no and yes": 'kind = "scale"\nvalues = ["no", "yes"]',
    "values that other programs add": 'kind = "choice"\nvalues = ["None", "none", "other", "dontknow"]',
    "none, and one who declines": 'kind = "choice"\nvalues = ["None", "Some", "prefer_not_to_say"]',
    "one value, or to decline": 'kind = "choice"\nvalues = ["a", "prefer_not_to_say"]',
    "to decline in the middle": 'kind = "choice"\nvalues = ["a", "prefer_not_to_say", "c"]',
    "to decline in other words": 'kind = "choice"\nvalues = ["a", "b"]\ndecline = true\n'
    'words = { en = { a = "A", b = "B", prefer_not_to_say = "I will not" } }',
    "no answer": 'kind = "choice"\nvalues = ["a", "b", "no_answer"]',
    "yes, no, and neither": 'kind = "yes_no"\nprior = { yes = 0.2, no = 0.8 }\ndecline = true\noptional = true',
    "yes and no in words": 'kind = "yes_no"\nwords = { en = { yes = "I do", no = "Never" } }',
    "an option that is named none": 'kind = "multiple"\ncoins = "one"\noptions = { none = "None", b = "B", c = "C" }',
    "none of the options": f'kind = "multiple"\ncoins = "own"\nnone = "None"\n{ABC}',
    "options yes and no": 'kind = "multiple"\ncoins = "own"\noptions = { yes = "Y", no = "N" }',
    "one code": f'kind = "multiple"\nleast = 1\nmost = 2\n{ABC}',
    "one code with none": f'kind = "multiple"\nnone = "None"\ndecline = true\n{ABC}',
    "a question after one code": f'kind = "multiple"\nleast = 1\nmost = 2\n{ABC}\n{FOLLOWER}x has a"',
    "a question after None": f'kind = "choice"\nvalues = ["None", "b", "c"]\n{FOLLOWER}x in (None, c)"',
    "a question after one who declines": f'kind = "yes_no"\ndecline = true\n{FOLLOWER}x in (yes, prefer_not_to_say)"',
    "a question after one who skips": f'kind = "yes_no"\noptional = true\n{FOLLOWER}x in (yes, no_answer)"',
    "a grid of yes and no": 'kind = "grid"\nvalues = ["yes", "no"]\nstatements = { a = "A", b = "B" }',
    "a grid with decline": 'kind = "grid"\nvalues = ["a", "b"]\ndecline = true\nstatements = { a = "A", b = "B" }',
    "a ranking with decline": 'kind = "ranking"\ndecline = true\nitems = { a = "A", b = "B" }',
    "a number": 'kind = "number"\ncuts = [1, 2.5]\nminimum = 0\nmaximum = 3\nunit = "kg"\noptional = true',
    "a count": 'kind = "number"\nwhole = true\ncuts = [1, 3]\nminimum = 0',
    "a count that may be declined": 'kind = "number"\nwhole = true\ncuts = [1, 3]\ndecline = true',
    "a date": 'kind = "date"\ncuts = [2010-01-01]\ndecline = true',
}
LOST = {"title", "preview", "study", "target", "screens"}
"""Parts of a design that an XLSForm has no column for."""


def as_xlsform(survey: Survey, path: Path) -> tuple[Survey, list[str]]:
    """A survey that went out as an XLSForm and came in again, with what was named on the way out."""
    converted = to_xlsform(survey)
    path.write_bytes(converted.content)
    again = import_form(path, strict=len(survey.languages) == 1)
    return again.survey, [note for note in named(converted.notes) if note.startswith("not in the form")]


@pytest.mark.parametrize("name", ALIKE)
def test_a_question_of_any_kind_goes_round_as_it_is(name: str, tmp_path: Path) -> None:
    survey = parse_survey(HEAD + ALIKE[name] + "\n" + COIN)
    assert read(to_surveyjs(survey).content.decode()).fingerprint == survey.fingerprint
    again, lost = as_xlsform(survey, tmp_path / "form.xlsx")
    assert (again.design, lost) == (survey.design, [])


@pytest.mark.parametrize(
    "name", ["audit_c", "staff_climate", "wellbeing", "wellbeing_two_languages", "who5", "kinds", "ticks"]
)
def test_an_example_goes_round_or_what_is_lost_is_named(name: str, tmp_path: Path, root: Path) -> None:
    texts = {"kinds": EVERY_KIND, "ticks": TICKS}
    path = root / "examples" / f"{name}.toml"
    survey = parse_survey(texts[name]) if name in texts else read_survey_file(path)
    assert read(to_surveyjs(survey).content.decode()).fingerprint == survey.fingerprint
    again, lost = as_xlsform(survey, tmp_path / "form.xlsx")
    other = {key for key in survey.design if survey.design[key] != again.design[key]}
    words = {"target": "mining"}
    assert all(any(words.get(key, key) in line for line in lost) for key in other)
    assert other <= LOST


def test_what_an_xlsform_cannot_say_of_a_question_is_named(tmp_path: Path) -> None:
    skipped = parse_survey(HEAD + f'kind = "multiple"\ncoins = "own"\noptional = true\n{ABC}\n' + COIN)
    grid = 'kind = "grid"\nvalues = ["a", "b"]\nshuffle = true\nstatements = { a = "A", b = "B" }\n'
    for survey, words in ((skipped, "that one may skip it"), (parse_survey(HEAD + grid + COIN), "the order at random")):
        again, lost = as_xlsform(survey, tmp_path / "form.xlsx")
        assert again.fingerprint != survey.fingerprint
        assert lost == [f'not in the form: {words}, question "x"']


def test_a_kind_that_does_not_fit_the_type_is_refused(tmp_path: Path) -> None:
    form = sheets("f", "select_one yes_no | a | A? | rr::kind = multiple", YES_NO)
    with pytest.raises(SurveyError, match="column rr::kind: "):
        import_form(save_form(tmp_path / "form.xlsx", form), strict=True)


def test_choices_in_the_order_of_their_texts_and_rows_that_all_need_an_answer_are_taken_or_named() -> None:
    choices = [{"value": "b", "text": "beta"}, {"value": "g", "text": "Gamma"}, {"value": "a", "text": "alpha"}]
    for order, values in (("asc", ("a", "b", "g")), ("desc", ("g", "b", "a")), ("none", ("b", "g", "a"))):
        element = {"type": "radiogroup", "name": "x", "choices": choices, "choicesOrder": order}
        assert read(json.dumps({"elements": [element]})).question("x").values == values
    grid = {"type": "matrix", "name": "m", "columns": ["a", "b"], "rows": ["x", "y"], "isRequired": True}
    said = "an answer is needed in each row, not in one of them: m"
    for more, noted in (({}, True), ({"eachRowRequired": True}, False)):
        found = from_surveyjs(json.dumps({"elements": [grid | more]}), "form.json")
        assert (said in found.notes) == noted
    commented = {"type": "boolean", "name": "x", "showCommentArea": True}
    (line,) = from_surveyjs(json.dumps({"elements": [commented]}), "form.json").left_out
    assert line.startswith('element "x", showCommentArea: ')
