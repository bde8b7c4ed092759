"""The forest's compiled engine against the plain one, and what a forest must be whatever the engine."""

from __future__ import annotations

import json
import tracemalloc

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from bit_surveys import EVERY, Home, bit_survey, some_values
from collector.errors import DeniableError, QueryError, ResponseError
from collector.survey.survey import Survey
from miner.forest.forest import Forest
from miner.forest.growth import grow_tree
from miner.forest.kernels import NEAR, drawn_counts
from miner.forest.packing import BinaryTests, packed_responses, packed_rows
from miner.forest.records import Rules
from miner.learners.forest import ForestClassifier
from miner.responses.plain_rows import PlainRows
from miner.responses.responses import Responses
from miner.simulation.simulation import simulate
from miner.trees.counts import Level
from miner.trees.criteria import Robust
from miner.trees.grow import grow
from miner.trees.tree import Tree

RULES = Rules(
    classes=2,
    bootstrap=False,
    candidates=EVERY,
    max_depth=EVERY,
    least_gain=0.0,
    least_leaf=0.0,
    least_size=4.0,
    kappa=1.0,
    shrinkage=2.0,
    clipped=0,
)


def both_engines(survey: Survey, count: int = 2000, seed: int = 3) -> tuple[Tree, Forest, NDArray[np.int16]]:
    codes = simulate(survey, some_values(survey, count, seed), np.random.default_rng(seed)).codes
    plain = grow(Level.at_root(survey, codes, "target"), Robust(kappa=1.0, least_size=4.0))
    tests = BinaryTests.of(survey, "target")
    table, channels = packed_responses(survey, codes, "target", tests)
    rules = RULES._replace(classes=len(survey.questions[-1].values))
    forest = Forest.grown(tests, (table, channels), rules, np.array([1], np.uint64))
    return plain, forest, some_values(survey, 500, seed + 1)


@pytest.mark.parametrize(
    ("home", "channels", "classes"),
    [
        ([-1] * 7, [], 2),
        ([-1] * 7, [], 3),
        ([0] * 7, ["complement 4/5"], 2),
        ([0] * 7, ["complement 1/5"], 2),
        ([0, 1, 2, 0, 1, 2, -1], ["complement 4/5", "complement 3/4", "complement 9/10"], 2),
        ([0, 1, 2, 0, 1, 2, 1], ["complement 4/5", "complement 3/4", "complement 9/10"], 2),
        ([0, 1, 0, 1, 0, 1, 0], ["complement 1", "complement 0"], 2),
        ([0, 1, 0, 1, 0, 1, -1], ["complement 9/10", "complement 4/5"], 4),
        ([0, 1, -1, -1, -1, -1, 2], ["uniform 4/5", "uniform 9/10", "uniform 9/10"], 2),
        ([0, 1, -1, -1, -1, -1, 2], ["uniform 4/5", "complement 9/10", "uniform 9/10"], 3),
        ([0, 0, 1, 1, -1, *[-1] * 50, 0], ["complement 9/10", "complement 4/5"], 2),
    ],
)
def test_a_tree_on_packed_rows_is_the_tree_on_product_weights(home: Home, channels: list[str], classes: int) -> None:
    plain, forest, values = both_engines(bit_survey(home, channels, classes))
    assert len(plain) > 6
    assert len(forest.test) == len(plain)
    assert forest.vote(values, hard=False) == pytest.approx(plain.predict_proba(values), abs=1e-6)
    assert np.sort(forest.counts.sum(axis=1)) == pytest.approx(np.sort(plain.counts.sum(axis=1)), rel=1e-4, abs=1e-3)


def test_values_with_several_codes_are_counted_through_their_complements(wellbeing: Survey) -> None:
    generator = np.random.default_rng(5)
    values = np.column_stack([generator.integers(0, len(q.values), 900) for q in wellbeing.questions]).astype(np.int16)
    codes = simulate(wellbeing, values, generator).codes
    level = Level.at_root(wellbeing, codes, "distress")
    tests = BinaryTests.of(wellbeing, "distress")
    table, channels = packed_responses(wellbeing, codes, "distress", tests)
    rules = RULES._replace(least_gain=-1e9, kappa=0.0, least_size=0.0, max_depth=1, candidates=1)
    asked = set()
    for seed in range(60):
        forest = Forest.grown(tests, (table, channels), rules, np.array([seed], np.uint64))
        if forest.test[0] >= 0:
            asked.add(int(forest.test[0]))
            counts = level.counts(1, [int(tests.question[forest.test[0]])])[0, 0]
            passes = tests.passes[forest.test[0]][: len(counts)]
            assert forest.counts[2] == pytest.approx(counts[passes].sum(axis=0), rel=1e-4)
    assert len(asked) > 6


