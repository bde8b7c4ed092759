"""A test of a model looks at the questions that it uses, and says where nothing can be known."""

from __future__ import annotations

import numpy as np
import pytest

from bit_surveys import bit_survey
from miner.estimates.estimate import Estimate, estimate
from miner.estimates.ratios import Difference
from miner.evaluation.measures import evaluate
from miner.learners.baselines import MajorityClassifier, NaiveBayesClassifier
from miner.learners.forest import ForestClassifier
from miner.responses.condition import event_of, parse_condition
from miner.responses.responses import Responses
from miner.simulation.simulation import simulate

COINS = 13


def sent(people: int, seed: int = 1) -> Responses:
    rng = np.random.default_rng(seed)
    values = (rng.random((people, COINS)) < 0.41).astype(np.int16)
    return simulate(bit_survey(list(range(COINS)), ["complement 3/4"] * COINS), values, rng)


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
    assert nothing.line.startswith("not known: 500 responses under so many coins leave every share possible")
    assert "-3.07" not in nothing.line
    assert nothing.short() == "-"
    assert nothing.as_json["estimate"] == -3.07
    assert not Estimate(0.5, 0.1, (0.3, 1.2), 50).says_nothing
    assert not Difference(0.5, 0.9, (-1.3, 2.2), 50).says_nothing
