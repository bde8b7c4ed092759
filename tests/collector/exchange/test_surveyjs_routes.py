"""Triggers of a SurveyJS form that decide who is asked: nobody else is asked in the survey file."""

from __future__ import annotations

import json
from typing import Any

import pytest

from collector.errors import SurveyError
from collector.exchange.file_table import Converted
from collector.exchange.surveyjs import from_surveyjs
from collector.exchange.surveyjs_out import to_surveyjs
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey

Element = dict[str, Any]
ENDS = {"type": "complete", "name": "stop", "operator": "equal", "value": "Yes"}
GOES_ON = {"type": "skip", "expression": "{stop} = 'Yes'", "gotoName": "last"}


def asked(name: str, **keys: object) -> Element:
    return {"type": "radiogroup", "name": name, "choices": ["Yes", "No"], "isRequired": True, **keys}


def page(*elements: Element, **keys: object) -> Element:
    return {"elements": list(elements), **keys}


def converted(*pages: Element, triggers: list[Element], **keys: object) -> Converted:
    return from_surveyjs(json.dumps({"pages": list(pages), "triggers": triggers, **keys}), "form.json")


def survey_of(form: Converted) -> Survey:
    return parse_survey(form.content.decode())


def conditions(form: Converted) -> dict[str, object]:
    survey = survey_of(form)
    screens = {each.name: survey.screen_of(each.name) for each in survey.questions}
    return {name: dict(screen.ask_if) if screen else {} for name, screen in screens.items()}


@pytest.mark.parametrize(
    "trigger",
    [
        ENDS,
        ENDS | {"type": "completetrigger"},
        {"type": "complete", "name": "stop", "value": "Yes"},
        {"type": "complete", "expression": "{stop} = 'Yes'"},
        {"type": "complete", "name": "stop", "operator": "notequal", "value": "No"},
        {"type": "complete", "expression": "{stop} anyof ['Yes']"},
    ],
)
def test_who_ends_the_form_early_is_not_asked_what_stands_on_later_pages(trigger: Element) -> None:
    form = converted(page(asked("stop"), asked("beside")), page(asked("later")), triggers=[trigger])
    assert conditions(form) == {"stop": {}, "beside": {}, "later": {"stop": ("No",)}}
    assert form.left_out == ()


def test_each_page_of_one_question_is_a_page_and_one_page_of_all_is_never_left_early() -> None:
    pages = [page(asked("stop"), asked("later"))]
    apart = converted(*pages, triggers=[ENDS], questionsOnPageMode="questionPerPage")
    assert conditions(apart)["later"] == {"stop": ("No",)}
    together = converted(page(asked("stop")), page(asked("later")), triggers=[ENDS], questionsOnPageMode="singlePage")
    assert conditions(together)["later"] == {}


def test_who_skips_pages_is_asked_again_from_the_page_of_the_question_that_is_named() -> None:
    pages = page(asked("stop")), page(asked("between")), page(asked("beside"), asked("last")), page(asked("after"))
    form = converted(*pages, triggers=[GOES_ON])
    assert conditions(form) == {"stop": {}, "between": {"stop": ("No",)}, "beside": {}, "last": {}, "after": {}}
    assert conditions(converted(*pages, triggers=[GOES_ON | {"gotoName": "stop"}]))["between"] == {}


@pytest.mark.parametrize("key", ["questions", "pages", "panels"])
def test_what_a_trigger_shows_is_asked_of_those_for_whom_it_does(key: str) -> None:
    shows: Element = {"type": "visible", "name": "stop", "operator": "equal", "value": "Yes"}
    shows |= {"pages": ["more"]} if key == "pages" else {"questions": ["why" if key == "questions" else "more"]}
    why = asked("why", **({"visible": False} if key == "questions" else {}))
    inside = {"type": "panel", "name": "more", "visible": False, "elements": [why]}
    second = page(why, name="more", visible=False) if key == "pages" else page(inside if key == "panels" else why)
    form = converted(page(asked("stop")), second, triggers=[shows])
    assert conditions(form) == {"stop": {}, "why": {"stop": ("Yes",)}}
    assert form.left_out == ()


def test_what_is_seen_until_a_trigger_hides_it_is_asked_of_those_without_an_answer_too() -> None:
    shows = {"type": "visible", "name": "stop", "value": "Yes", "questions": ["why"]}
    form = converted(page(asked("stop", isRequired=False)), page(asked("why")), triggers=[shows])
    assert conditions(form)["why"] == {"stop": ("Yes", "no_answer")}


def test_a_question_of_which_triggers_do_not_say_for_whom_it_is_asked_is_left_out_and_not_asked_of_everybody() -> None:
    """Two triggers show it, or its condition is about free text."""
    shows = {"type": "visible", "name": "stop", "value": "Yes", "questions": ["why"]}
    pages = page(asked("stop"), {"type": "comment", "name": "words"}), page(asked("why"))
    form = converted(*pages, triggers=[shows, shows | {"value": "No"}])
    assert any(each.startswith('element "why", triggers: ') for each in form.left_out)
    assert [each.name for each in survey_of(form).questions] == ["stop"]
    form = converted(*pages, triggers=[{"type": "complete", "name": "words", "operator": "notempty"}])
    assert any('"words" that conditions can name' in line and "triggers, complete" in line for line in form.left_out)
    assert [each.name for each in survey_of(form).questions] == ["stop"]
    with pytest.raises(SurveyError) as refused:
        converted(*pages, triggers=[{"type": "complete", "expression": "{score} > 3"}])
    assert 'no question "score"' in str(refused.value)


def test_triggers_that_compute_are_named_and_ask_nobody_less() -> None:
    sets = {"type": "setvalue", "name": "stop", "value": "Yes", "setToName": "later", "setValue": "No"}
    form = converted(page(asked("stop")), page(asked("later")), triggers=[sets, ENDS])
    (left_out,) = form.left_out
    assert left_out.startswith("triggers: ")
    assert conditions(form)["later"] == {"stop": ("No",)}


def test_a_choice_with_a_bar_is_a_value_and_its_text() -> None:
    many = asked("many", choices=["one|Only one", "many|More than one | less than all", "none"])
    rows = {"type": "matrix", "name": "m", "columns": ["lo|Low", "hi|High"], "rows": ["a|First", "b|Second"]}
    form = converted(page(many, asked("why", visibleIf="{many} = 'many'"), rows), triggers=[])
    survey = survey_of(form)
    many_values = survey.question("many")
    assert many_values.values == ("one", "many", "none")
    assert [dict(each.pairs)["en"] for each in many_values.shown] == [
        "Only one",
        "More than one | less than all",
        "none",
    ]
    assert conditions(form)["why"] == {"many": ("many",)}
    assert survey.question("m_a").base == ("lo", "hi")


def test_a_value_with_a_bar_goes_out_and_comes_back_as_it_is() -> None:
    text = 'name = "s"\ntitle = "S"\nlanguages = ["en"]\n[[questions]]\nname = "q"\nlabel = "Q?"\nkind = "choice"\n'
    survey = parse_survey(f'{text}values = ["a|b", "a|c"]\nsensitive = false\n')
    back = from_surveyjs(to_surveyjs(survey).content.decode(), "form.json")
    assert survey_of(back).fingerprint == survey.fingerprint
