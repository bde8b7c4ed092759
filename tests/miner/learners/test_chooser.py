"""What is compared on held-out responses, and chosen: candidates with a known truth, modes, and the pool."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from test_modes import SAMPLED

from collector.errors import QueryError
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from collector.survey_file.survey_writer import survey_text
from miner.arrays import Floats
from miner.behind.rows import Rows, drawn_rows
from miner.learners.auto import AutoClassifier
from miner.learners.baselines import MajorityClassifier, NaiveBayesClassifier, UncorrectedClassifier
from miner.learners.choice import chooser
from miner.learners.choice.chooser import POOL, Candidate, Contest, as_likely, corrected_error
from miner.learners.choice.pool import FIRMNESS, Pool, logarithms_of
from miner.learners.distilled import DistilledTreeClassifier
from miner.learners.forest import ForestClassifier
from miner.learners.id3 import ID3Classifier
from miner.learners.kinds import KINDS
from miner.learners.mode_classifier import ModeClassifier, forced_choice
from miner.models.model import read_model, write_model
from miner.models.training import train
from miner.responses.plain_rows import PlainRows
from miner.responses.responses import Data, Responses, Values, values_of_codes
from miner.simulation.simulation import simulate
from mode_surveys import alike, bits_survey
from said import figures


class Says(MajorityClassifier):
    """Predicts the class with this probability where the first question says 1."""

    def __init__(self, survey: Survey, target: str | None = None, *, right: float = 0.9) -> None:
        super().__init__(survey, target)
        self.right = right

    def probabilities(self, values: Values) -> Floats:
        """With the same one where it says 0."""
        one = np.where(values[:, 0] == 1, self.right, 1 - self.right)
        return np.column_stack([1 - one, one])


def sent_alike(truth: str, people: int, channel: str = "complement") -> Responses:
    survey = parse_survey(survey_text(bits_survey(6, truth), "bits").replace('"complement"', f'"{channel}"'))
    return simulate(survey, alike(people, 6, np.random.default_rng(1)), np.random.default_rng(2))


def known(responses: Responses, *right: float) -> list[Candidate]:
    return [
        Candidate(str(each), lambda each=each: Says(responses.survey, right=each))  # type: ignore[misc]
        for each in right
    ]


@pytest.mark.parametrize(("truth", "by"), [("9/10", "log-loss"), ("7/10", "accuracy"), ("9/10", "auc")])
def test_the_classifier_that_tells_classes_apart_is_chosen(truth: str, by: str) -> None:
    responses = sent_alike(truth, 1500)
    contest = Contest(known(responses, 0.5, 0.9), "q5", by, pooled=False)
    found = contest.decided(responses, np.random.default_rng(3))
    assert found is not None
    assert found.chosen == "0.9"
    assert found.rows[0].behind is not None
    assert found.rows[0].behind > 2 * (found.rows[0].standard_error or 0) > 0


def test_a_calibration_changes_no_comparison() -> None:
    """The same order of people, timid and bold: neither is ahead, and the simpler is taken."""
    responses = sent_alike("4/5", 500)
    for order in ((0.6, 0.9), (0.9, 0.6)):
        found = Contest(known(responses, *order), "q5", pooled=False).decided(responses, np.random.default_rng(3))
        assert found is not None
        assert found.chosen == str(order[0])
        assert found.rows[1].behind == pytest.approx(0, abs=1e-3)


class Tempered(MajorityClassifier):
    """Predicts the last bit of `alike` from the others by Bayes' rule, its log odds multiplied."""

    def __init__(self, survey: Survey, target: str | None = None, *, times: float = 1.0) -> None:
        super().__init__(survey, target)
        self.times = times

    def probabilities(self, values: Values) -> Floats:
        """The hidden bit from five that follow it nine times in ten, then the sixth."""
        hidden = 1 / (1 + 9.0 ** -(2 * values[:, :5].sum(axis=1) - 5))
        one = 0.1 + 0.8 * hidden
        odds = (one / (1 - one)) ** self.times
        return np.column_stack([1 / (1 + odds), odds / (1 + odds)])


@pytest.mark.parametrize("channel", ["complement", "uniform"])
def test_the_held_out_loss_is_least_at_the_true_probabilities(channel: str) -> None:
    responses = sent_alike("4/5", 6000, channel)
    judges = drawn_rows(responses, responses, "q5", np.random.default_rng(4))
    losses = [
        judges.losses(Tempered(responses.survey, times=times).probabilities(judges.values)).mean()
        for times in (0.0, 0.5, 1.0, 2.0)
    ]
    assert np.argmin(losses) == 2