def test_the_same_seed_gives_the_same_forest_on_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = bit_survey([0, 1, 0, 1, 0, 1, 0], ["complement 4/5", "complement 3/4"])
    frame = simulate(survey, some_values(survey, 200, 1), np.random.default_rng(1)).frame
    model = ForestClassifier(survey, n_estimators=6, random_state=4)
    robust = clone(model).set_params(mode="robust").fit(frame).forest_.to_json()
    first = model.fit(frame).forest_.to_json()
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    assert clone(model).fit(frame).forest_.to_json() == first
    assert clone(model).set_params(mode="robust", random_state=5).fit(frame).forest_.to_json() != robust


def test_without_a_lie_a_full_tree_learns_every_pattern_by_heart() -> None:
    survey = bit_survey([-1] * 9, [])
    values = some_values(survey, 3000, 2)
    frame = simulate(survey, values, np.random.default_rng(0)).frame
    model = ForestClassifier(
        survey, mode="faithful", n_estimators=1, bootstrap=False, max_features=8, min_samples_leaf=1
    )
    predicted = model.fit(frame).forest_.vote(values, hard=True).argmax(axis=1)
    patterns, place = np.unique(values[:, :-1], axis=0, return_inverse=True)
    ones = np.bincount(place, values[:, -1], minlength=len(patterns)) / np.bincount(place, minlength=len(patterns))
    clear = ones[place] != 0.5
    assert (predicted == (ones[place] > 0.5))[clear].all()


def test_votes_are_the_mean_of_what_trees_say(wellbeing: Survey) -> None:
    generator = np.random.default_rng(6)
    values = np.column_stack([generator.integers(0, len(q.values), 700) for q in wellbeing.questions]).astype(np.int16)
    model = ForestClassifier(wellbeing, n_estimators=7, mode="faithful", min_samples_leaf=1, random_state=0)
    forest = model.fit(simulate(wellbeing, values, generator).frame).forest_
    soft, hard = np.zeros((700, 2)), np.zeros((700, 2))
    for start in forest.begin[:-1]:
        for row in range(700):
            node = start
            while forest.test[node] >= 0:
                passes = forest.tests.passes[forest.test[node], values[row, forest.tests.question[forest.test[node]]]]
                node = start + forest.child[node] + passes
            soft[row] += forest.probabilities[node] / 7
            hard[row, forest.probabilities[node].argmax()] += 1 / 7
    assert forest.vote(values, hard=False) == pytest.approx(soft, abs=1e-6)
    assert forest.vote(values, hard=True) == pytest.approx(hard, abs=1e-6)


def test_weighted_rows_count_what_they_weigh() -> None:
    survey = bit_survey([0] * 5, ["complement 3/4"])
    values, weights = some_values(survey, 300, 8), np.random.default_rng(8).random(300)
    tests = BinaryTests.of(survey, "target")
    table, channels = packed_rows(PlainRows.of(survey, values, weights), "target", tests)
    nodes, counts = grow_tree(table, channels, RULES, np.uint64(1))
    assert counts[0, :2] == pytest.approx(np.bincount(values[:, -1], weights), rel=0.01)
    drawn, _ = grow_tree(table, channels, RULES._replace(bootstrap=True), np.uint64(1))
    assert len(nodes) > 3
    assert len(drawn) > 3


def test_rows_heavier_than_a_word_can_say_are_split_up() -> None:
    survey = bit_survey([-1, -1, -1, -1], [])
    values = np.repeat(some_values(survey, 200, 9), 2000, axis=0)
    tests = BinaryTests.of(survey, "target")
    table, channels = packed_responses(
        survey, simulate(survey, values, np.random.default_rng(0)).codes, "target", tests
    )
    _, counts = grow_tree(table, channels, RULES, np.uint64(1))
    assert table.words.shape[1] <= 16
    assert counts[0, :2].tolist() == np.bincount(values[:, -1]).tolist()


def test_a_forest_survives_json() -> None:
    survey = bit_survey([0, 1, 0, 1, 0, 1, 0], ["complement 4/5", "complement 3/4"])
    values = some_values(survey, 400, 1)
    forest = (
        ForestClassifier(survey, n_estimators=5, mode="latent", random_state=1)
        .fit(simulate(survey, values, np.random.default_rng(1)).frame)
        .forest_
    )
    again = Forest.from_json(json.loads(json.dumps(forest.to_json())), survey, "target")
    assert again.vote(values, hard=False) == pytest.approx(forest.vote(values, hard=False), abs=1e-5)


