"""Values and codes as a respondent reads them, in the form by hand and in the page."""

from __future__ import annotations

from dataclasses import replace

import pytest
from playwright.sync_api import Page

from browser_fixtures import in_browser
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from respondent.pages.languages import interface
from respondent.pages.texts import script_texts
from respondent.pages.words import code_words, spelled, value_words

ENGLISH = interface("en")
THIRDS = "prior = { x = 0.5, y = 0.25, z = 0.25 }"


def one_question(kind: str, group: str, extra: str = "") -> Survey:
    values = {"yes_no": "", "number": "cuts = [0.5, 800]\nunit = 'EUR'"}.get(kind, 'values = ["x", "y", "z"]')
    return parse_survey(f"""
name = "s"
title = "S"
languages = ["en"]
[[questions]]
name = "q"
label = "Q?"
kind = "{kind}"
group = "g"
{values}
{extra}
[groups]
g = {{ {group} }}
""")


def test_values_are_said_as_people_say_them() -> None:
    survey = one_question("number", 'truth = "2/3", channel = "uniform"')
    words = [value_words(survey.question("q"), value, ENGLISH) for value in range(3)]
    assert words == ["under 0.5 EUR", "0.5 to under 800 EUR", "800 EUR or more"]
    yes_no = one_question("yes_no", 'truth = "2/3"').question("q")
    assert [value_words(yes_no, value, ENGLISH) for value in range(2)] == ["Yes", "No"]


def test_a_number_of_one_stands_without_its_unit() -> None:
    survey = one_question("number", 'truth = "2/3", channel = "uniform"').question("q")
    days = replace(survey, cuts=(1, 7), values=("<1", "1..7", ">=7"), unit="days")
    assert [value_words(days, value, ENGLISH) for value in range(3)] == [
        "under 1",
        "1 to under 7 days",
        "7 days or more",
    ]


def test_values_without_words_read_as_words_unless_two_would_read_the_same() -> None:
    choice = one_question("choice", 'truth = "4/5"').question("q")
    plain = replace(choice, values=("not_at_all", "a bit", "very_much"))
    assert [value_words(plain, value, ENGLISH) for value in range(3)] == ["not at all", "a bit", "very much"]
    twins = replace(choice, values=("a_bit", "a bit", "_"))
    assert [value_words(twins, value, ENGLISH) for value in range(3)] == ["a_bit", "a bit", "_"]


def test_values_read_as_the_survey_words_them_in_each_language(bilingual: Survey) -> None:
    drinking = bilingual.question("drinking")
    assert value_words(drinking, 0, ENGLISH) == "Never"
    assert value_words(drinking, 0, interface("ar")) == "أبدا"
    assert value_words(bilingual.question("cannabis"), 0, interface("ar")) == "نعم"


def test_a_language_without_a_catalogue_is_told_in_english(wellbeing: Survey) -> None:
    assert value_words(wellbeing.question("cannabis"), 0, interface("da")) == "Yes"


def test_codes_of_one_value_are_told_apart_and_one_that_stands_for_nothing_is_a_number() -> None:
    question = one_question("choice", 'truth = "4/5"', THIRDS).question("q")
    assert [code_words(question, code, ENGLISH) for code in question.codes] == ["x (code 0)", "x (code 1)", "y", "z"]
    lone = one_question("choice", 'truth = "4/5"', f"{THIRDS}\ncoding = 'szucs'")
    assert "code 2" in [code_words(lone.question("q"), code, ENGLISH) for code in lone.question("q").codes]


@pytest.mark.browser
def test_the_page_words_values_as_the_form_by_hand_does_and_parts_thousands(
    modules: Page, wellbeing: Survey, bilingual: Survey
) -> None:
    odd = one_question("choice", 'truth = "4/5"').question("q")
    days = replace(one_question("number", 'truth = "2/3", channel = "uniform"').question("q"), unit="days")
    days = replace(days, cuts=(1, 7), values=("<1", "1..7", ">=7"))
    asked = [*wellbeing.questions, *bilingual.questions, days]
    asked += [replace(odd, values=values) for values in (("not_at_all", "a b", "c"), ("a_bit", "a bit", "_"))]
    found = in_browser(
        modules,
        'return argument.questions.map((each) => wording.valueWords(each, {}, "en", argument.texts, numbers));',
        {"questions": [each.design for each in asked], "texts": script_texts(ENGLISH)},
    )
    assert [[word.replace(",", "") for word in words] for words in found] == [
        [value_words(each, value, ENGLISH) for value in range(len(each.values))] for each in asked
    ]
    assert found[3] == ["under 400 EUR", "400 to under 800 EUR", "800 to under 1,500 EUR", "1,500 EUR or more"]


def test_days_by_hand_read_as_on_the_page_and_extras_as_everywhere() -> None:
    survey = parse_survey("""
name = "days"
title = "Days"
languages = ["de"]
groups = { g = { truth = "3/4" } }
[[questions]]
name = "moved"
label = "When did you join?"
kind = "date"
cuts = [2010-01-01, 2020-07-15]
decline = true
group = "g"
""")
    question = spelled(survey, survey.question("moved"))
    assert [value_words(question, value, interface("de")) for value in range(4)] == [
        "vor 1. Januar 2010",
        "1. Januar 2010 bis vor 15. Juli 2020",
        "15. Juli 2020 oder später",
        "Möchte ich nicht sagen",
    ]
