"""A condition means the same in a survey file, a command, Python, the respondent's page and a converted form."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from math import prod
from pathlib import Path

import pytest

from collector.errors import QueryError, SurveyError
from collector.exchange.surveyjs import from_surveyjs
from collector.exchange.surveyjs_out import to_surveyjs
from collector.exchange.xlsform_out import to_xlsform
from collector.survey.screen import Condition
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from collector.xlsform.form import import_form
from miner.responses.condition import boxes_of
from random_conditions import ANSWERS, FOLLOWER, NUMBERS, PLACES, SURVEY, VALUES, Holds, random_condition

HOW_MANY = int(os.environ.get("DENIABLE_CONDITIONS", "60"))
"""Conditions; `DENIABLE_CONDITIONS=500` tests as many."""
NODE = shutil.which("node")
ROOT = Path(__file__).parents[3]
PAGE = """
import { readFileSync } from "node:fs";
globalThis.document = { documentElement: {}, body: {}, getElementById: () => null };
const { collect } = await import("QUESTIONS");
const { questions, answers, followers } = JSON.parse(readFileSync(0));
const parts = (given) => questions.map((question, at) => ({
  screen: {}, asks: [{ question }], read: () => ({ [question.name]: given[at] }), texts: {} }));
const shown = followers.map(({ screen, question }) => answers.map((given) => {
  const last = { screen, asks: [{ question }], read: () => ({ [question.name]: "yes" }), texts: {} };
  return collect([...parts(given), last]).applies.at(-1);
}));
console.log(JSON.stringify(shown));
"""


@cache
def conditions() -> list[tuple[str, Holds]]:
    rng = random.Random(20)  # noqa: S311 - no secret
    return [random_condition(rng) for _ in range(HOW_MANY)]


def truth(holds: Holds) -> list[bool]:
    return [holds(answers) for answers in ANSWERS]


def in_sets(found: tuple[Condition, ...]) -> list[bool]:
    return [all(answers[PLACES[name]] in values for name, values in found) for answers in ANSWERS]


def is_one_box(wanted: list[bool]) -> bool:
    """Whether the answers are a product of sets: so many as the values that each question has among them allow."""
    met = [answers for answers, held in zip(ANSWERS, wanted, strict=True) if held]
    return len(met) == prod(len(set(values)) for values in zip(*met, strict=True))


@cache
def filed() -> list[tuple[str, Survey, list[bool]]]:
    """The conditions that a survey file takes, each with the survey and what it means; others are refused."""
    found = []
    for text, holds in conditions():
        wanted = truth(holds)
        form = SURVEY.replace("[groups]", FOLLOWER.format(condition=json.dumps(text)) + "[groups]")
        if any(wanted) and not all(wanted) and is_one_box(wanted):
            found.append((text, parse_survey(form), wanted))
        elif any(wanted):
            with pytest.raises(
                SurveyError, match=r'ask_if: (it joins questions by "or"|the condition holds for everybody)'
            ):
                parse_survey(form)
    return found


def asked(survey: Survey) -> tuple[Condition, ...]:
    screen = survey.screen_of("f")
    assert screen is not None
    return screen.ask_if


def test_commands_and_python_read_every_condition_as_enumeration_does() -> None:
    survey = parse_survey(SURVEY)
    several = 0
    for text, holds in conditions():
        wanted = truth(holds)
        if not any(wanted):
            with pytest.raises(QueryError, match="the condition; "):
                boxes_of(survey, text)
            continue
        boxes = boxes_of(survey, text)
        indices = [
            {name: VALUES[name].index(value) for name, value in zip(VALUES, each, strict=True)} for each in ANSWERS
        ]
        held = [sum(all(each[name] in some for name, some in box.items()) for box in boxes) for each in indices]
        assert held == [int(each) for each in wanted], text  # once: boxes are disjoint
        several += len(boxes) > 1
    assert several > HOW_MANY / 4


def test_a_survey_file_takes_what_is_one_set_of_values_for_each_question_and_no_other() -> None:
    taken = filed()
    assert len(taken) > HOW_MANY / 4
    for text, survey, wanted in taken:
        assert in_sets(asked(survey)) == wanted, text


@pytest.mark.skipif(NODE is None, reason="the page's scripts need Node.js to run without a browser")
def test_the_page_asks_whom_the_survey_file_means() -> None:
    taken = filed()
    questions = [each for each in taken[0][1].design["questions"] if each["name"] != "f"]
    given = [[NUMBERS.get(value, value) for value in answers] for answers in ANSWERS]
    followers = [
        {"screen": survey.design["screens"][-1], "question": survey.design["questions"][-1]} for _, survey, _ in taken
    ]
    script = PAGE.replace("QUESTIONS", (ROOT / "static/page/questions.mjs").as_uri())
    run = subprocess.run(  # noqa: S603 - our own
        [NODE or "", "--input-type=module", "-e", script],
        input=json.dumps({"questions": questions, "answers": given, "followers": followers}),
        capture_output=True,
        text=True,
        check=True,
    )
    for (text, _, wanted), shown in zip(taken, json.loads(run.stdout), strict=True):
        assert shown == wanted, text


def converted(survey: Survey, folder: Path) -> Iterator[Survey]:
    """The survey as each form has it, where the form can say its condition."""
    yield parse_survey(from_surveyjs(to_surveyjs(survey).content.decode(), "form").content.decode())
    form = to_xlsform(survey)
    if not any("the condition of" in note for note in form.notes):
        path = folder / "form.xlsx"
        path.write_bytes(form.content)
        yield import_form(path).survey


def test_a_converted_form_means_what_the_survey_file_does(tmp_path: Path) -> None:
    forms = 0
    for text, survey, wanted in filed():
        for again in converted(survey, tmp_path):
            forms += 1
            assert in_sets(asked(again)) == wanted, text
    assert forms > HOW_MANY / 4
