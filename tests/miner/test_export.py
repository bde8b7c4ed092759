"""Exports of a tree: each says the same as the tree itself."""

from __future__ import annotations

import csv
import io
import re
import sqlite3
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from collector.errors import ModelError
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from miner.cli import main
from miner.commands import export as command
from miner.export import FORMATS, as_csv, as_dot, as_sql, as_text, rules_of
from miner.learners.forest import ForestClassifier
from miner.learners.id3 import ID3Classifier
from miner.models.model import Model, write_model
from miner.models.training import train
from miner.responses.responses import Responses, value_indices
from miner.simulation.simulation import simulate
from population import draw_answers

QUOTES = """
name = "quotes"
title = "Quotes"
languages = ["en"]

[[questions]]
name = "select"
label = "Which?"
kind = "choice"
values = ["it's", 'a "quote"', "back\\\\slash"]
sensitive = false

[[questions]]
name = "group_by"
label = "Yes?"
kind = "yes_no"
sensitive = false

[mining]
target = "group_by"
"""


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    return draw_answers(1500, np.random.default_rng(4))


@pytest.fixture(scope="module")
def model(wellbeing: Survey, people: pd.DataFrame) -> Model:
    responses = simulate(wellbeing, value_indices(wellbeing, people), np.random.default_rng(4))
    return train(responses, ID3Classifier(wellbeing, mode="faithful", max_depth=3), Fraction(1, 3), seed=5)


@pytest.fixture(scope="module")
def quoted() -> Model:
    survey = parse_survey(QUOTES)
    codes = np.array([[value, value == 0] for value in (0, 1, 2)] * 20, np.int16)
    return train(Responses(survey, codes), ID3Classifier(survey, mode="faithful"), Fraction(0), seed=1)


def selected(model: Model, frame: pd.DataFrame) -> list[str]:
    """What a database makes of the expression."""
    with closing(sqlite3.connect(":memory:")) as database:
        frame.to_sql("people", database, index=False)
        return [row[0] for row in database.execute(f"SELECT {as_sql(model)} FROM people")]  # noqa: S608 - what is tested


def test_sql_says_what_the_tree_says_of_everybody(model: Model, people: pd.DataFrame) -> None:
    features = people.drop(columns="distress")
    assert selected(model, features) == model.classifier.predict(features).tolist()


def test_quotes_in_values_stay_what_they_are(quoted: Model) -> None:
    frame = pd.DataFrame({"select": ["it's", 'a "quote"', "back\\slash"]})
    assert selected(quoted, frame) == quoted.classifier.predict(frame).tolist()
    assert '[label="in (\\"a \\"\\"quote\\"\\"\\", back\\\\slash)"]' in as_dot(quoted), (
        "as conditions have it, escaped for DOT"
    )


def test_a_row_that_lacks_an_answer_has_no_prediction(quoted: Model) -> None:
    assert selected(quoted, pd.DataFrame({"select": [None]})) == [None]


def test_there_is_a_rule_for_each_leaf_and_their_supports_add_up(model: Model) -> None:
    rules = rules_of(model)
    assert len(rules) == len(model.classifier.tree_.merged().leaves())
    assert sum(rule.support for rule in rules) == pytest.approx(1.0)
    assert as_text(model).count("\n") == len(rules)


def test_csv_has_every_rule_in_full(model: Model) -> None:
    rows = list(csv.DictReader(io.StringIO(as_csv(model))))
    rules = rules_of(model)
    assert [row["condition"] for row in rows] == [rule.condition for rule in rules]
    assert [float(row["confidence"]) for row in rows] == [rule.confidence for rule in rules]


def test_dot_has_every_node_and_an_edge_to_each_but_the_root(model: Model) -> None:
    tree = model.classifier.tree_.merged()
    text = as_dot(model)
    assert len(re.findall(r"^  n\d+ \[", text, re.MULTILINE)) == len(tree)
    assert sorted(int(each) for each in re.findall(r"-> n(\d+) ", text)) == list(range(1, len(tree)))


def test_a_forest_is_no_single_tree(wellbeing: Survey, people: pd.DataFrame) -> None:
    responses = simulate(wellbeing, value_indices(wellbeing, people), np.random.default_rng(4))
    forest = ForestClassifier(wellbeing, mode="robust", n_estimators=2, random_state=1)
    with pytest.raises(ModelError, match="a model of kind forest"):
        as_text(train(responses, forest, Fraction(0), seed=1))


def test_the_command_writes_each_format(model: Model, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    write_model(model, path)
    assert set(command.FORMATS) == set(FORMATS)
    for form, write in FORMATS.items():
        done = CliRunner().invoke(main, ["export", str(path), "--format", form])
        assert (done.exit_code, done.stdout) == (0, write(model))
