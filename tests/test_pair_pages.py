"""Pages of a survey in which two answers have one code: what they say is true, in every language; what they take."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest

from collector.store import Store
from collector.survey import Survey
from collector.survey_file import parse_survey
from paired_surveys import FORCED, forced, sent_by
from respondent.app import create_app
from respondent.card import example, limits
from respondent.languages import SHIPPED, interface
from respondent.odds import code_odds, question_odds

ENGLISH = interface("en")


@pytest.mark.parametrize("name", FORCED)
def test_the_odds_of_a_question_are_those_of_every_code_there_is(name: str) -> None:
    survey = forced(name)
    for place, question in enumerate(survey.questions):
        own, other = [], []
        for pair, sent in sent_by(survey, (0, 0, 0)):
            if place not in pair:
                continue
            assert survey.together is not None
            coding = survey.together.coding_of([len(survey.questions[each].values) for each in pair])
            found = [
                sum((c for row, c in sent.items() if coding.has((row[pair[0]], row[pair[1]]), each)), Fraction(0))
                for each in range(coding.combinations)
            ]
            own.append(found[0])
            assert len(set(found[1:])) == 1
            other.append(found[1])
        told = question_odds(survey, question, ENGLISH)
        assert told.headline.startswith(
            "Your two answers are sent as one code, which may stand for several pairs of answers."
        )
        base, *numbers = (int(each) for each in re.findall(r"\d+", told.headline))
        ends = [min(own), max(own), min(other), max(other)]
        expected = sorted(set(ends[:2])) + sorted(set(ends[2:]))
        assert [Fraction(each, base) for each in numbers] == pytest.approx([float(e) for e in expected], abs=0.5 / base)
        assert code_odds(survey, question, ENGLISH) == {}


def test_there_is_no_example_of_one_answer_and_every_question_has_its_limit() -> None:
    survey = forced("masks")
    assert example(survey, ENGLISH) is None
    lines = limits(survey, ENGLISH)
    assert lines[0] == (
        "Question “q0?”: what is sent for it may raise the chance that your answer is q00 from 50 to about 82 in "
        "100, at most."
    )
    assert len(lines) == len(survey.questions) + 1


def test_the_odds_are_told_in_every_language() -> None:
    letter = "{ en = '?', ar = '?' }"
    asked = [f"{{ name = 'q{n}', label = {letter}, kind = 'yes_no', group = 'g' }}" for n in range(3)]
    survey = parse_survey(
        f"name = 'two'\ntitle = {letter}\nlanguages = ['en', 'ar']\nquestions = [{', '.join(asked)}]\n"
        "[groups]\ng = { epsilon = 1, together = true }\n[sampling]\nask = 2\n"
    )
    told = {tag: question_odds(survey, survey.questions[0], interface(tag)).headline for tag in SHIPPED}
    assert len(set(told.values())) == len(SHIPPED)
    assert {tuple(re.findall(r"[0-9]+|[{}]", each)) for each in told.values()} == {("1000", "475", "175")}


@pytest.fixture
def published(tmp_path: Path) -> tuple[Store, Survey]:
    survey = forced("masks")
    store = Store(tmp_path / "a.db", create=True)
    store.publish(survey)
    return store, survey


def body(survey: Survey, codes: dict[str, object]) -> str:
    return json.dumps({"fingerprint": survey.fingerprint, "codes": codes, "receipt": "A" * 43})


@pytest.mark.parametrize(
    ("codes", "status"),
    [
        ({"q0": 5, "q1": 0, "q2": None}, 201),
        ({"q0": None, "q1": 56, "q2": 0}, 201),
        ({"q0": 7, "q1": 0, "q2": None}, 400),
        ({"q0": 5, "q1": 1, "q2": None}, 400),
        ({"q0": 5, "q1": 0, "q2": 0}, 400),
        ({"q0": 32_768, "q1": 0, "q2": None}, 400),
        ({"q0": -1, "q1": 0, "q2": None}, 400),
        ({"q0": 5, "q1": 0}, 400),
    ],
)
def test_the_server_takes_a_code_of_two_answers_and_nothing_else(
    published: tuple[Store, Survey], codes: dict[str, object], status: int
) -> None:
    store, survey = published
    client = create_app(store).test_client()
    answer = client.post(
        f"/api/v1/surveys/{survey.name}/responses", data=body(survey, codes), content_type="application/json"
    )
    assert answer.status_code == status
    assert store.count(survey) == (status == 201)
    if status != 201:
        assert "32768" not in answer.text
        assert "-1" not in answer.text


def test_it_cannot_be_answered_by_hand(published: tuple[Store, Survey]) -> None:
    store, survey = published
    client = create_app(store).test_client()
    assert "This survey cannot be answered by hand" in client.get(f"/s/{survey.name}/by-hand").text
    form = {"fingerprint": survey.fingerprint, "receipt": "A" * 43, "q-q0": "5", "q-q1": "0"}
    assert client.post(f"/s/{survey.name}/by-hand", data=form).status_code == 400
    assert store.count(survey) == 0
