"""A test of a model looks at the questions that it uses, and says where nothing can be known."""

from __future__ import annotations

import json

import numpy as np
import pytest

from bit_surveys import bit_survey, some_values
from collector.survey.fields import Fields
from miner.arrays import Floats
from miner.estimates.estimate import estimate
from miner.evaluation import candidates, copies
from miner.evaluation import copy_sums as sums
from miner.evaluation.importances import permutation_importances
from miner.evaluation.measures import evaluate
from miner.figures.estimate import Difference, Estimate
from miner.learners.baselines import MajorityClassifier, NaiveBayesClassifier
from miner.learners.forest import ForestClassifier
from miner.responses.condition import event_of, parse_condition
from miner.responses.responses import Responses, Values
from miner.simulation.simulation import simulate

COINS = 13


def sent(people: int, seed: int = 1, how: str = "complement 3/4") -> Responses:
    rng = np.random.default_rng(seed)
    values = (rng.random((people, COINS)) < 0.41).astype(np.int16)
    return simulate(bit_survey(list(range(COINS)), [how] * COINS), values, rng)


def test_the_accuracy_of_the_majority_is_the_share_of_its_class_and_as_sharp_as_that() -> None:
    errors = []
    for people in (10_000, 100_000):
        responses = sent(people)
        survey = responses.survey
        target = survey.target or ""
        model = MajorityClassifier(survey).fit(responses.take(np.arange(2000)).frame)
        found = evaluate(responses, model, target, rng=np.random.default_rng(2)).accuracy
        predicted = survey.question(target).values[int(model.intercept_.argmax())]
        share = estimate(responses, event_of(survey, parse_condition(survey, f"{target} = {predicted}")))
        assert model.used_ == []
        assert (found.estimate, found.standard_error) == pytest.approx((share.estimate, share.standard_error))
        errors.append(found.standard_error or 0)
    assert errors[0] / errors[1] == pytest.approx(np.sqrt(10), rel=0.02)


def two_of_many(rows: Values) -> Floats:
    share = np.where(rows[:, 0] * rows[:, 5] == 1, 0.7, 0.4) - 0.01 * rows[:, 1:12].sum(axis=1)
    return np.stack([share, 1 - share], axis=1)


def test_the_accuracy_behind_thirteen_coins_is_as_sharp_as_its_responses_are_many() -> None:
    """Copies were drawn, as many for a million responses as for a thousand, and the error did not fall."""
    found = {}
    for people in (20_000, 200_000):
        responses = sent(people)
        names = [question.name for question in responses.survey.questions[:-1]]
        by_sums = evaluate(responses, two_of_many, "target", rng=np.random.default_rng(2), asked=names)
        assert by_sums.basis == "all"
        found[people] = by_sums.accuracy.standard_error or 0
    assert found[20_000] / found[200_000] == pytest.approx(np.sqrt(10), rel=0.05)
    assert found[200_000] < 0.01


