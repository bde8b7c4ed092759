"""What the default mode takes, and why: the forecast of the mixture, and responses kept out."""

from __future__ import annotations

import numpy as np
import pytest

from collector.errors import QueryError
from collector.survey_file.survey_file import parse_survey
from miner.latent.model import SoftCopies, fit_latent, soft_copies
from miner.learners.forest import ForestClassifier
from miner.learners.id3 import ID3Classifier
from miner.learners.mode_choice import FOLDS, Trial, expected_gain, forced_choice
from miner.learners.mode_classifier import ModeClassifier, ModeTwins
from miner.learners.modes import Labels
from miner.responses.responses import Responses, Values
from miner.simulation.simulation import simulate
from mode_surveys import alike, bits_survey


class Known:
    """Twins whose predictions are known beforehand, and who remember what they were given."""

    def __init__(self, robust: Labels, latent: Labels) -> None:
        self.models = robust, latent
        self.responses: list[Responses] = []
        self.copies: list[tuple[SoftCopies, int]] = []

    def robust(self, responses: Responses) -> Labels:
        """The first."""
        self.responses.append(responses)
        return self.models[0]

    def latent(self, copies: SoftCopies, people: int) -> Labels:
        """The second."""
        self.copies.append((copies, people))
        return self.models[1]


def first(values: Values) -> np.ndarray[tuple[int, ...], np.dtype[np.intp]]:
    """Predict what the first question says: right nine times in ten and better."""
    return values[:, 0].astype(np.intp)


def contrary(values: Values) -> np.ndarray[tuple[int, ...], np.dtype[np.intp]]:
    return 1 - first(values)


def trial(truth: str, people: int, robust: Labels, latent: Labels) -> tuple[Trial, Known]:
    survey, twins = bits_survey(6, truth), Known(robust, latent)
    responses = simulate(survey, alike(people, 6, np.random.default_rng(1)), np.random.default_rng(2))
    rng = np.random.default_rng(3)
    copies = soft_copies(responses, fit_latent(responses, rng, most_classes=3), rng)
    return Trial(twins, responses, copies, "q5"), twins


def test_what_was_measured_counts_by_its_precision() -> None:
    assert expected_gain(-0.02, 0.0, forecast=0.5) == -0.02
    assert expected_gain(-0.7, 0.4, forecast=0.01) > 0 > expected_gain(-0.7, 0.1, forecast=0.01)
    assert expected_gain(0.0, 1e6, forecast=-0.04) == pytest.approx(-0.04)


@pytest.mark.parametrize(("robust", "latent", "taken"), [(contrary, first, "latent"), (first, contrary, "robust")])
@pytest.mark.parametrize("truth", ["9/10", "3/5"])
def test_the_mode_that_is_right_more_often_is_taken(robust: Labels, latent: Labels, taken: str, truth: str) -> None:
    heard, _ = trial(truth, 3000, robust, latent)
    choice = heard.choice(np.random.default_rng(4))
    assert choice.mode == taken
    assert choice.gain is not None
    assert "3000 in all" in choice.why


def test_a_forecast_has_the_sign_of_the_truth_where_there_is_much_noise() -> None:
    heard, _ = trial("3/5", 3000, contrary, first)
    forecast, measured = heard.gains(np.random.default_rng(5))
    rows = alike(20_000, 6, np.random.default_rng(6))
    gain = (first(rows) == rows[:, 5]).mean() - (contrary(rows) == rows[:, 5]).mean()
    assert gain > 0.6
    assert 0.3 < forecast < gain + 0.05
    assert measured.standard_error is not None
    assert measured.standard_error > 0.05


def test_nobody_judges_a_twin_that_has_learnt_from_it() -> None:
    heard, twins = trial("4/5", 300, first, first)
    heard.gains(np.random.default_rng(7))
    assert [len(responses) for responses in twins.responses] == [200] * FOLDS
    assert [people for _, people in twins.copies] == [200] * FOLDS
    origins = [set(copies.origin.tolist()) for copies, _ in twins.copies]
    kept_out = [set(range(300)) - origin for origin in origins]
    assert [len(fold) for fold in kept_out] == [100] * FOLDS
    assert set.union(*kept_out) == set(range(300))
    for responses, origin in zip(twins.responses, origins, strict=True):
        np.testing.assert_array_equal(responses.codes, heard.responses.codes[sorted(origin)])


@pytest.mark.parametrize(("truth", "people", "why"), [("1", 500, "nothing is disguised"), ("4/5", 20, "fewer than 30")])
def test_nothing_is_judged_where_there_is_nothing_to_choose(truth: str, people: int, why: str) -> None:
    survey = bits_survey(4, truth)
    responses = simulate(survey, alike(people, 4, np.random.default_rng(9)), np.random.default_rng(10))
    choice = forced_choice(responses)
    assert choice is not None
    assert choice.mode == "robust"
    assert why in choice.why
    assert ID3Classifier(survey).fit(responses.frame).choice_ == choice


def test_twins_are_the_models_that_a_named_mode_would_fit() -> None:
    survey = bits_survey(5, "4/5")
    responses = simulate(survey, alike(500, 5, np.random.default_rng(11)), np.random.default_rng(12))
    rows = alike(100, 5, np.random.default_rng(13))
    robust = ModeTwins(ID3Classifier(survey, random_state=0)).robust(responses)
    model = ID3Classifier(survey, mode="robust").fit(responses.frame)
    np.testing.assert_array_equal(robust(rows), model.probabilities(rows).argmax(axis=1))


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


def sampled_responses() -> Responses:
    values = alike(300, 3, np.random.default_rng(11))
    return simulate(parse_survey(SAMPLED), values, np.random.default_rng(12))


@pytest.mark.parametrize("model", [ID3Classifier, ForestClassifier])
def test_where_not_everybody_is_asked_everything_only_latent_is_taken(model: type[ModeClassifier]) -> None:
    sent = sampled_responses()
    learnt = model(sent.survey).set_params(random_state=1).fit(sent.frame)
    assert learnt.choice_.mode == "latent"
    assert "not everybody was asked every question" in learnt.choice_.why
    with pytest.raises(QueryError, match="robust counts whole responses"):
        model(sent.survey).set_params(mode="robust").fit(sent.frame)