PARTLY = """
name = "partly"
title = "Partly"
languages = ["en"]
questions = [
    { name = "q0", label = "Q?", kind = "yes_no", sensitive = false },
    { name = "q1", label = "Q?", kind = "yes_no", group = "a" },
]
[groups]
a = { truth = "4/5" }
[mining]
target = "q1"
"""


def test_where_only_the_class_is_disguised_the_loss_is_that_of_its_code() -> None:
    survey = parse_survey(PARTLY)
    responses = simulate(survey, alike(50, 2, np.random.default_rng(6)), np.random.default_rng(7))
    judges = drawn_rows(responses, responses, "q1", np.random.default_rng(8))
    predicted = Says(survey, right=0.9).probabilities(judges.values)
    said = values_of_codes(survey.questions, responses.codes)[:, 1]
    chance = predicted[np.arange(50), said]
    assert len(judges.values) == len(judges.first) == 50
    np.testing.assert_allclose(judges.losses(predicted), -np.log(0.8 * chance + 0.2 * (1 - chance)))


def test_no_other_weights_near_those_of_a_pool_are_more_probable() -> None:
    responses, rng = sent_alike("4/5", 400), np.random.default_rng(10)
    judges = drawn_rows(responses, responses, "q5", np.random.default_rng(9))
    logs = logarithms_of(rng.dirichlet([1, 1], (3, len(judges.values))))
    pool = Pool.fitted(logs, judges)

    def cost(free: Floats) -> float:
        off = free - np.array([1 / 3] * 3 + [0, 0])
        loss = judges.losses(Pool(free[:3], free[3:]).probabilities(logs)).sum()
        return float(loss + FIRMNESS / 2 * off @ off)

    best = np.append(pool.weights, pool.intercepts)
    for step in 0.05 * rng.normal(size=(50, 5)):
        assert cost(np.maximum(best + step, [0, 0, 0, -np.inf, -np.inf])) > cost(best) - 1e-4


def test_a_response_counts_in_a_pool_as_many_times_as_it_stands_for_people() -> None:
    """People in their expected numbers: the class is the bit nine times in ten, and is sent with a truth of 3/5."""
    bits, sent = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    chances = np.where(sent[:, None] == [0, 1], 0.6, 0.4)
    counts = 1000 * np.where(bits == sent, 0.9 * 0.6 + 0.1 * 0.4, 0.9 * 0.4 + 0.1 * 0.6)
    judges = Rows(bits[:, None].astype(np.int16), chances, np.arange(4), counts)
    good = np.where(bits[:, None] == [0, 1], 0.9, 0.1)
    logs = logarithms_of(np.stack([good**0.5, np.full_like(good, 0.5)]))
    timid = Pool.fitted(logs[:1], judges)
    assert timid.weights == pytest.approx([2.0], abs=0.1)
    halves = replace(judges, counts=judges.counts / 2)
    once, twice = Pool.fitted(logs, judges), Pool.fitted(logs.repeat(2, axis=1), halves_of(halves))
    assert twice.weights == pytest.approx(once.weights, abs=1e-3)
    assert once.weights[0] > 1.2


def halves_of(halves: Rows) -> Rows:
    """Each response twice in a row, each time with this count."""
    return halves.take(np.repeat(np.arange(len(halves.first)), 2))


def test_the_pool_prefers_the_better_of_two() -> None:
    responses = sent_alike("4/5", 3000)
    judges = drawn_rows(responses, responses, "q5", np.random.default_rng(9))
    noise = np.random.default_rng(10).dirichlet([1, 1], len(judges.values))
    good = Says(responses.survey, right=0.9).probabilities(judges.values)
    pool = Pool.fitted(logarithms_of(np.stack([noise, good])), judges)
    assert pool.weights[1] > 0.6
    assert 0 <= pool.weights[0] < 0.1


