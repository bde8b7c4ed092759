"""Boosted trees by the likelihood: what main effects miss, nothing where there is nothing, kept in a file."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from collector.errors import DeniableError, QueryError
from collector.survey.survey import Survey
from miner.boosting.boosting import Growth
from miner.learners.boosted import BoostedClassifier
from miner.learners.logit import LogitClassifier
from miner.responses.plain_rows import PlainRows
from miner.responses.responses import Responses, Values
from miner.simulation.simulation import simulate
from small_surveys import survey_of

YES_NO, THREE = 'kind = "yes_no"', 'kind = "choice"\nvalues = ["a", "b", "c"]'


def crossed(count: int, seed: int) -> tuple[Survey, Values, Responses]:
    """Three questions, one of them disguised; the disguised class follows from two of them together only."""
    survey = survey_of(
        (YES_NO + "\nsensitive = false", "", ""),
        (THREE, "own", 'truth = "4/5"'),
        (THREE + "\nsensitive = false", "", ""),
        (YES_NO, "class", 'truth = "4/5"'),
    )
    rng = np.random.default_rng(seed)
    x = np.stack([rng.integers(2, size=count), rng.integers(3, size=count), rng.integers(3, size=count)], axis=1)
    odd = (x[:, 0] == 1) == (x[:, 1] > 0)
    values = np.column_stack([x, rng.random(count) < np.where(odd, 0.9, 0.1)]).astype(np.int16)
    return survey, values, simulate(survey, values, rng)


def test_values_beside_a_scale_go_with_either_side_of_a_cut() -> None:
    g = np.array([1.0, 1.0, -1.0, -1.0, 1.0])
    growth = Growth(
        features=(0,), kinds=(5,), ordered=(4,), depth=1, rate=1.0, ridge=5.0, least_gain=4.0, rounds=1, patience=1
    )
    values = np.repeat(np.arange(5, dtype=np.int16), 10)[:, None]
    ((tree, _),) = growth.grown(values, growth.cells(values), np.repeat(g, 10)[None], np.ones(50))
    assert tree.passes[0].tolist() in ([True, True, False, False, True], [False, False, True, True, False])


def test_it_learns_what_two_questions_say_together() -> None:
    survey, values, sent = crossed(3000, 1)
    test = crossed(1000, 2)[1]
    areas = [
        roc_auc_score(test[:, 3], model.fit(sent.frame).probabilities(test)[:, 1])
        for model in (BoostedClassifier(survey, "q3", random_state=1), LogitClassifier(survey, "q3", random_state=1))
    ]
    assert areas[0] > 0.85
    assert areas[1] < 0.8
    plain = BoostedClassifier(survey, "q3", random_state=1).fit(PlainRows.of(survey, values))
    assert plain.probabilities(test)[:, 1] == pytest.approx(
        np.where((test[:, 0] == 1) == (test[:, 1] > 0), 0.9, 0.1), abs=0.1
    )


def test_it_finds_three_questions_that_say_something_together_only() -> None:
    plain = (YES_NO + "\nsensitive = false", "", "")
    survey = survey_of(plain, plain, plain, plain, (YES_NO, "class", 'truth = "4/5"'))
    rng = np.random.default_rng(8)
    values = rng.integers(2, size=(2000, 5)).astype(np.int16)
    values[:, 4] = values[:, :3].sum(axis=1) % 2
    sent = simulate(survey, values, rng)
    found = BoostedClassifier(survey, "q4", random_state=1).fit(sent.frame).probabilities(values)
    assert roc_auc_score(values[:, 4], found[:, 1]) > 0.95


def test_where_nothing_tells_there_are_few_rounds_and_everybody_has_the_shares_of_the_class() -> None:
    survey, values, _ = crossed(3000, 3)
    rng = np.random.default_rng(4)
    values[:, 3] = rng.random(3000) < 0.3
    model = BoostedClassifier(survey, "q3", random_state=1).fit(simulate(survey, values, rng).frame)
    found = model.probabilities(values)[:, 1]
    assert found == pytest.approx(np.full(3000, 0.3), abs=0.1)
    assert "boosted trees of up to" in model.text


@pytest.mark.parametrize(
    "change",
    [
        {"rounds": [[{"splits": [None] * 6, "leaves": [0.0] * 7}]]},
        {"rounds": [[{"splits": [None] * 7, "leaves": [0.0] * 7}]]},
        {"intercept": [0.0]},
        {"rounds": 3},
        {"rounds": [[]]},
        {"rounds": [[{"splits": [{"question": "q3", "values": [0]}] + [None] * 6, "leaves": [0.0] * 8}]]},
        {"rounds": [[{"splits": [{"question": "q0", "values": [2]}] + [None] * 6, "leaves": [0.0] * 8}]]},
    ],
)
def test_a_file_that_does_not_hold_its_trees_is_refused(change: dict[str, Any]) -> None:
    survey, values, sent = crossed(300, 5)
    model = BoostedClassifier(survey, "q3", random_state=1, n_estimators=4).fit(sent.frame)
    again = BoostedClassifier(survey, "q3").restored(model.learnt)
    assert (again.probabilities(values) == model.probabilities(values)).all()
    with pytest.raises(DeniableError, match="learnt"):
        BoostedClassifier(survey, "q3").restored(model.learnt | change)


def test_a_rate_out_of_range_is_refused() -> None:
    survey, _, sent = crossed(30, 6)
    for wrong in ({"learning_rate": 0.0}, {"max_depth": 9}):
        with pytest.raises(QueryError, match="leave out the two parameters"):
            BoostedClassifier(survey, "q3", **wrong).fit(sent.frame)
