"""Other formats: what goes out comes back the same, and what cannot is named."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest
from click.testing import CliRunner, Result
from pyxform.xls2xform import convert

from collector.cli import main
from collector.errors import SurveyError
from collector.exchange.codebook import DDI, ddi_codebook, how_disguised, html_codebook
from collector.exchange.file_table import tables_of, typed_question
from collector.exchange.surveyjs import from_surveyjs
from collector.exchange.surveyjs_out import to_surveyjs
from collector.exchange.xlsform_out import to_xlsform
from collector.survey.question import Question
from collector.survey.study import Study
from collector.survey.survey import Survey
from collector.survey.text import Text
from collector.survey_file.survey_file import parse_survey, read_survey_file
from collector.survey_file.survey_writer import file_of
from collector.xlsform.form import import_form
from foreign_forms import FORMS
from kind_surveys import EVERY_KIND
from small_surveys import MIXED


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments])


EXAMPLES = ("wellbeing", "wellbeing_split", "wellbeing_two_languages")


def read_back(content: bytes) -> Survey:
    return parse_survey(from_surveyjs(content.decode(), "form.json").content.decode())


@pytest.fixture(params=[*EXAMPLES, "mixed", "kinds", *FORMS])
def any_survey(request: pytest.FixtureRequest, root: Path) -> Survey:
    """The examples, a survey with both channels, and what ten forms become."""
    if request.param in EXAMPLES:
        return read_survey_file(root / "examples" / f"{request.param}.toml")
    if request.param in {"mixed", "kinds"}:
        return parse_survey({"mixed": MIXED, "kinds": EVERY_KIND}[request.param])
    return read_back(json.dumps(FORMS[request.param]).encode())


def test_a_survey_is_its_tables_and_back(any_survey: Survey) -> None:
    tables = tables_of(any_survey)
    tables["questions"] = [typed_question(each) for each in tables["questions"]]
    assert parse_survey(file_of(tables, "again")).fingerprint == any_survey.fingerprint


def test_a_survey_that_goes_out_as_surveyjs_comes_back_the_same(any_survey: Survey) -> None:
    content = to_surveyjs(any_survey).content
    again = read_back(content)
    assert again.fingerprint == any_survey.fingerprint
    assert to_surveyjs(again).content == content


@pytest.mark.parametrize(
    ("element", "line"),
    [
        ({"type": "comment", "name": "c"}, '"comment" is not supported: free text cannot be disguised'),
        ({"type": "text", "name": "c"}, "free text cannot be disguised; ask for a number"),
        ({"type": "text", "name": "c", "inputType": "number"}, "a number is sent as an interval; add"),
        ({"type": "file", "name": "c"}, '"file" is not supported: it tells who answers'),
        ({"type": "magic", "name": "c"}, 'there is no type "magic"; use one of: boolean, '),
        (
            {"type": "boolean", "name": "c", "visible": False},
            "visible: this part of a question is not supported: a question that nobody sees",
        ),
        (
            {"type": "boolean", "name": "c", "title": "Is {a} it?"},
            "a text quotes another answer: {a}; leave the quoted answer out of the text",
        ),
        (
            {"type": "boolean", "name": "c", "title": "<b>It</b>?"},
            "a text contains HTML or Markdown; only its words are used",
        ),
        ({"type": "dropdown", "name": "c", "choices": "ab"}, "a part of the form is not valid"),
        ({"type": "ranking", "name": "c", "choices": list("abcdef")}, "6 things are ranked, and 5 are the most"),
        ({"type": "matrix", "name": "c", "columns": ["a", "b"]}, "it has 0 rows; give two or more"),
        (
            {"type": "checkbox", "name": "c", "choices": ["a", "b"], "defaultValue": ["a"]},
            "no answer is chosen beforehand",
        ),
        (
            {"type": "text", "name": "c", "inputType": "date"},
            'a date is sent as an interval; add "rr": {"cuts": ["2010',
        ),
        ({"type": "boolean", "name": "c", "visibleIf": "iif({a} = 1, 2, 3) > 2"}, '"iif" is not supported'),
        ({"type": "boolean", "name": "c", "visibleIf": "{a} = 1"}, 'visibleIf: {a} = 1: no question "a" that'),
        (
            {"type": "dropdown", "name": "c", "choicesByUrl": {"url": "x"}},
            "choicesByUrl: this part of a question is not supported",
        ),
        (
            {"type": "dropdown", "name": "c", "choices": ["a", "b"], "hasOther": True},
            "hasOther: this part of a question is not supported",
        ),
        ({"type": "boolean", "name": "c", "title": {"default": "A"}, "labelTrue": {"default": "B", "de": "C"}}, "de"),
    ],
)
def test_what_a_surveyjs_form_has_and_a_survey_has_not_is_named(element: dict[str, Any], line: str) -> None:
    with pytest.raises(SurveyError) as raised:
        from_surveyjs(json.dumps({"title": "T", "elements": [element]}), "form.json", strict=True)
    assert line in str(raised.value)


def test_what_is_not_used_renamed_or_sent_as_it_is_is_noted() -> None:
    notes = from_surveyjs(json.dumps(FORMS["agreement"] | {"showProgressBar": "top"}), "form.json").notes
    assert notes[:3] == (
        "not used: form, showProgressBar",
        "not used: radiogroup, colCount",
        'renamed: "Fair pay" is fair_pay',
    )
    required, plain = notes[3:]
    assert "isRequired" in required
    assert "no question is disguised" in plain


@pytest.mark.parametrize(
    ("more", "whole"),
    [({}, False), ({"step": 1}, True), ({"step": 0.5}, False), ({"step": 1, "rr": {"cuts": [1.5]}}, False)],
)
def test_a_whole_step_makes_a_number_whole(more: dict[str, object], whole: bool) -> None:  # noqa: FBT001 - expected
    age = {"type": "text", "name": "age", "inputType": "number", "rr": {"cuts": [18]}} | more
    assert read_back(json.dumps({"elements": [age]}).encode()).question("age").whole is whole


def test_limits_that_stand_in_validators_are_read() -> None:
    """As the public examples of SurveyJS have them."""
    numeric = {"type": "numeric", "minValue": 10, "maxValue": 99}
    age = {"type": "text", "name": "age", "inputType": "number", "validators": [numeric], "rr": {"cuts": [18]}}
    counted = {"type": "answercount", "minCount": 1, "maxCount": 2}
    pets = {"type": "checkbox", "name": "pets", "choices": ["cat", "dog", "bird"], "validators": [counted]}
    survey = read_back(json.dumps({"elements": [age, pets]}).encode())
    assert (survey.question("age").minimum, survey.question("age").maximum) == (10, 99)
    assert [(screen.least, screen.most) for screen in survey.screens] == [(1, 2)]
    age["validators"] = [numeric, {"type": "expression", "expression": "{age} > 1"}]
    with pytest.raises(SurveyError, match="validators: "):
        from_surveyjs(json.dumps({"elements": [age]}), "form.json", strict=True)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"pages": 3}', '{"pages": [{"elements": [3]}]}', '{"elements": []}'])
def test_what_is_no_surveyjs_form_is_told(text: str) -> None:
    with pytest.raises(SurveyError):
        from_surveyjs(text, "form.json")


def test_an_xlsform_that_goes_out_is_taken_by_pyxform_and_comes_back(any_survey: Survey, tmp_path: Path) -> None:
    if any(group.channel.coin.varies for group in any_survey.groups):
        with pytest.raises(SurveyError, match="the odds of a group"):
            to_xlsform(any_survey)
        return
    converted = to_xlsform(any_survey)
    path = tmp_path / f"{any_survey.name}.xlsx"
    path.write_bytes(converted.content)
    assert "<h:title>" in convert(path).xform
    if not any_survey.groups:
        return  # which the import refuses: nothing is disguised
    again = import_form(path).survey
    lost = "the order at random" in " ".join(converted.notes)
    assert again.screens == tuple(replace(each, shuffle=each.shuffle and not lost) for each in any_survey.screens)
    for before, after in zip(any_survey.questions, again.questions, strict=True):
        given = replace(before, coding=after.coding) if "the coding" in " ".join(converted.notes) else before
        assert shown_in_full(after) == shown_in_full(given)
    assert {group.name: group for group in again.groups} == {group.name: group for group in any_survey.groups}
    assert to_xlsform(again).notes == tuple(note for note in converted.notes if note in to_xlsform(again).notes)


def shown_in_full(question: Question) -> Question:
    """A question with the words of its values, also where they read as they are."""
    words = tuple(Text.of(dict.fromkeys(question.label.design, value)) for value in question.values)
    return replace(question, shown=question.shown or (words if question.kind not in {"number", "yes_no"} else ()))


def test_what_an_xlsform_has_no_column_for_is_named(wellbeing: Survey) -> None:
    notes = to_xlsform(replace(wellbeing, preview="off")).notes
    assert "not in the form: study" in notes
    assert "not in the form: preview" in notes
    notes = to_xlsform(parse_survey(EVERY_KIND)).notes
    assert any(each.endswith(': yes, no, prefer_not_to_say of "bullied"') for each in notes)
    assert any(each.startswith("not in the form: the title") for each in notes)


def test_a_code_book_says_of_each_question_what_its_codes_mean_and_how_they_are_disguised(wellbeing: Survey) -> None:
    hostile = replace(wellbeing, title=wellbeing.title.of(en="<script>"), study=Study())
    page = html_codebook(hostile).content.decode()
    assert "<script>" not in page
    for question in wellbeing.questions:
        assert f"<code>{question.name}</code>" in page
    assert page.count("Disguised by randomized response") == 5
    assert page.count("Sent as answered: ") == 1


def test_ddi_has_every_variable_code_and_disguise(bilingual: Survey) -> None:
    book = fromstring(ddi_codebook(bilingual).content)  # noqa: S314 - our own
    names = {"d": DDI}
    assert [each.get("name") for each in book.iterfind(".//d:var", names)] == [q.name for q in bilingual.questions]
    for question, variable in zip(bilingual.questions, book.iterfind(".//d:var", names), strict=True):
        assert [each.text for each in variable.iterfind("d:catgry/d:catValu", names)] == list(map(str, question.codes))
        assert variable.findtext("d:codInstr", namespaces=names) == how_disguised(bilingual, question)


def test_ddi_marks_what_stands_for_no_answer_as_missing_and_says_that_estimates_need_it() -> None:
    survey = parse_survey(EVERY_KIND)
    book, names = fromstring(ddi_codebook(survey).content), {"d": DDI}  # noqa: S314 - our own
    found = {each.get("name"): each for each in book.iterfind(".//d:var", names)}
    marked = {
        name: {each.get("missType") for each in variable.iterfind("d:catgry[@missing='Y']", names)}
        for name, variable in found.items()
    }
    assert marked["bullied"] == {"prefer_not_to_say"}
    assert marked["how_words"] == set(), "whoever is not asked has the code of an answer"
    for question in survey.questions:
        instruction = found[question.name].findtext("d:codInstr", namespaces=names) or ""
        assert ("marked as missing" in instruction) == (bool(marked[question.name]) and question.sensitive)


def test_the_command_writes_each_format_and_names_what_it_cannot(root: Path, tmp_path: Path) -> None:
    source = root / "examples" / "wellbeing.toml"
    for suffix in ("json", "xlsx", "html", "xml"):
        result = run("convert", source, "-o", tmp_path / f"out.{suffix}")
        assert (result.exit_code, (tmp_path / f"out.{suffix}").stat().st_size > 500) == (0, True)
    assert run("convert", tmp_path / "out.json", "-o", tmp_path / "back.toml").exit_code == 0
    assert read_survey_file(tmp_path / "back.toml").fingerprint == read_survey_file(source).fingerprint
    (tmp_path / "huge.json").write_text(" " * 10_000_001, encoding="utf-8")
    refused = run("convert", tmp_path / "huge.json", "-o", tmp_path / "huge.toml")
    assert (refused.exit_code, "it is 10 MB large" in refused.stderr) == (2, True)
    refused = run("convert", source, "-o", tmp_path / "out.pdf")
    assert (refused.exit_code, "it cannot become .pdf" in refused.stderr) == (2, True)


def test_code_books_say_the_question_of_an_option_and_of_a_statement_and_how_values_read() -> None:
    survey, names = parse_survey(EVERY_KIND), {"d": DDI}
    assert "By words (How were you bullied?)</h2>" in html_codebook(survey).content.decode()
    book = fromstring(ddi_codebook(survey).content)  # noqa: S314 - our own
    statement = book.find(".//d:var[@name='climate_fair']", names)
    assert statement is not None
    assert [each.text for each in statement.findall("d:labl", names)] == [
        "Teachers are fair (How much do you agree?)",
        "المعلمون منصفون (إلى أي حد توافق؟)",
    ]
    assert [each.text for each in statement.findall("d:qstn/*", names)][::2] == [
        "How much do you agree?",
        "Teachers are fair",
    ]
    read = [each.text for each in statement.findall("d:catgry/d:labl", names)]
    assert read == ["no: Not at all", "partly: Partly", "full: Fully"]


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"rateCount": 5, "rateMin": 0}, ["0", "1", "2", "3", "4"]),
        ({"rateCount": 7}, ["1", "2", "3", "4", "5", "6", "7"]),
        ({"rateCount": 4, "rateMax": 10}, ["7", "8", "9", "10"]),
        ({"rateCount": 3, "rateMin": 0, "rateStep": 5}, ["0", "5", "10"]),
        ({"rateMin": 1, "rateMax": 7, "rateStep": 2, "rateCount": 9}, ["1", "3", "5", "7"]),
        ({}, ["1", "2", "3", "4", "5"]),
    ],
)
def test_a_rating_has_the_numbers_that_surveyjs_computes(keys: dict[str, int], expected: list[str]) -> None:
    element = {"type": "rating", "name": "q", "title": "Q", "isRequired": True, **keys}
    form = {"title": "T", "pages": [{"name": "p", "elements": [element]}]}
    survey = parse_survey(from_surveyjs(json.dumps(form), "form.json").content.decode())
    assert list(survey.questions[0].values) == expected


def test_a_form_of_thousands_of_panels_is_refused_before_it_is_read_to_the_end() -> None:
    panels = [
        {"type": "panel", "name": f"p{n}", "elements": [{"type": "boolean", "name": f"q{n}", "title": f"Q {n}"}]}
        for n in range(1002)
    ]
    form = {"title": "T", "pages": [{"name": "p", "elements": [*panels, *({"type": "panel"} for _ in range(9))]}]}
    with pytest.raises(SurveyError, match="more than 1000 questions"):
        from_surveyjs(json.dumps(form), "form.json")
