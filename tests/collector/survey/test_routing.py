"""The rules of a design hold for exactly those answers that the page lets people give."""

from __future__ import annotations

from itertools import pairwise, product

import pytest

from collector.disclosure.privacy import SurveyPrivacy
from collector.survey.question import DECLINED, NOT_APPLICABLE, SKIPPED
from collector.survey.routing import Sets, narrowed, states_of
from collector.survey.screen import MULTIPLE
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from routed_surveys import routed_survey

HEAD = 'name = "s"\ntitle = "S"\nlanguages = ["en"]\n'
SEVERAL = f"""{HEAD}
[[questions]]
name = "a"
label = "A?"
kind = "yes_no"
decline = true
group = "g"
[[questions]]
name = "b"
label = "B?"
kind = "scale"
values = ["low", "high"]
sensitive = false
[[questions]]
name = "c"
label = "C?"
kind = "scale"
values = ["x", "y", "z"]
ask_if = "a = yes and b = high"
group = "h"
[[questions]]
name = "d"
label = "D?"
kind = "multiple"
options = {{ e = "E", f = "F" }}
ask_if = "c in (x, not_applicable)"
decline = true
optional = true
group = "h"
coins = "one"
[groups]
g = {{ truth = "3/4" }}
h = {{ truth = "3/4" }}
"""
DESIGNS = [parse_survey(SEVERAL), routed_survey()]


def all_sets(survey: Survey) -> Sets:
    return tuple(frozenset(range(len(each.values))) for each in survey.questions)


def given(survey: Survey) -> set[tuple[int, ...]]:
    """Every combination of answers that the page can send: static/page/questions.mjs, `collect`, and multiple.mjs."""
    found = set()
    for row in product(*(each.values for each in survey.questions)):
        answers = {each.name: value for each, value in zip(survey.questions, row, strict=True)}
        if all(screen_allows(survey, name, answers) for name in answers):
            found.add(tuple(survey.question(name).value_index(value) for name, value in answers.items()))
    return found


def screen_allows(survey: Survey, name: str, answers: dict[str, str]) -> bool:
    screen = survey.screen_of(name)
    if screen is None:
        return True
    met = all(answers[other] in values for other, values in screen.ask_if)
    if screen.kind == MULTIPLE:
        refusals = {each if (each := answers[option]) in {DECLINED, SKIPPED} else "" for option in screen.questions}
        if len(refusals) > 1:
            return False
    return met == (answers[name] != NOT_APPLICABLE)


@pytest.mark.parametrize("survey", DESIGNS)
def test_rules_hold_for_the_answers_that_can_be_given_and_no_others(survey: Survey) -> None:
    every = set(product(*(range(len(each.values)) for each in survey.questions)))
    held = {row for row in every if all(any(row[at] in some for at, some in rule.items()) for rule in survey.rules)}
    assert held == given(survey) != every


@pytest.mark.parametrize("survey", DESIGNS)
def test_states_part_the_answers_that_can_be_given(survey: Survey) -> None:
    rows = [row for box in states_of(survey.rules, all_sets(survey), 99) for row in product(*box)]
    assert len(rows) == len(set(rows))
    assert set(rows) == given(survey)
    few = states_of(survey.rules, all_sets(survey), 2)
    assert 1 <= len(few) <= 2, "of conditions that make more states than that, the first are known"
    assert {row for box in few for row in product(*box)} > given(survey)


@pytest.mark.parametrize("survey", DESIGNS)
def test_what_follows_from_some_answers_loses_none_that_can_be_given(survey: Survey) -> None:
    every = given(survey)
    for one, other in pairwise(range(len(survey.questions))):
        for pair in product(range(len(survey.questions[one].values)), range(len(survey.questions[other].values))):
            sets = list(all_sets(survey))
            sets[one], sets[other] = ({value} for value in pair)  # type: ignore[assignment] # sets will do
            left = [row for row in every if (row[one], row[other]) == pair]
            found = narrowed(survey.rules, tuple(map(frozenset, sets)))
            assert (found is None) <= (not left)
            assert found is None or set(left) <= set(product(*found))


def test_not_applicable_follows_along_a_chain_of_questions() -> None:
    survey = routed_survey()
    sets = (frozenset({1}), *all_sets(survey)[1:])
    assert narrowed(survey.rules, sets) == (frozenset({1}), frozenset({3}), frozenset({2}), frozenset({0, 1}))
    assert narrowed(survey.rules, (frozenset({1}), frozenset({0}), *sets[2:])) is None
    helped = (*all_sets(survey)[:2], frozenset({0}), frozenset({0, 1}))
    assert narrowed(survey.rules, helped) == (frozenset({0}), frozenset({1, 2}), frozenset({0}), frozenset({0, 1}))


def test_a_design_without_conditions_has_no_rules() -> None:
    text = SEVERAL.replace('ask_if = "a = yes and b = high"', "").replace('ask_if = "c in (x, not_applicable)"', "")
    assert len(parse_survey(text).rules) == 4, "that whoever declines or skips a box does so with all of them"
    assert parse_survey(text.replace("optional = true", "").replace("decline = true", "")).rules == ()


@pytest.mark.parametrize(
    "condition",
    ['"bullied = yes and bullied = no"', '"bullied = no and often = daily"', '"bullied = no and help = no"'],
)
def test_a_question_that_nobody_can_reach_is_named(condition: str) -> None:
    lost = f'{{ name = "lost", label = "L?", kind = "yes_no", sensitive = false, ask_if = {condition} }}'
    survey = routed_survey(happy=f'group = "happy"\n[[questions]]\n{lost[2:-2].replace(", ", chr(10))}')
    lints = [lint for lint in SurveyPrivacy(survey).lints if "never asked" in lint.problem]
    assert [(lint.severity, lint.place) for lint in lints] == [("warn", 'question "lost"')]
    assert not [lint for lint in SurveyPrivacy(routed_survey()).lints if "never asked" in lint.problem]
