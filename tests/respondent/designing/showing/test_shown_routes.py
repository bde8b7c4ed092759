"""Who reaches each question: exact under the priors, counted over all people, and said where it rests on a guess."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from collector.survey.question import NOT_APPLICABLE
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from respondent.designing.showing import routes
from respondent.designing.showing.routes import routes_of, share_asked

ROUTED = """
name = "routed"
title = "Routed"
languages = ["en"]

[[questions]]
name = "work"
label = "Do you work?"
kind = "choice"
values = ["none", "part", "full"]
sensitive = false

[[questions]]
name = "hours"
label = "How many hours?"
kind = "number"
cuts = [10, 30]
sensitive = false
ask_if = "work in (part, full)"
prior = { "<10" = 0.5, "10..30" = 0.3, ">=30" = 0.2 }

[[questions]]
name = "tools"
label = "What do you use?"
kind = "multiple"
options = { pen = "A pen", saw = "A saw" }
prior = { pen = 0.5, saw = 0.1 }
sensitive = false

[[questions]]
name = "tired"
label = "Are you tired?"
kind = "yes_no"
prior = { yes = 0.2, no = 0.8 }
group = "tired"
ask_if = 'work = full and hours = ">=30" and tools_saw = yes'

[[questions]]
name = "rest"
label = "Do you rest?"
kind = "yes_no"
group = "rest"
ask_if = 'tired = yes and hours in ("10..30", ">=30")'

[[questions]]
name = "ghost"
label = "Who are you?"
kind = "yes_no"
group = "ghost"
ask_if = 'rest = yes and work = part'

[[questions]]
name = "other"
label = "Who is not tired?"
kind = "yes_no"
group = "other"
ask_if = 'tired in (no, not_applicable)'

[groups]
tired = { truth = "4/5" }
rest = { truth = "4/5" }
ghost = { truth = "4/5" }
other = { truth = "4/5" }
"""


def people(survey: Survey) -> Iterator[tuple[dict[str, str], Fraction]]:
    """Everybody: all answers that a person may give, with the share of such people, question by question."""
    everybody: list[tuple[dict[str, str], Fraction]] = [({}, Fraction(1))]
    for question in survey.questions:
        conditions = survey.routes.conditions(question.name)
        given = {
            value: share
            for value, share in zip(question.values, question.prior, strict=True)
            if value != NOT_APPLICABLE
        }
        after = []
        for answers, share in everybody:
            met = all(
                survey.question(name).values.index(answers[name]) in wanted for name, wanted in conditions.items()
            )
            ways = (
                {value: each / sum(given.values()) for value, each in given.items()}
                if met
                else {NOT_APPLICABLE: Fraction(1)}
            )
            after += [({**answers, question.name: value}, share * each) for value, each in ways.items()]
        everybody = after
    return iter(everybody)


def test_shares_are_those_of_counting_everybody() -> None:
    survey = parse_survey(ROUTED)
    counted = dict.fromkeys((each.name for each in survey.questions), Fraction(0))
    for answers, share in people(survey):
        for name, value in answers.items():
            counted[name] += share * (value != NOT_APPLICABLE)
    assert {each.name: share_asked(survey, each.name) for each in survey.questions} == counted
    assert counted["tired"] == Fraction(1, 3) * Fraction(1, 5) * Fraction(1, 10), "answers of one person go together"


def found(text: str, respondents: int = 1500) -> list[dict[str, Any]]:
    """The routes of a survey file."""
    return routes_of(parse_survey(text), tomllib.loads(text), respondents)


def test_each_question_of_the_file_has_who_is_asked_and_how_many() -> None:
    work, hours, tools, tired, rest, ghost, other = found(ROUTED)
    assert [each["expected"] for each in (work, hours, tools, tired, rest)] == [1500, 1000, 1500, 10, 2]
    assert hours["conditions"] == [{"index": 0, "title": "Do you work?", "answers": ["part", "full"]}]
    assert [each["index"] for each in tired["conditions"]] == [0, 1, 2]
    assert tired["conditions"][2]["answers"] == ["Yes"]
    assert (ghost["share"], ghost["expected"]) == (0, 0), "nobody has these answers"
    assert [each["share"] == 0 for each in (work, hours, tools, tired, rest, other)] == [False] * 6
    assert other["share"] == pytest.approx(1 - tired["share"] * 0.2)


def test_what_has_no_expected_shares_is_named() -> None:
    work, hours, _, tired, rest, ghost, _ = found(ROUTED)
    assert [each["guessed"] for each in (work, hours, tired, rest, ghost)] == [[], [0], [0], [0], [0, 4]]
    priors = ROUTED.replace(
        'values = ["none", "part", "full"]',
        'values = ["none", "part", "full"]\nprior = { none = 0.5, part = 0.25, full = 0.25 }',
    )
    work, hours, _, tired, *_ = found(priors)
    assert (hours["guessed"], hours["expected"], tired["guessed"]) == ([], 750, [])


def test_a_split_questionnaire_asks_those_that_it_draws() -> None:
    text = ROUTED.split('[[questions]]\nname = "tired"', maxsplit=1)[0].replace(
        'name = "routed"', 'name = "routed"\nsampling = { ask = 2, always = ["work"] }'
    )
    work, hours, tools = found(text)
    assert (work["drawn"], work["expected"]) == (1, 1500)
    assert (hours["drawn"], hours["expected"]) == (pytest.approx(1 / 3), 333)
    assert (tools["drawn"], tools["expected"]) == (pytest.approx(1 / 3), 500)


def test_what_depends_on_too_many_answers_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "MOST_STATES", 1)
    found_now = found(ROUTED)
    assert (found_now[3]["share"], found_now[3]["expected"]) == (None, None)
    assert found_now[0]["share"] == 1