@pytest.mark.parametrize(
    ("home", "channels", "classes"),
    [
        ([0, 0, 1, -1, 2, 1], ["complement 3/4", "uniform 2/3", "complement 4/5"], 3),
        ([0, 1, 1, -1], ["complement 3/4", "uniform 2/3"], 4),
        ([-1, -1, 0, 1], ["uniform 3/4", "complement 4/5"], 2),
    ],
)
def test_sums_over_all_copies_are_those_of_the_copies_written_out(
    home: list[int], channels: list[str], classes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = bit_survey(home, channels, classes)
    responses = simulate(survey, some_values(survey, 400, 3), np.random.default_rng(0))
    shares = np.random.default_rng(5).dirichlet(np.ones(classes), size=2 ** len(home))

    def predict(rows: Values) -> Floats:
        return np.asarray(shares[sum((rows[:, n] & 1) << n for n in range(len(home) - 1))])

    written = evaluate(responses, predict, "target", rng=np.random.default_rng(0))
    importances = permutation_importances(responses, predict, "target", rng=np.random.default_rng(0))
    monkeypatch.setattr(candidates, "MOST_COPIES", 1)
    summed = evaluate(responses, predict, "target", rng=np.random.default_rng(0))
    assert written.sums is None
    assert summed.sums is not None
    for name in ("accuracy", "log_loss", "brier"):
        one, other = getattr(written, name), getattr(summed, name)
        assert (one.estimate, one.standard_error) == pytest.approx((other.estimate, other.standard_error))
    for cell, share in written.confusion.items():
        assert summed.confusion[cell].estimate == pytest.approx(share.estimate)
    for one, other in zip(written.roc("a"), summed.roc("a"), strict=True):
        assert one.true_positive_rate is not None
        assert other.true_positive_rate is not None
        assert other.true_positive_rate.estimate == pytest.approx(one.true_positive_rate.estimate)
    again = permutation_importances(responses, predict, "target", rng=np.random.default_rng(0))
    for name, each in importances.items():
        assert again[name].estimate == pytest.approx(each.estimate)


def test_where_copies_must_be_drawn_more_responses_get_more_and_what_drawing_costs_is_stated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sums, "MOST_ROWS", 0)
    monkeypatch.setattr(copies, "MOST_DRAWN", 2**14)
    monkeypatch.setattr(copies, "DRAWS", 16)
    errors = []
    for people in (3_000, 30_000):
        responses = sent(people, how="complement 19/20")
        found = evaluate(responses, two_of_many, "target", rng=np.random.default_rng(2))
        assert found.copies.place.shape == (people, copies.FEWEST_DRAWS)
        assert found.as_json["copies"] == "drawn"
        assert found.as_json["drawing_error"] == found.drawing_error
        whole = found.accuracy.standard_error or 0
        assert 0.4 * whole < found.drawing_error < whole
        errors.append(whole)
    assert errors[0] / errors[1] == pytest.approx(np.sqrt(10), rel=0.05)


def test_each_response_has_as_many_draws_where_the_copies_of_a_block_alone_could_be_listed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sums, "MOST_ROWS", 0)
    monkeypatch.setattr(candidates, "MOST_COPIES", 2**COINS)
    monkeypatch.setattr(candidates, "MOST_ENTRIES", 2**COINS * 1000)
    monkeypatch.setattr(copies, "PART", copies.FEWEST_DRAWS * 500)
    monkeypatch.setattr(copies, "MOST_DRAWN", 2**14)
    found = evaluate(sent(3_000), two_of_many, "target", rng=np.random.default_rng(2))
    assert not found.copies.exact
    assert found.copies.place.shape == (3_000, copies.FEWEST_DRAWS)


def test_a_forest_is_tested_on_the_questions_that_its_trees_ask() -> None:
    responses = sent(300)
    model = ForestClassifier(responses.survey, n_estimators=1, max_depth=1, mode="robust", random_state=1)
    model.fit(responses.frame)
    assert len(model.used_) <= 1
    target = responses.survey.target or ""
    assert evaluate(responses, model, target, rng=np.random.default_rng(3)).copies.exact
    assert len(NaiveBayesClassifier(responses.survey).fit(responses.frame).used_) == COINS - 1


def test_an_interval_of_all_shares_is_written_as_nothing_known() -> None:
    nothing = Estimate(-3.07, 13.0, (-28.6, 22.6), 500)
    assert nothing.line.startswith("not known: 500 responses")
    assert "-3.07" not in nothing.line
    assert nothing.short() == "-"
    wide = Estimate(1.112, 0.416, (0.297, 1.929), 500)
    assert wide.line.startswith("not known: 500 responses"), "wider than all shares there are"
    assert wide.as_json["estimate"] == 1.112, "another program may pool it with others"
    assert not Estimate(0.5, 0.1, (0.3, 1.2), 50).says_nothing
    assert not Difference(0.5, 0.9, (-1.3, 2.2), 50).says_nothing


@pytest.mark.parametrize("size", [13.0, 1e12, 1e200])
def test_a_figure_of_which_the_coins_leave_nothing_is_null_in_a_file_and_read_back(size: float) -> None:
    lost = Estimate(-size / 4, size, (-2 * size, 2 * size), 500)
    written = lost.as_json
    assert [written[key] for key in ("estimate", "standard_error", "interval")] == [None, None, None]
    assert written["why"].startswith("500 responses")
    back = Estimate.from_fields(Fields(json.loads(json.dumps(written, allow_nan=False)), "here"))
    assert back.as_json == written
    assert back.line == lost.line
    assert "wider than 0 to 1" in lost.line
