"""Choices of a form that are named as the values that a survey adds by itself: what can be asked is taken."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from collector.exchange.surveyjs import from_surveyjs
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from collector.xlsform.form import import_form
from spreadsheet_forms import YES_NO, sheets
from spreadsheets import save_form

CHOICES = ["much", "little", "prefer_not_to_say", "no_answer", "not_applicable"]


def radiogroup(name: str, *choices: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON
    return {"type": "radiogroup", "name": name, "isRequired": True, "choices": [*choices], **more}


def surveyjs(*elements: dict[str, Any]) -> tuple[Survey, tuple[str, ...], tuple[str, ...]]:
    found = from_surveyjs(json.dumps({"title": "T", "elements": [*elements]}), "form.json")
    return parse_survey(found.content.decode()), found.left_out, found.notes


def test_a_choice_not_applicable_of_who_was_asked_is_a_value_of_another_name() -> None:
    survey, left_out, notes = surveyjs(
        radiogroup("smokes", "yes", "no"),
        radiogroup("much", "much", "not_applicable", visibleIf="{smokes} = 'yes'"),
        radiogroup("why", "a", "b", visibleIf="{much} = 'not_applicable'"),
    )
    assert left_out == ()
    assert survey.question("much").values == ("much", "does_not_apply", "not_applicable")
    assert [text["en"] for text in survey.question("much").shown][:2] == ["much", "not applicable"]
    assert survey.screens[-1].ask_if == (("much", ("does_not_apply",)),)
    assert 'renamed: "not_applicable" of much is does_not_apply' in notes


def test_choices_to_decline_and_to_skip_are_those_of_the_survey() -> None:
    asked = radiogroup("much", *CHOICES[:4], isRequired=False, showRefuseItem=True)
    survey, left_out, notes = surveyjs(asked, radiogroup("why", "a", "b", visibleIf="{much} = 'no_answer'"))
    assert left_out == ()
    assert survey.question("much").values == ("much", "little", "prefer_not_to_say", "no_answer")
    assert survey.screens[-1].ask_if == (("much", ("no_answer",)),)
    assert 'not choices, but answers of the survey\'s own: "no_answer" of much, "prefer_not_to_say" of much' in notes


@pytest.mark.parametrize("required", ["yes", "no"])
def test_an_xlsform_with_such_choices_is_taken_whole(required: str, tmp_path: Path) -> None:
    rows = f"""
select_one answers | smokes | Do you smoke? | required = yes
select_one much | much | How much? | required = {required} | relevant = ${{smokes}} = 'yes'
select_one answers | quit | Will you quit? | required = yes | relevant = ${{much}} = 'not_applicable'"""
    lists = "much: " + ", ".join(f"{each}={each.replace('_', ' ').capitalize()}" for each in CHOICES)
    found = import_form(
        save_form(tmp_path / "form.xlsx", sheets("smoking", rows, YES_NO.replace("yes_no", "answers"), lists))
    )
    assert found.left_out == ()
    values = found.survey.question("much").values
    assert len(set(values)) == len(values)
    assert set(values) == {*CHOICES, "does_not_apply"}
    assert found.survey.screens[-1].ask_if == (("much", ("does_not_apply",)),)
