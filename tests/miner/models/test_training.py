"""Keeping responses out, learning from the others, testing on those kept out."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from collector.errors import ModelError, QueryError
from collector.survey.survey import Survey
from miner.estimates.estimate import estimate
from miner.evaluation.accuracy import tree_accuracy
from miner.evaluation.measures import evaluate
from miner.learners.id3 import ID3Classifier
from miner.models.training import judged, part_to_test_on, split, train
from miner.responses.responses import Responses, codes_of_values, value_indices
from miner.simulation.simulation import simulate
from population import draw_answers
from small_surveys import mixed_survey, survey_of

YES_NO = 'kind = "yes_no"'
THIRD = Fraction(1, 3)


@pytest.fixture(scope="module")
def sent(wellbeing: Survey) -> Responses:
    people = draw_answers(1200, np.random.default_rng(4))
    return simulate(wellbeing, value_indices(wellbeing, people), np.random.default_rng(4))


def test_a_split_deals_every_response_once_and_repeats_itself() -> None:
    rows, kept_out = split(100, THIRD, seed=3)
    assert len(kept_out) == 33
    assert sorted([*rows, *kept_out]) == list(range(100))
    assert (rows == split(100, THIRD, seed=3)[0]).all()
    assert (rows != split(100, THIRD, seed=4)[0]).any()


@pytest.mark.parametrize(
    ("count", "share"), [(0, THIRD), (0, Fraction(0)), (1, THIRD), (2, Fraction(9, 10)), (1, Fraction(1, 2))]
)
def test_too_few_responses_to_share_out_are_refused(count: int, share: Fraction) -> None:
    with pytest.raises(QueryError, match="too few"):
        split(count, share, seed=1)


@pytest.mark.parametrize("share", [Fraction(1), Fraction(-1, 3), Fraction(2)])
def test_a_share_that_leaves_nothing_to_learn_from_is_refused(share: Fraction) -> None:
    with pytest.raises(QueryError, match="test share: "):
        split(100, share, seed=1)


def test_a_model_is_trained_on_the_others_and_tested_on_those_kept_out(wellbeing: Survey, sent: Responses) -> None:
    model = train(sent, ID3Classifier(wellbeing, mode="faithful"), THIRD, seed=5)
    rows, kept_out = split(1200, THIRD, seed=5)
    learnt = ID3Classifier(wellbeing, mode="faithful").fit(sent.take(rows).frame).tree_
    assert model.classifier.tree_.to_json() == learnt.to_json()
    outcome = model.training.outcome
    assert outcome is not None
    accuracy = tree_accuracy(sent.take(kept_out), learnt, "distress")
    assert outcome.accuracy.estimate == pytest.approx(accuracy.estimate, abs=1e-12)
    assert outcome.accuracy.interval == pytest.approx(accuracy.interval, abs=1e-9)
    assert outcome.auc == evaluate(sent.take(kept_out), learnt, "distress", rng=np.random.default_rng(0)).auc
    assert outcome.label == "no"
    no = codes_of_values(wellbeing.question("distress"), {1})
    assert outcome.baseline == estimate(sent.take(kept_out), {"distress": no})


def test_without_a_test_share_nothing_is_tested(wellbeing: Survey, sent: Responses) -> None:
    training = train(sent, ID3Classifier(wellbeing, mode="robust"), Fraction(0), seed=5).training
    assert (training.n_train, training.n_test, training.outcome) == (1200, 0, None)
    assert "accuracy" not in training.as_json


def test_another_question_can_be_the_target(wellbeing: Survey, sent: Responses) -> None:
    model = train(sent, ID3Classifier(wellbeing, "year", mode="robust"), THIRD, seed=5)
    assert model.target == "year"
    assert model.classifier.tree_.counts.shape[1] == 4


def test_evaluating_on_the_same_responses_uses_those_kept_out(wellbeing: Survey, sent: Responses) -> None:
    model = train(sent, ID3Classifier(wellbeing), THIRD, seed=5)
    test, kept_out = part_to_test_on(model, sent)
    outcome, evaluation = judged(model, test)
    assert (outcome, kept_out) == (model.training.outcome, True)
    assert (evaluation.accuracy, evaluation.auc) == (outcome.accuracy, outcome.auc)


def test_evaluating_a_model_that_was_never_tested_uses_all(wellbeing: Survey, sent: Responses) -> None:
    model = train(sent, ID3Classifier(wellbeing, mode="robust"), Fraction(0), seed=5)
    test, kept_out = part_to_test_on(model, sent)
    outcome, _ = judged(model, test)
    assert not kept_out
    assert outcome.accuracy.n == 1200
    assert outcome.label == "no"


def test_the_baseline_is_the_majority_of_those_learnt_from() -> None:
    survey = survey_of(('kind = "yes_no"\nsensitive = false', "", ""), (YES_NO, "a", 'truth = "4/5"'))
    responses = Responses(survey, np.array([[0, 0], [1, 1]] * 5, dtype=np.int16))
    for seed in range(20):
        rows, _ = split(10, Fraction(1, 2), seed)
        majority = int(responses.codes[rows, 0].mean() > 0.5)
        outcome = train(responses, ID3Classifier(survey, "q0"), Fraction(1, 2), seed).training.outcome
        assert outcome is not None
        assert outcome.label == ("yes", "no")[majority]


def test_evaluating_after_more_have_come_in_uses_all_and_says_so(wellbeing: Survey, sent: Responses) -> None:
    model = train(sent.take(range(900)), ID3Classifier(wellbeing, mode="robust"), THIRD, seed=5)
    test, kept_out = part_to_test_on(model, sent)
    outcome, _ = judged(model, test)
    assert not kept_out
    assert isinstance(model.classifier, ID3Classifier)
    expected = tree_accuracy(sent, model.classifier.tree_, "distress").estimate
    assert outcome.accuracy.estimate == pytest.approx(expected, abs=1e-12)


def test_evaluating_on_another_survey_is_refused(wellbeing: Survey, sent: Responses) -> None:
    model = train(sent, ID3Classifier(wellbeing, mode="robust"), THIRD, seed=5)
    other = Responses(mixed_survey(), np.zeros((3, 5), dtype=np.int16))
    with pytest.raises(ModelError, match="another survey or another version"):
        part_to_test_on(model, other)
