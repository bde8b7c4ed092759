"""What readers of a report and of a model file are told of the central epsilon."""

from __future__ import annotations

import html
from fractions import Fraction
from pathlib import Path

import numpy as np

from collector.planning.shuffled import AGAINST, central_privacy
from collector.survey.survey import Survey
from miner.learners.id3 import ID3Classifier
from miner.models.model import ALIKE, Model, read_model, write_model
from miner.models.training import trained
from miner.reporting.findings import findings
from miner.reporting.page import page
from miner.responses.responses import Responses
from miner.simulation.simulation import simulate
from split_surveys import question, survey_of_tables

PEOPLE = 2_000
COINS = 'a = { truth = "2/3" }\nb = { truth = "2/3" }'
TARGET = '[mining]\ntarget = "b"\n'


def sent(survey: Survey, more: int = 0) -> Responses:
    """Simulated responses; with more than 0 the last question has its second value so many times."""
    generator = np.random.default_rng(5)
    values = generator.integers(0, 2, size=(PEOPLE, len(survey.questions)))
    if more:
        values[:, -1] = np.arange(PEOPLE) < more
    return simulate(survey, values, generator)


def model_of(responses: Responses) -> Model:
    return trained(responses, ID3Classifier(responses.survey, "b", mode="faithful", random_state=1), Fraction(1, 4), 1)[
        0
    ]


def test_a_report_and_a_model_state_the_epsilon_of_all_responses_that_enter_them(tmp_path: Path) -> None:
    survey = survey_of_tables([question("a", 2, "a"), question("b", 2, "b")], COINS, TARGET)
    stated = central_privacy(survey, PEOPLE)
    assert stated.is_smaller
    shown = html.unescape(page(findings(sent(survey), None, seed=1), "miner report"))
    model = model_of(sent(survey))
    write_model(model, tmp_path / "model.json")
    for line in stated.lines:
        assert line in shown
        assert line in model.privacy
        assert line in read_model(tmp_path / "model.json").privacy
    assert AGAINST in stated.lines


def test_undisguised_answers_make_the_number_that_of_the_fewest_who_gave_the_same() -> None:
    tables = [question("a", 2, "a"), question("b", 2, "b"), question("year", 2, None)]
    survey = survey_of_tables(tables, COINS, TARGET)
    responses = sent(survey, more=300)
    found = findings(responses, None, seed=1)
    assert found.central.respondents == 300
    assert "300 respondents" in found.central.line
    assert "same answers to year" in found.central.line
    assert ALIKE.format("year") in model_of(responses).privacy


def test_a_design_without_an_epsilon_has_no_central_one() -> None:
    survey = survey_of_tables([question("a", 2, "g"), question("b", 2, "g")], 'g = { truth = "2/3" }', TARGET)
    model = model_of(sent(survey))
    assert any("no central epsilon holds" in line for line in model.privacy)
