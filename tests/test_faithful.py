"""The seed papers' rules as we read them: empty nodes of ID3, useless draws and leaves of the forest."""

from __future__ import annotations

import numpy as np
import pytest

from miner.forest.classifier import ForestClassifier
from miner.responses import Responses
from miner.simulation import simulate
from miner.trees.criteria import Faithful
from test_modes import alike, bits_survey


def test_a_node_whose_own_estimate_is_not_positive_predicts_what_its_parent_does() -> None:
    totals = np.array([[5.0, -8.0], [5.0, -2.0], [-1.0, 1.0]])
    parents = np.array([[0.3, 0.7]] * 3)
    found = Faithful().probabilities(totals, parents)
    np.testing.assert_allclose(found, [[0.3, 0.7], [1.0, 0.0], [0.3, 0.7]])


def test_children_weigh_what_their_own_estimates_say_clipped_to_probabilities() -> None:
    # values 0, 1, 2 are estimated at 60, 50 and -10 of 100 respondents; the first is even, the second pure
    counts = np.array([[[[30.0, 30.0], [50.0, 0.0], [5.0, -15.0]]]])
    (gain,) = Faithful().scores(counts, counts, counts.sum(axis=2)[0], 100).ravel()
    before = -0.85 * np.log2(0.85) - 0.15 * np.log2(0.15)  # of 85 and 15
    assert gain == pytest.approx(before - 60 / 110)


def disguised(truth: str) -> Responses:
    survey = bits_survey(9, truth)
    return simulate(survey, alike(400, 9, np.random.default_rng(1)), np.random.default_rng(2))


def forest(responses: Responses, mode: str) -> ForestClassifier:
    model = ForestClassifier(responses.survey, mode=mode, max_features=1, n_estimators=50, random_state=3)
    return model.fit(responses.frame)


def test_a_faithful_forest_may_draw_a_test_that_was_asked_already_and_stop_there() -> None:
    model = forest(disguised("9/10"), "faithful").forest_
    below = [(tree, node) for tree in range(len(model)) for node in range(model.begin[tree], model.begin[tree + 1])]
    leaves = [node for _, node in below if model.test[node] < 0]
    mixed = [node for node in leaves if (model.counts[node] > 10).all()]  # large enough to split, and not pure
    assert len(mixed) > 20


def test_only_the_paper_allows_a_leaf_of_one_in_a_large_collection() -> None:
    responses = simulate(bits_survey(9, "1"), alike(3000, 9, np.random.default_rng(4)), np.random.default_rng(5))
    smallest = {mode: forest(responses, mode).forest_.counts.sum(axis=1).min() for mode in ("faithful", "robust")}
    assert smallest["faithful"] < 5
    assert smallest["robust"] >= 10
