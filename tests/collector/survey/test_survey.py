"""Surveys: questions found by name, responses checked without being repeated, and what cannot be published refused."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from channels import complement
from collector.coding.coding import balanced_coding, plain_coding
from collector.errors import QueryError, ResponseError, SurveyError
from collector.survey.question import Question
from collector.survey.survey import LARGEST_RESPONSE, MOST_QUESTIONS, Group, Survey
from collector.survey.text import Text

HALVES = (Fraction(1, 2), Fraction(1, 2))
CODES = {"year": 0, "cannabis": 1, "drinking": 3, "income": 2, "debt": 0, "distress": 1}


def open_question(name: str) -> Question:
    return Question(name, Text.of(en="Q?"), "yes_no", ("yes", "no"), HALVES, plain_coding(2), sensitive=False)


def test_a_question_is_found_by_its_name(wellbeing: Survey) -> None:
    assert wellbeing.question("debt").name == "debt"
    with pytest.raises(QueryError) as raised:
        wellbeing.question("debts")
    listed = "year, cannabis, drinking, income, debt, distress"
    line = f'survey "wellbeing": there is no question "debts"; did you mean "debt"? use one of: {listed}'
    assert str(raised.value) == line


def test_groups_know_their_questions_and_questions_their_group(wellbeing: Survey) -> None:
    substances = wellbeing.groups[0]
    assert [question.name for question in wellbeing.members(substances)] == ["cannabis", "drinking"]
    assert wellbeing.group_of("drinking") == substances
    assert wellbeing.group_of("year") is None


def test_checked_codes_come_in_question_order_whatever_order_they_came_in(wellbeing: Survey) -> None:
    assert wellbeing.checked_codes(dict(reversed(CODES.items()))) == (0, 1, 3, 2, 0, 1)


SENT: dict[str, tuple[dict[str, object], str]] = {
    "a missing question": (
        {"debt": None},
        'question "debt": the code is missing, or the question has no such code; send one of: 0, 1',
    ),
    "a code too large": (
        {"debt": 2},
        'question "debt": the code is missing, or the question has no such code; send one of: 0, 1',
    ),
    "a negative code": (
        {"year": -1},
        'question "year": the code is missing, or the question has no such code; send one of: 0, 1, 2, 3',
    ),
    "a boolean": (
        {"debt": True},
        'question "debt": the code is missing, or the question has no such code; send one of: 0, 1',
    ),
    "a float": (
        {"debt": 1.0},
        'question "debt": the code is missing, or the question has no such code; send one of: 0, 1',
    ),
    "text": (
        {"debt": "1"},
        'question "debt": the code is missing, or the question has no such code; send one of: 0, 1',
    ),
    "an answer in words": (
        {"debt": "yes"},
        'question "debt": the code is missing, or the question has no such code; send one of: 0, 1',
    ),
    "a stranger": (
        {"secret_key": 1},
        "codes: a code is sent under a name that is not a question; send codes under the names of questions only",
    ),
}


@pytest.mark.parametrize("kind", SENT)
def test_a_response_that_does_not_fit_is_refused_and_not_repeated(kind: str, wellbeing: Survey) -> None:
    changes, line = SENT[kind]
    with pytest.raises(ResponseError) as raised:
        wellbeing.checked_codes(CODES | changes)
    assert str(raised.value) == line


def test_a_missing_key_is_a_missing_code(wellbeing: Survey) -> None:
    with pytest.raises(ResponseError, match='question "distress"'):
        wellbeing.checked_codes({name: code for name, code in CODES.items() if name != "distress"})


def test_a_survey_may_have_1000_questions_and_no_more() -> None:
    questions = tuple(open_question(f"q{number}") for number in range(MOST_QUESTIONS + 1))
    assert len(Survey("long", Text.of(en="Long"), ("en",), questions[:-1], ()).questions) == MOST_QUESTIONS
    with pytest.raises(SurveyError, match="more than 1000 questions"):
        Survey("long", Text.of(en="Long"), ("en",), questions, ())


def named(length: int) -> Survey:
    """1,000 questions whose names have so many characters."""
    questions = tuple(open_question(f"q{number:0{length - 1}}") for number in range(MOST_QUESTIONS))
    return Survey("long", Text.of(en="Long"), ("en",), questions, ())


def test_a_survey_is_refused_where_a_response_may_be_longer_than_a_server_takes() -> None:
    longest = 60  # characters
    kept = named(longest)
    kept.check_length()
    codes = {question.name: 1 for question in kept.questions}
    sent = {"fingerprint": kept.fingerprint, "codes": codes, "receipt": "A" * 43, "invitation": "A" * 300}
    assert len(json.dumps(sent, separators=(",", ":"))) <= LARGEST_RESPONSE
    with pytest.raises(SurveyError) as raised:
        named(longest + 1).check_length()
    assert raised.value.place == "questions"
    assert "66,512 bytes" in raised.value.problem


WRONG: dict[str, tuple[dict[str, object], str]] = {
    "no name": (
        {"name": ""},
        (
            "name: the name is not made of a to z, digits and _ (at most 63 characters, "
            "beginning with a letter); choose a name such as year_1"
        ),
    ),
    "a name like a table of ours": (
        {"name": "responses_a"},
        "name: it begins with responses_ or sqlite_; choose another",
    ),
    "a name like a table of SQLite's": (
        {"name": "sqlite_a"},
        "name: it begins with responses_ or sqlite_; choose another",
    ),
    "no title": (
        {"title": Text.of(en="")},
        "title: the text is empty; write plain words",
    ),
    "no language": (
        {"languages": ()},
        'languages: the languages are not written as language tags; write language tags such as "en" or "pt-BR"',
    ),
    "a language in full": (
        {"languages": ("English",)},
        'languages: the languages are not written as language tags; write language tags such as "en" or "pt-BR"',
    ),
    "no question": ({"questions": ()}, "questions: the survey has no questions; add a question under [[questions]]"),
    "a target that is no question": (
        {"target": "x"},
        "mining, target: no question has this name; use one of: a, b",
    ),
    "one name for two questions": (
        {"questions": (open_question("a"), open_question("a"))},
        'question "a": the name is used twice; rename one of the two questions',
    ),
    "an open question with paired codes": (
        {"questions": (replace(open_question("a"), coding=balanced_coding(HALVES)),)},
        'question "a": the question is not disguised; remove the coding',
    ),
    "an open question in a group": (
        {"groups": (Group("g", complement(Fraction(3, 4)), ("a",)),)},
        (
            'question "a": the question is not sensitive, but it belongs to a group; remove '
            "the question's group, or sensitive = false"
        ),
    ),
    "a group with a bad name": (
        {"groups": (Group("G", complement(Fraction(3, 4)), ("a",)),)},
        (
            'group "G": the name is not made of a to z, digits and _ (at most 63 characters, '
            "beginning with a letter); choose a name such as year_1"
        ),
    ),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_survey_that_does_not_hold_together_is_refused(kind: str) -> None:
    changes, line = WRONG[kind]
    survey = Survey("s", Text.of(en="S"), ("en",), (open_question("a"), open_question("b")), ())
    with pytest.raises(SurveyError) as raised:
        replace(survey, **changes)  # type: ignore[arg-type]
    assert str(raised.value) == line
