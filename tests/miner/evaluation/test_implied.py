"""The accuracy that a model of the test responses implies."""

from __future__ import annotations

import json

import numpy as np
import pytest

from bit_surveys import bit_survey
from collector.errors import ModelError
from collector.survey.fields import Fields
from miner.arrays import Floats
from miner.behind.rows import Rows
from miner.evaluation.implied import MIXTURE, ImpliedAccuracy, _Calibration, implied_accuracy
from miner.evaluation.measures import evaluate
from miner.responses.responses import Responses, Values
from miner.simulation.simulation import simulate
from soak import likely, part_of

COINS = 13


def people(count: int, seed: int) -> Values:
    """Answers of which the last follows all others."""
    rng = np.random.default_rng(seed)
    kind = rng.random((count, 1)) < 0.5
    values = (rng.random((count, COINS)) < np.where(kind, 0.7, 0.2)).astype(np.int16)
    values[:, -1] = rng.random(count) < predicted(values)[:, 1]
    return values


def predicted(rows: Values) -> Floats:
    share = 1 / (1 + np.exp(3.0 - 0.9 * rows[:, :-1] @ np.resize([1.0, 0.5], COINS - 1)))
    return np.stack([1 - share, share], axis=1)


def accuracy_on_true_answers() -> float:
    truth = people(200_000, 99)
    return float((predicted(truth).argmax(axis=1) == truth[:, -1]).mean())


def test_undisguised_it_is_the_share_of_right_predictions() -> None:
    values = people(2_000, 1)
    rows = Rows.known(values, np.ones(len(values)), COINS - 1, 2)
    found = _Calibration(rows, predicted(values)).accuracy
    right = (predicted(values).argmax(axis=1) == values[:, -1]).mean()
    assert found.estimate == pytest.approx(right)
    assert found.standard_error == pytest.approx(MIXTURE * np.sqrt(right * (1 - right) / len(values)), rel=1e-3)


def test_behind_thirteen_coins_it_is_right_where_the_unbiased_one_says_nothing() -> None:
    responses = simulate(
        bit_survey(list(range(COINS)), ["complement 7/10"] * COINS), people(6_000, 2), np.random.default_rng(3)
    )
    unbiased = evaluate(responses, predicted, "target", rng=np.random.default_rng(0)).accuracy
    found = implied_accuracy(responses, predicted, "target", np.random.default_rng(0))
    assert unbiased.standard_error is not None
    assert found is not None
    assert found.standard_error is not None
    assert found.interval is not None
    assert found.standard_error < unbiased.standard_error / 5
    assert found.interval[0] < accuracy_on_true_answers() < found.interval[1]


def test_what_the_sent_codes_contradict_is_not_known() -> None:
    """The prediction leads one way for half of the people and the other way for the others."""
    values = people(20_000, 4)
    rows = Rows.known(values, np.ones(len(values)), COINS - 1, 2)

    def turned(rows: Values) -> Floats:
        share = np.where(rows[:, 2] == 1, 0.9 - 0.2 * rows[:, 0], 0.4 - 0.3 * rows[:, 0])
        return np.stack([1 - share, share], axis=1)

    found = _Calibration(rows, turned(values)).accuracy
    assert (found.estimate, found.standard_error, found.interval) == (None, None, None)
    assert "contradict the fitted model" in found.line


def test_a_right_model_is_rejected_as_rarely_as_the_level_says() -> None:
    """Seeded. Of 300 tests 3 are expected to reject; 10 or more, of a tenth 4 or more, come once in a thousand."""
    rejected, tests = 0, part_of(300)
    for seed in range(tests):
        values = people(500, seed)
        rejected += _Calibration(Rows.known(values, np.ones(500), COINS - 1, 2), predicted(values)).p_value < 0.01
    assert rejected <= likely(tests, 0.01)[1]


def test_a_prediction_that_is_certainly_right_has_none() -> None:
    survey = bit_survey([0, 0, -1], ["complement 4/5"])
    everybody = Responses(survey, np.zeros((200, 3), np.int16))

    def first(rows: Values) -> Floats:
        return np.tile([1.0, 0.0], (len(rows), 1))

    assert implied_accuracy(everybody, first, "target", np.random.default_rng(0)) is None


def test_few_responses_have_none() -> None:
    responses = simulate(
        bit_survey(list(range(COINS)), ["complement 7/10"] * COINS), people(99, 2), np.random.default_rng(3)
    )
    assert implied_accuracy(responses, predicted, "target", np.random.default_rng(0)) is None


@pytest.mark.parametrize(
    "found", [ImpliedAccuracy(0.7, 0.02, (0.66, 0.74), 500, 0.3), ImpliedAccuracy(None, None, None, 500, 0.001)]
)
def test_it_is_read_back_from_its_figures(found: ImpliedAccuracy) -> None:
    document = json.loads(json.dumps(found.as_json))
    assert ImpliedAccuracy.from_fields(Fields(document, "model")) == found
    with pytest.raises(ModelError, match="contradict each other"):
        ImpliedAccuracy.from_fields(Fields(document | {"p_value": 2.0}, "model"))
