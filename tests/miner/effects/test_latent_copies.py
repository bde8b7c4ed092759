"""The latent mode under uniform channels: rows behind responses, with the classes that effects predict."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from benchmarks.performance.designs import DESIGNS, answers, text
from collector.survey_file.survey_file import parse_survey
from latent_cases import sampled_survey, yes_no_survey
from miner.channels.registry import independent_replacements
from miner.effects.copies import latent_copies
from miner.learners.id3 import ID3Classifier
from miner.responses.plain_rows import PlainRows
from miner.simulation.simulation import simulate
from soak import part_of


@pytest.mark.statistical
def test_an_interaction_that_no_table_shows_is_found() -> None:
    """Seeded. The class is the parity of two answers, nine times in ten; single questions are right on half."""
    rng = np.random.default_rng(7)
    survey = sampled_survey((2, 2, 2, 2, 2), 4, "50")
    truth = rng.integers(0, 2, (6000, 5)).astype(np.int16)
    truth[:, 4] = (truth[:, 0] ^ truth[:, 1]) ^ (rng.random(6000) < 0.1)

    copies = latent_copies(simulate(survey, truth, rng), "q4", rng)

    parity = copies.values[:, 0] ^ copies.values[:, 1] ^ 1
    for row in product(range(2), repeat=4):
        some = (copies.values[:, :4] == row).all(axis=1)
        right = copies.weights[some & (copies.values[:, 4] != parity)].sum() / copies.weights[some].sum()
        assert right > 0.75


def test_copies_weigh_one_for_each_response_and_come_again_with_the_seed() -> None:
    survey = sampled_survey((2, 3, 2), 2, "5")
    generator = np.random.default_rng(8)
    truth = np.stack([generator.integers(0, count, 60) for count in (2, 3, 2)], axis=1).astype(np.int16)
    responses = simulate(survey, truth, generator)

    copies, again = (latent_copies(responses, "q2", np.random.default_rng(9)) for _ in range(2))

    np.testing.assert_allclose(np.bincount(copies.origin, copies.weights), 1)
    assert (np.diff(copies.origin) >= 0).all()
    np.testing.assert_array_equal(copies.values, again.values)
    np.testing.assert_array_equal(copies.weights, again.weights)


def test_copies_are_rows_behind_the_responses_each_with_every_class() -> None:
    rng = np.random.default_rng(10)
    survey = sampled_survey((2, 2, 2, 2), 4, "5000000")
    truth = rng.integers(0, 2, (1000, 4)).astype(np.int16)

    copies = latent_copies(simulate(survey, truth, rng), "q3", rng)

    np.testing.assert_array_equal(copies.values[:, :3], truth[copies.origin, :3])
    by_class = np.zeros((1000, 2))
    np.add.at(by_class, (copies.origin, copies.values[:, 3]), copies.weights)
    assert (by_class > 0.3).all(), "the class was drawn at random, and nothing predicts it"


def test_rows_represent_as_many_people_as_they_weigh_and_one_at_least() -> None:
    survey = yes_no_survey(1, 1, "2/3")
    assert [PlainRows.of(survey, np.zeros((2, 1), np.int16), [weight] * 2).people for weight in (450.2, 0.1)] == [
        900,
        1,
    ]


def test_other_channels_keep_the_mixture_alone() -> None:
    assert independent_replacements(yes_no_survey(3, 3, "2/3", "uniform"))
    assert not independent_replacements(yes_no_survey(3, 3, "2/3"))


@pytest.mark.statistical
def test_predictions_do_not_run_away_however_many_responses_there_are() -> None:
    """Seeded; where effects ran away, the log loss was above 2."""
    survey, rng = parse_survey(text("wide")), np.random.default_rng(2)
    many = part_of(12_000, 4000)
    values = next(answers(DESIGNS["wide"], many + 5000))
    learnt, test = values[:many], values[many:]
    model = ID3Classifier(survey, mode="latent", random_state=1).fit(simulate(survey, learnt, rng).frame)

    classes = np.arange(len(test)), test[:, -1]
    shares = np.bincount(learnt[:, -1]) / len(learnt)
    found = -np.log(np.asarray(model.probabilities(test))[classes]).mean()
    assert found < -np.log(shares[test[:, -1]]).mean() + 0.02
