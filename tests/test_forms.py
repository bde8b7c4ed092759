"""The form is built from the design, and nothing in it could be sent by a browser of its own accord."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from collector.store import Store
from collector.survey import Survey
from collector.survey_file import parse_survey
from respondent.app import create_app
from respondent.forms import survey_form
from respondent.languages import interface

ENGLISH = interface("en")
AWKWARD = ("data", "errors", "meta", "validate", "constructor", "csrf_token")  # what forms and objects have too


@pytest.fixture(autouse=True)
def context(tmp_path: Path) -> Iterator[None]:
    with Store(tmp_path / "deniable.db", create=True) as store, create_app(store).test_request_context():
        yield


def test_there_is_one_field_for_each_question_in_order(wellbeing: Survey) -> None:
    fields = list(survey_form(wellbeing, ENGLISH))
    assert [field.id for field in fields] == [f"q-{question.name}" for question in wellbeing.questions]
    assert [field.label.text for field in fields] == [question.label["en"] for question in wellbeing.questions]


def test_choices_are_the_values_in_order(wellbeing: Survey) -> None:
    drinking, cannabis = list(survey_form(wellbeing, ENGLISH))[2], list(survey_form(wellbeing, ENGLISH))[1]
    assert [option.data for option in drinking] == ["never", "monthly", "weekly"]
    assert [option.label.text for option in cannabis] == ["Yes", "No"]


def test_texts_are_those_of_the_language(bilingual: Survey) -> None:
    cannabis = list(survey_form(bilingual, interface("ar")))[1]
    assert cannabis.label.text == bilingual.question("cannabis").label["ar"]
    assert [option.label.text for option in cannabis] == ["نعم", "لا"]


def test_no_control_has_a_name_and_all_wait_for_the_script(wellbeing: Survey) -> None:
    for field in survey_form(wellbeing, ENGLISH):
        for control in [field] if field.type == "NumberField" else field:
            html = str(control())
            assert html.startswith("<input ")
            assert "name=" not in html
            assert " disabled" in html
            assert "checked" not in html


def test_a_number_is_text_with_a_numeric_keyboard(wellbeing: Survey) -> None:
    html = str(list(survey_form(wellbeing, ENGLISH))[3]())
    assert 'type="text"' in html
    assert 'inputmode="decimal"' in html


@pytest.mark.parametrize("name", AWKWARD)
def test_questions_may_be_called_what_forms_call_their_parts(name: str) -> None:
    survey = parse_survey(f"""
name = "s"
title = "S"
languages = ["en"]
questions = [{{ name = "{name}", label = "?", kind = "yes_no", sensitive = false }}]
""")
    (field,) = survey_form(survey, ENGLISH)
    assert field.id == f"q-{name}"


def test_labels_cannot_inject_markup() -> None:
    survey = parse_survey("""
name = "s"
title = "S"
languages = ["en"]
questions = [{ name = "q", label = "<b>?</b>", kind = "choice", values = ['"><script>', "b"], sensitive = false }]
""")
    (field,) = survey_form(survey, ENGLISH)
    html = "".join(str(option()) + str(option.label) for option in field)
    assert "<script>" not in html
    assert "<b>" not in str(field.label)