def test_auto_compares_every_kind_under_uniform_coins_too_and_pools_them_where_that_is_not_clearly_worse() -> None:
    responses = sent_alike("4/5", 300, "uniform")
    model = AutoClassifier(responses.survey, random_state=1).fit(responses.frame)
    found = model.comparison_
    assert found is not None
    names = [
        "majority",
        "naive-bayes",
        "uncorrected",
        "logit",
        "additive",
        "boosted",
        "forest robust",
        "forest latent",
        POOL,
    ]
    assert [row.name for row in found.rows] == names
    single = [row for row in found.rows if row.name != POOL]
    assert found.chosen == POOL
    assert all((row.behind or 0) > -2 * (row.standard_error or 0) for row in single)
    test = alike(2000, 6, np.random.default_rng(13))
    assert (model.probabilities(test).argmax(axis=1) == test[:, 5]).mean() > 0.8


@pytest.mark.parametrize(("folds", "chosen"), [(2, POOL), (3, "0.9")])
def test_no_single_learner_takes_the_place_of_the_pool_where_only_two_fits_of_each_say_so(
    folds: int, chosen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    responses = sent_alike("4/5", 400)
    monkeypatch.setattr(chooser, "folds_of", lambda *_: folds)
    monkeypatch.setattr(chooser, "POOLED", -10.0)  # the pool is never near enough
    found = Contest(known(responses, 0.5, 0.9), "q5").decided(responses, np.random.default_rng(3))
    assert found is not None
    assert found.chosen == chosen


def test_the_error_of_a_comparison_counts_the_fits_and_what_they_share() -> None:
    """Nadeau & Bengio (2003), by hand: six fits with a scatter of 2, each tested on half of what it learns from."""
    means = np.array([1.0, 5.0, 1.0, 5.0, 3.0, 3.0])
    assert corrected_error(means, 0.5) == pytest.approx(np.sqrt(16 / 5) * np.sqrt(1 / 6 + 1 / 2))
    assert [round(as_likely(2.0, freedom), 2) for freedom in (2, 5, 10**6)] == [4.53, 2.65, 2.0]


class Lucky(MajorityClassifier):
    """Predicts well or at random, from one fit to the next."""

    fits = 0

    def _fit(self, data: Data, plain: PlainRows | None, target: str) -> None:
        super()._fit(data, plain, target)
        Lucky.fits += 1
        self.right = 0.9 if Lucky.fits % 3 else 0.5

    def probabilities(self, values: Values) -> Floats:
        """The first question's bit, with this probability."""
        one = np.where(values[:, 0] == 1, self.right, 1 - self.right)
        return np.column_stack([1 - one, one])


def test_a_learner_whose_fits_vary_has_a_larger_error_than_the_scatter_of_responses() -> None:
    responses = sent_alike("9/10", 1500)
    steady = Contest(known(responses, 0.5, 0.9), "q5", pooled=False).decided(responses, np.random.default_rng(3))
    lucky = [*known(responses, 0.9), Candidate("lucky", lambda: Lucky(responses.survey))]
    varying = Contest(lucky, "q5", pooled=False).decided(responses, np.random.default_rng(3))
    assert steady is not None
    assert varying is not None
    assert (steady.chosen, varying.chosen) == ("0.9", "0.9")
    assert (varying.rows[1].standard_error or 0) > 1.5 * (steady.rows[0].standard_error or np.inf)


@pytest.mark.parametrize(("truth", "people", "why"), [("1", 500, "nothing is disguised"), ("4/5", 20, "fewer than 30")])
def test_nothing_is_judged_where_there_is_nothing_to_choose(truth: str, people: int, why: str) -> None:
    survey = bits_survey(4, truth)
    responses = simulate(survey, alike(people, 4, np.random.default_rng(9)), np.random.default_rng(10))
    choice = forced_choice(responses, survey.target or "")
    assert choice is not None
    assert choice.mode == "robust"
    assert why in choice.why
    assert ID3Classifier(survey).fit(responses.frame).choice_ == choice


@pytest.mark.parametrize("model", [ID3Classifier, ForestClassifier])
def test_where_not_everybody_is_asked_everything_only_latent_is_taken(model: type[ModeClassifier]) -> None:
    values = alike(300, 3, np.random.default_rng(11))
    sent = simulate(parse_survey(SAMPLED), values, np.random.default_rng(12))
    choice = forced_choice(sent, sent.survey.questions[0].name)
    assert choice is not None
    assert choice.mode == "latent"
    assert "not everybody was asked" in choice.why
    with pytest.raises(QueryError, match="robust counts whole responses"):
        model(sent.survey).set_params(mode="robust").fit(sent.frame)


def test_a_mode_is_chosen_among_both_and_told_beside_the_simplest_classifiers() -> None:
    responses = sent_alike("4/5", 300)
    choice = ForestClassifier(responses.survey, n_estimators=5, random_state=1).fit(responses.frame).choice_
    assert choice.comparison is not None
    assert [row.name for row in choice.comparison.rows] == [
        "majority",
        "naive-bayes",
        "uncorrected",
        "latent",  # first: taken where both are about as good
        "robust",
    ]
    assert choice.mode in {"robust", "latent"}
    assert 300 in figures(choice.why)
    assert choice.comparison.rows[0].behind is not None
    assert choice.comparison.rows[0].behind > 0


def test_auto_beats_the_majority_class_says_what_it_compared_and_survives_json(root: Path, tmp_path: Path) -> None:
    responses = sent_alike("4/5", 300)
    model = train(responses, AutoClassifier(responses.survey, random_state=1), Fraction(1, 3), seed=1)
    assert model.kind == "auto"
    learnt = model.classifier
    assert isinstance(learnt, AutoClassifier)
    found = learnt.comparison_
    assert found is not None
    assert [row.name for row in found.rows][-3:] == ["forest robust", "forest latent", POOL]
    assert found.chosen != "majority"
    test = alike(2000, 6, np.random.default_rng(13))
    assert (learnt.probabilities(test).argmax(axis=1) == test[:, 5]).mean() > 0.8
    write_model(model, tmp_path / "model.json")
    again = read_model(tmp_path / "model.json")
    assert json.dumps(again.as_json) == json.dumps(model.as_json)
    np.testing.assert_array_equal(again.classifier.probabilities(test), learnt.probabilities(test))  # type: ignore[attr-defined]
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((root / "docs" / "model.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(json.loads(json.dumps(model.as_json)))
    few = AutoClassifier(responses.survey).fit(responses.frame.head(5))
    assert "fewer than 30 responses" in few.why_


def test_a_candidate_that_cannot_be_fitted_is_left_out_with_the_reason() -> None:
    responses = sent_alike("4/5", 100)
    broken = Candidate("broken", lambda: ForestClassifier(responses.survey, mode="clever"))
    found = Contest([*known(responses, 0.5), broken], "q5").decided(responses, np.random.default_rng(1))
    assert found is not None
    assert found.rows[1].problem == "the mode does not exist"
    with pytest.raises(QueryError, match="no model can be fitted"):
        Contest([broken], "q5").decided(responses, np.random.default_rng(1))


def test_an_unknown_measure_is_refused() -> None:
    responses = sent_alike("4/5", 100)
    with pytest.raises(QueryError, match="log-loss, auc, accuracy"):
        AutoClassifier(responses.survey, by="luck").fit(responses.frame)


@pytest.mark.statistical
def test_the_tables_of_naive_bayes_are_corrected_for_the_disguise() -> None:
    """Seeded. Effects from 20,000 disguised responses are those of the true answers within .15."""
    rows = alike(20_000, 6, np.random.default_rng(1))
    responses = sent_alike("4/5", 20_000)
    true = NaiveBayesClassifier(responses.survey).fit(PlainRows.of(responses.survey, rows))
    found = NaiveBayesClassifier(responses.survey).fit(responses.frame)
    for one, other in zip(found.effects_, true.effects_, strict=True):
        np.testing.assert_allclose(one, other, atol=0.15)


def test_the_uncorrected_learner_is_scikit_learns_on_what_was_sent() -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    responses = sent_alike("1", 400)
    rows = alike(400, 6, np.random.default_rng(1))
    peer = linear_model.LogisticRegression().fit(np.column_stack([rows[:, :5] == v for v in (0, 1)]), rows[:, 5])
    found = UncorrectedClassifier(responses.survey).fit(responses.frame).probabilities(rows)
    table = np.column_stack([rows[:, :5] == v for v in (0, 1)])
    np.testing.assert_allclose(found, peer.predict_proba(table), atol=2e-3)


def test_a_distilled_tree_says_so_and_has_few_leaves() -> None:
    responses = sent_alike("4/5", 200)
    model = DistilledTreeClassifier(responses.survey, random_state=1).fit(responses.frame)
    assert KINDS["distilled"] is DistilledTreeClassifier
    assert model.choice_.why.startswith("distilled ")
    assert 2 <= len(model.tree_.leaves()) <= 30
    assert model.tree_.counts[0].sum() == pytest.approx(200)
