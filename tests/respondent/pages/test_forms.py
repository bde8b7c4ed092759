"""The form to fill in by hand takes of each question one of its codes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from collector.store.store import Store
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from respondent.app import create_app
from respondent.pages.forms import hand_form

AWKWARD = ("data", "errors", "meta", "validate", "constructor", "csrf_token")  # what forms and objects have too


@pytest.fixture(autouse=True)
def context(tmp_path: Path) -> Iterator[None]:
    with Store(tmp_path / "deniable.db", create=True) as store, create_app(store).test_request_context():
        yield


def test_there_is_one_field_for_each_question_in_order(wellbeing: Survey) -> None:
    assert [field.name for field in hand_form(wellbeing)] == [f"q-{question.name}" for question in wellbeing.questions]


def test_the_choices_are_the_codes_in_order_and_none_is_chosen(wellbeing: Survey) -> None:
    for field, question in zip(hand_form(wellbeing), wellbeing.questions, strict=True):
        assert [option.data for option in field] == [str(code) for code in question.codes]
        for option in field:
            assert " required" in str(option())
            assert "checked" not in str(option())


@pytest.mark.parametrize("name", AWKWARD)
def test_questions_may_be_called_what_forms_call_their_parts(name: str) -> None:
    survey = parse_survey(f"""
name = "s"
title = "S"
languages = ["en"]
questions = [{{ name = "{name}", label = "?", kind = "yes_no", sensitive = false }}]
""")
    (field,) = hand_form(survey)
    assert field.name == f"q-{name}"
