"""The modes: what is asked for is done, and auto takes what disguised responses advise."""

from __future__ import annotations

import numpy as np
import pytest

from collector.errors import QueryError
from collector.survey_file.survey_file import parse_survey
from collector.survey_file.survey_writer import survey_text
from miner.forest.records import LEAF
from miner.learners.forest import ForestClassifier
from miner.learners.id3 import ID3Classifier
from miner.learners.mode_classifier import Labels, accuracy_gain, asked_for
from miner.simulation.simulation import simulate
from mode_surveys import alike, bits_survey
from soak import part_of

SAMPLED = """
name = "sampled"
title = "Sampled"
languages = ["en"]
questions = [
    { name = "q0", label = "Q?", kind = "yes_no", group = "all" },
    { name = "q1", label = "Q?", kind = "yes_no", group = "all" },
    { name = "q2", label = "Q?", kind = "yes_no", group = "all" },
]
[groups]
all = { channel = "uniform", odds = "3" }
[sampling]
ask = 2
always = ["q2"]
[mining]
target = "q2"
"""


def always(label: int) -> Labels:
    return lambda values: np.full(len(values), label)


def test_a_mode_that_is_asked_for_is_taken() -> None:
    assert (asked_for("faithful").mode, asked_for("faithful").rules) == ("faithful", "faithful")
    assert (asked_for("latent").mode, asked_for("latent").rules) == ("latent", "robust")


def test_an_unknown_mode_is_refused_with_those_there_are() -> None:
    with pytest.raises(QueryError, match="auto, faithful, robust, latent"):
        asked_for("clever")


def test_the_gain_is_the_true_difference_where_nothing_is_disguised() -> None:
    survey = bits_survey(4, "1")
    rows = alike(200, 4, np.random.default_rng(1))
    responses = simulate(survey, rows, np.random.default_rng(2))
    gain = accuracy_gain(responses, always(0), always(1), "q3", np.random.default_rng(3))
    assert gain.estimate == pytest.approx((rows[:, 3] == 1).mean() - (rows[:, 3] == 0).mean())


@pytest.mark.statistical
def test_the_gain_is_unbiased_under_disguise() -> None:
    """A mean of 300, or a tenth, within four standard errors: fails once in 16,000 times, were the seed not fixed."""
    survey = bits_survey(4, "4/5")
    rows = alike(100, 4, np.random.default_rng(4))
    truth = ((rows[:, 0] == rows[:, 3]).astype(float) - (rows[:, 3] == 0)).mean()
    generator = np.random.default_rng(5)
    found = [
        accuracy_gain(
            simulate(survey, rows, generator), always(0), lambda values: values[:, 0].astype(np.intp), "q3", generator
        ).estimate
        for _ in range(part_of(300))
    ]
    assert abs(np.mean(found) - truth) < 4 * np.std(found) / np.sqrt(len(found))


def test_the_same_seed_learns_the_same_tree() -> None:
    survey = bits_survey(5, "4/5")
    responses = simulate(survey, alike(600, 5, np.random.default_rng(11)), np.random.default_rng(12))
    first, second = (ID3Classifier(survey, random_state=3).fit(responses.frame) for _ in range(2))
    assert first.choice_ == second.choice_
    assert first.tree_.to_json() == second.tree_.to_json()


def test_the_latent_mode_sees_through_a_disguise_that_hides_all_from_the_paper() -> None:
    survey = bits_survey(9, "11/20")
    generator = np.random.default_rng(13)
    responses = simulate(survey, alike(4000, 9, generator), generator)
    test = alike(1000, 9, generator)
    accuracy = {
        mode: (
            ID3Classifier(survey, mode=mode, random_state=1).fit(responses.frame).tree_.predict(test) == test[:, -1]
        ).mean()
        for mode in ("faithful", "latent")
    }
    assert accuracy["latent"] > 0.85
    assert accuracy["latent"] > accuracy["faithful"]


def test_trees_of_the_latent_mode_count_respondents_however_many_their_rows_stood_for() -> None:
    """Here each response stands for two people with the learner, and a fifth of the responses is pruned on."""
    file = survey_text(bits_survey(3, "3/4"), "bits").replace('"complement"', '"uniform"')
    survey = parse_survey(file)
    responses = simulate(survey, alike(2500, 3, np.random.default_rng(1)), np.random.default_rng(2))
    tree = ID3Classifier(survey, mode="latent", prune_share=0.2, random_state=1).fit(responses.frame).tree_
    assert tree.counts[0].sum() == pytest.approx(2000)
    assert sum(tree.counts[leaf.node].sum() for leaf in tree.leaves()) == pytest.approx(2000)
    forest = ForestClassifier(survey, mode="latent", n_estimators=3, random_state=1).fit(responses.frame).forest_
    leaves = forest.counts.sum(axis=1) * (forest.test == LEAF)
    np.testing.assert_allclose(np.add.reduceat(leaves, forest.begin[:-1]), 2500, rtol=1e-5)


def test_the_latent_mode_of_a_tree_learns_from_some_of_very_many_responses_and_counts_them_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    survey = bits_survey(5, "4/5")
    responses = simulate(survey, alike(3000, 5, np.random.default_rng(1)), np.random.default_rng(2))

    def learnt() -> ID3Classifier:
        return ID3Classifier(survey, mode="latent", random_state=1).fit(responses.frame)

    every = learnt()
    monkeypatch.setattr(ID3Classifier, "MOST_EXPLAINED", 3000)
    assert learnt().learnt == every.learnt
    monkeypatch.setattr(ID3Classifier, "MOST_EXPLAINED", 2000)
    drawn = learnt()
    assert "2000 of 3000 responses" in drawn.choice_.why
    assert drawn.tree_.to_json() != every.tree_.to_json()
    assert drawn.tree_.counts[0].sum() == pytest.approx(3000)
    assert learnt().learnt == drawn.learnt
    rows = alike(2000, 5, np.random.default_rng(3))
    assert (drawn.tree_.predict(rows) == rows[:, -1]).mean() > 0.85


def test_auto_takes_robust_where_latent_would_leave_responses_out(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = bits_survey(5, "4/5")
    responses = simulate(survey, alike(3000, 5, np.random.default_rng(1)), np.random.default_rng(2))
    monkeypatch.setattr(ID3Classifier, "MOST_EXPLAINED", 2000)
    found = ID3Classifier(survey, random_state=1).fit(responses.frame)
    robust = ID3Classifier(survey, mode="robust", random_state=1).fit(responses.frame)
    assert "2000 at most" in found.choice_.why
    assert found.tree_.to_json() == robust.tree_.to_json()
