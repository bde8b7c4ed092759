"""The seed papers' rules as we read them: empty nodes of ID3, useless draws and leaves of the forest."""

from __future__ import annotations

import numpy as np
import pytest

from bit_surveys import EVERY, Home, bit_survey, some_values
from miner.arrays import Floats
from miner.learners.forest import ForestClassifier
from miner.responses.responses import Responses
from miner.simulation.simulation import simulate
from miner.trees.counts import Level
from miner.trees.criteria import ONCE, Faithful, normalised
from miner.trees.grow import grow
from mode_surveys import alike, bits_survey


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


class ByGini(Faithful):
    """The rules of faithful ID3, with Gini's impurity in place of entropy."""

    def scores(
        self, counts: Floats, squares: Floats, totals: Floats, responses: int, searched: Floats = ONCE
    ) -> Floats:
        """The impurity that a split takes away, every estimate clipped to [0, 1] by itself."""
        del squares, searched
        node, child = (normalised(np.clip(each / responses, 0.0, 1.0)) for each in (totals, counts))
        weights = normalised(np.clip(counts.sum(axis=-1) / responses, 0.0, 1.0))
        gain: Floats = 1 - (node**2).sum(axis=-1)[:, None] - (weights * (1 - (child**2).sum(axis=-1))).sum(axis=-1)
        return gain


@pytest.mark.parametrize(
    ("home", "channels", "classes"),
    [
        ([0] * 7, ["complement 4/5"], 2),
        ([0] * 7, ["complement 1"], 2),
        ([0, 1, 2, 0, 1, 2, -1], ["complement 4/5", "complement 3/4", "complement 9/10"], 2),
        ([0, 1, 2, 0, 1, 2, 1], ["complement 3/5", "complement 3/5", "complement 3/5"], 2),
        ([0, 1, 0, 1, 0, 1, -1], ["complement 9/10", "complement 4/5"], 4),
        ([0, 1, -1, -1, -1, -1, 2], ["uniform 4/5", "uniform 9/10", "uniform 9/10"], 2),
    ],
)
def test_a_faithful_tree_of_the_forest_judges_as_faithful_id3_does(
    home: Home, channels: list[str], classes: int
) -> None:
    survey = bit_survey(home, channels, classes)
    sent = simulate(survey, some_values(survey, 1500, 3), np.random.default_rng(3))
    plain = grow(Level.at_root(survey, sent.codes, "target"), ByGini())
    model = ForestClassifier(survey, mode="faithful", n_estimators=1, bootstrap=False, max_features=EVERY)
    tree, rows = model.fit(sent.frame).forest_, some_values(survey, 500, 4)
    assert len(plain) > 6
    assert len(tree.test) == len(plain)
    assert tree.vote(rows, hard=False) == pytest.approx(plain.predict_proba(rows), abs=1e-6)


def test_an_empty_leaf_of_a_faithful_forest_predicts_what_its_parent_does() -> None:
    model = forest(disguised("3/5"), "faithful").forest_
    empty = model.counts.sum(axis=1) <= 0
    parent = np.full(len(model.test), -1)
    for tree in range(len(model)):
        start = model.begin[tree]
        for node in np.flatnonzero(model.test[start : model.begin[tree + 1]] >= 0):
            parent[start + model.child[start + node] + np.arange(2)] = start + node
    assert empty.sum() >= 5
    np.testing.assert_allclose(model.probabilities[empty], model.probabilities[parent[empty]])
