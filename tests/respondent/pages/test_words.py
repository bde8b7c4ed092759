"""Codes as a respondent reads them in the form by hand."""

from __future__ import annotations

from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from respondent.pages.languages import interface
from respondent.pages.words import code_words, condition_words
from worded_survey import worded_survey

ENGLISH = interface("en")
THIRDS = "prior = { x = 0.5, y = 0.25, z = 0.25 }"


def one_question(extra: str) -> Survey:
    return parse_survey(f"""
name = "s"
title = "S"
languages = ["en"]
[[questions]]
name = "q"
label = "Q?"
kind = "choice"
values = ["x", "y", "z"]
group = "g"
{extra}
[groups]
g = {{ truth = "4/5" }}
""")


def words(survey: Survey) -> list[str]:
    return list(code_words(survey, survey.question("q"), ENGLISH).values())


def test_codes_of_one_value_are_told_apart_and_one_that_stands_for_nothing_is_a_number() -> None:
    assert words(one_question(THIRDS)) == ["x (code 0)", "x (code 1)", "y", "z"]
    assert "code 2" in words(one_question(f"{THIRDS}\ncoding = 'szucs'"))


def test_the_condition_of_a_question_is_in_the_language_of_the_form() -> None:
    survey = worded_survey()
    told = condition_words(survey, survey.question("often"), "smokes", ["yes"], interface("de"))
    number = [each.name for each in survey.questions].index("smokes") + 1
    assert f"Frage {number}" in told
    assert "Ja" in told
    assert told.endswith("Trifft nicht zu.")