@pytest.mark.parametrize("spoil", ["tests", "child", "counts", "trees", "test"])
def test_what_is_no_forest_is_refused(spoil: str) -> None:
    survey = bit_survey([-1] * 5, [])
    frame = simulate(survey, some_values(survey, 400, 1), np.random.default_rng(1)).frame
    document = ForestClassifier(survey, n_estimators=2, random_state=1).fit(frame).forest_.to_json()
    if spoil in {"tests", "trees"}:
        document[spoil] = document[spoil][:1] if spoil == "tests" else [{}]
    else:
        document["trees"][0][spoil] = [0 for _ in document["trees"][0][spoil]]
    with pytest.raises(DeniableError, match="forest"):
        Forest.from_json(document, survey, "target")


def test_parameters_out_of_range_are_refused_in_words() -> None:
    survey = bit_survey([-1] * 5, [])
    frame = simulate(survey, some_values(survey, 40, 1), np.random.default_rng(1)).frame
    with pytest.raises(QueryError, match="the mode does not exist"):
        ForestClassifier(survey, mode="best").fit(frame)
    with pytest.raises(QueryError, match="n_estimators: "):
        ForestClassifier(survey, n_estimators=0).fit(frame)


def test_the_score_is_the_accuracy_on_signed_copies_and_fits_cross_validation() -> None:
    survey = bit_survey([0, 1, 0, 1, 0, 1, 0], ["complement 9/10", "complement 4/5"])
    frame = simulate(survey, some_values(survey, 4000, 1), np.random.default_rng(1)).frame
    model = ForestClassifier(survey, mode="robust", n_estimators=20, random_state=1).fit(frame)
    fresh = some_values(survey, 20_000, 2)
    true = (model.forest_.vote(fresh, hard=False).argmax(axis=1) == fresh[:, -1]).mean()
    sent = simulate(survey, fresh, np.random.default_rng(3)).frame  # not the seed that drew the values
    assert model.score(sent) == pytest.approx(true, abs=0.03)  # six standard errors
    scores = cross_val_score(model, frame.drop(columns="target"), frame["target"], cv=3)
    assert 0.7 < scores.mean() < 1.1


def test_a_forest_of_plain_rows_is_the_forest_of_undisguised_responses() -> None:
    survey = bit_survey([-1] * 6, [])
    values = some_values(survey, 500, 3)
    model = ForestClassifier(survey, mode="faithful", n_estimators=3, bootstrap=False, random_state=1)
    rows = clone(model).fit(PlainRows.of(survey, values)).forest_
    assert rows.to_json() == model.fit(simulate(survey, values, np.random.default_rng(0)).frame).forest_.to_json()


def test_a_bootstrap_of_many_places_draws_each_as_often_as_any_other() -> None:
    """Chi-square of 150,000 draws over 30 stretches of places; fails below once in 10^6 by another seed."""
    places = 3 * NEAR + 1000
    entry, counts = np.arange(places, dtype=np.int32), np.zeros(places, np.uint32)
    drawn_counts(np.array([5], np.uint64), entry, 150_001, counts)
    assert counts.sum() == 150_001
    edges = np.linspace(0, places, 31).astype(int)
    found, expected = np.add.reduceat(counts, edges[:-1]), 150_001 * np.diff(edges) / places
    assert ((found - expected) ** 2 / expected).sum() < 85  # 29 degrees of freedom
    assert counts.max() < 12


def test_the_table_takes_memory_in_proportion_to_the_responses() -> None:
    survey = bit_survey([0, 1, 0, 1, 0, 1, *[-1] * 12, 0], ["complement 4/5", "complement 3/4"])
    tests, peaks = BinaryTests.of(survey, "target"), []
    for count in (20_000, 80_000):
        codes = simulate(survey, some_values(survey, count, 1), np.random.default_rng(1)).codes
        tracemalloc.start()
        packed_responses(survey, codes, "target", tests)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 4.5 * peaks[0]


def test_a_code_that_is_none_is_found_far_down_a_large_table() -> None:
    survey = bit_survey([-1] * 5, [])
    codes = some_values(survey, 30_000, 1)
    codes[29_000, 2] = 2
    with pytest.raises(ResponseError, match=r'row 29001, column "bit_2"'):
        Responses(survey, codes)


def test_responses_that_can_be_changed_from_outside_are_copied() -> None:
    survey = bit_survey([-1] * 5, [])
    codes = some_values(survey, 30, 1)
    looked_at = codes.view()
    looked_at.flags.writeable = False
    for given in (codes, looked_at):
        kept = Responses(survey, given).codes
        before = kept.copy()
        codes[:] = 1 - codes
        assert (kept == before).all()
