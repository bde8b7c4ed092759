"""The study card's odds: one example with its picture, and the honest limit, as the design has them."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from collector.disclosure.disclosure import QuestionDisclosure
from collector.survey.survey import Survey
from respondent.pages.card import example, limits, open_questions
from respondent.pages.languages import interface
from small_surveys import survey_of

ENGLISH = interface("en")


@pytest.mark.parametrize(
    ("truth", "line", "marked"),
    [
        ("3/4", "Of 100 people whose true answer is No, 25 will have Yes sent.", 25),
        ("2/3", "Of 100 people whose true answer is No, about 33 will have Yes sent.", 33),
        ("999/1000", "Of 100 people whose true answer is No, fewer than 1 will have Yes sent.", 1),
        ("1/1000", "Of 100 people whose true answer is No, more than 99 will have Yes sent.", 99),
        ("0", "Of 100 people whose true answer is No, 100 will have Yes sent.", 100),
    ],
)
def test_the_example_counts_people_out_of_a_hundred(truth: str, line: str, marked: int) -> None:
    found = example(survey_of(('kind = "yes_no"', "g", f'truth = "{truth}"')), ENGLISH)
    assert found is not None
    assert (found.line, found.marked) == (f"Question 1, for example. {line}", marked)


@pytest.mark.parametrize("marked", [1, 9, 10, 25, 99, 100])
def test_the_picture_marks_as_many_as_the_line_says(marked: int) -> None:
    found = example(survey_of(('kind = "yes_no"', "g", f'truth = "{100 - marked}/100"')), ENGLISH)
    assert found is not None
    steps = re.findall(r"([MHVZ])(\d+)?(?: (\d+))?", found.outline)
    corners, x, y = [], 0, 0
    for step, first, _ in steps:
        x, y = (int(first), y) if step == "H" else (x, int(first)) if step == "V" else (x, y)
        corners.append((x, y))
    area = sum(a * d - c * b for (a, b), (c, d) in zip(corners, [*corners[1:], corners[0]], strict=True))
    assert abs(area) == 2 * marked  # the shoelace formula counts twice


def test_the_example_is_a_question_with_two_answers_if_there_is_one(bilingual: Survey) -> None:
    found = example(bilingual, ENGLISH)
    assert found is not None
    assert "whose true answer is No" in found.line


def test_where_nothing_is_disguised_there_is_no_example() -> None:
    survey = survey_of(('kind = "yes_no"\nsensitive = false', "", ""))
    assert example(survey, ENGLISH) is None
    assert limits(survey, ENGLISH) == []
    assert open_questions(survey, ENGLISH) == "Not disguised, and sent as answered: question 1."


def test_the_limit_is_the_steepest_rise_that_the_design_allows(wellbeing: Survey) -> None:
    lines = limits(wellbeing, ENGLISH)
    assert len(lines) == 5 + 1, "five disguised questions, one group of two"
    for line, name in zip(lines, ["cannabis", "drinking", "income", "debt", "distress"], strict=False):
        before, after = map(int, re.findall(r"from (?:about )?(\d+) to (?:about )?(\d+) in 100", line)[0])
        rises = [
            risk.rise.after - risk.rise.before
            for risk in QuestionDisclosure(wellbeing.question(name), wellbeing.group_of(name)).risks
        ]
        assert abs(Fraction(after - before, 100) - max(rises)) <= Fraction(1, 100)


def test_a_group_of_several_questions_is_told_what_one_outside_fact_reveals(wellbeing: Survey) -> None:
    assert "whoever knows your true answer to one of them can work out the other" in limits(wellbeing, ENGLISH)[-1]
