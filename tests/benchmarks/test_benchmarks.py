"""Real tables: as surveys, through the whole line, and as the plain ID3 sees them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import plain_id3
from benchmarks.data.tables import Table, adult, congressional_votes, quartile_cuts
from collector.disclosure.privacy import SurveyPrivacy
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from miner.learners.id3 import ID3Classifier
from miner.responses.responses import Responses, Values, value_indices
from miner.simulation.simulation import simulate
from miner.trees.tree import Tree
from soak import some_of


@pytest.fixture(scope="module")
def votes(datasets: Path) -> Table:
    assert datasets.is_dir()
    return congressional_votes()


@pytest.fixture(scope="module")
def first_adults(datasets: Path) -> Table:
    assert datasets.is_dir()
    return adult()


def survey_of(table: Table, truth: str = "4/5", groups: int = 3, channel: str = "complement") -> Survey:
    return parse_survey(table.survey_toml(table.dealt(groups, np.random.default_rng(1)), truth, channel))


# --- tables ---------------------------------------------------------------------------------------------------------


def test_votes_are_435_rows_in_which_neither_is_a_value(votes: Table) -> None:
    survey = survey_of(votes)
    assert len(votes.answers) == 435
    assert (votes.answers["party"] == "democrat").sum() == 267
    assert (votes.answers.drop(columns="party") == "?").to_numpy().sum() == 392
    assert [survey.question("crime").value_index(vote) for vote in ("?", "n", "y")] == [0, 1, 2]
    assert (survey.target, len(survey.questions)) == ("party", 17)


def test_the_first_adults_keep_names_and_cut_numbers_at_quartiles(first_adults: Table) -> None:
    survey = survey_of(first_adults)
    assert len(first_adults.answers) == 10_000
    assert survey.question("age").cuts == (28, 37, 47)
    assert survey.question("capital_gain").cuts == (114,)  # more than three quarters have none
    assert survey.question("workclass").value_index("?") == 0
    assert survey.question("marital_status").value_index("Married-civ-spouse") == 2
    values = value_indices(survey, first_adults.answers)
    for number, question in enumerate(survey.questions):
        counts = np.bincount(values[:, number], minlength=len(question.values))
        assert [float(share) for share in question.prior] == pytest.approx((counts / 10_000).tolist())


@pytest.mark.parametrize(("groups", "channel"), [(1, "complement"), (3, "complement"), (17, "uniform")])
def test_questions_are_dealt_into_equal_groups(votes: Table, groups: int, channel: str) -> None:
    survey = survey_of(votes, groups=groups, channel=channel)
    sizes = [len(group.questions) for group in survey.groups]
    assert (len(sizes), sum(sizes)) == (groups, 17)
    assert max(sizes) - min(sizes) <= 1
    assert not SurveyPrivacy(survey).refusals


def test_quartiles_never_leave_an_interval_empty() -> None:
    for numbers in ([0, 0, 0, 0, 0, 0, 0, 5], [1, 2, 3, 4], [0, 0, 0, 7, 7, 7, 7, 7], [3, 9]):
        cuts = quartile_cuts(pd.Series(numbers))
        assert set(np.searchsorted(cuts, numbers, side="right")) == set(range(len(cuts) + 1))


# --- without a lie ---------------------------------------------------------------------------------------------------


def nested(tree: Tree) -> Any:  # noqa: ANN401 - a label or a pair, as in plain_id3
    children = tree.children()

    def below(node: int) -> Any:  # noqa: ANN401 - the same
        if not children[node]:
            return int(tree.label[node])
        return int(tree.question[node]), {value: below(child) for value, child in enumerate(children[node])}

    return below(0)


def split(table: Table, truth: str) -> tuple[Survey, Values, Values, Responses]:
    """The survey, training and test values, and what is sent of the training ones."""
    survey = survey_of(table, truth)
    values = value_indices(survey, table.answers)[np.random.default_rng(5).permutation(len(table.answers))]
    third = len(values) // 3
    return survey, values[third:], values[:third], simulate(survey, values[third:], np.random.default_rng(6))


@pytest.mark.parametrize(
    ("name", "truth"),
    some_of(
        [("votes", "1"), ("votes", "0"), ("adult", "1"), ("adult", "0")],
        [("votes", "1"), ("votes", "0"), ("adult", "0")],
    ),
)
def test_where_nobody_lies_or_everybody_does_the_tree_is_the_plain_one(
    name: str, truth: str, votes: Table, first_adults: Table
) -> None:
    table = {"votes": votes, "adult": first_adults}[name]
    survey, train, test, sent = split(table, truth)
    tree = ID3Classifier(survey, mode="faithful").fit(sent.frame).tree_
    kinds = [len(question.values) for question in survey.questions]
    target = [question.name for question in survey.questions].index(table.target)
    plain = plain_id3.grow(train.tolist(), kinds, target)
    assert nested(tree) == plain
    predicted = [plain_id3.predict(plain, row) for row in test.tolist()]
    assert tree.predict(test).tolist() == predicted
    accuracy = (np.array(predicted) == test[:, target]).mean()
    assert accuracy > {"votes": 0.9, "adult": 0.75}[name]
