"""The latent mode: soft copies and imputations against the exact posterior, the choice of K."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from benchmarks.data.coded import adult_14
from benchmarks.learning.protocol import AS_IF_TRUE, Cell, Contest, disguised_split
from collector.errors import ModelError
from every_draw import designs
from latent_cases import every_response, everything_sent, joint, random_mixture, tiny_survey, yes_no_survey
from miner.behind.mixture.mixture import Mixture
from miner.behind.mixture.model import LatentModel, fit_latent, impute, soft_copies, synthetic
from miner.effects.copies import latent_copies
from miner.responses.responses import Responses
from miner.simulation.simulation import simulate


def model_of(mixture: Mixture) -> LatentModel:
    return LatentModel((mixture,), np.zeros(1))


@pytest.mark.statistical
def test_imputations_are_drawn_from_the_posterior_of_the_whole_record() -> None:
    """Seeded. The distance is about 0.02 by chance; above 0.05 once in more than 10^6."""
    rng = np.random.default_rng(1)
    mixture = random_mixture(tiny_survey(), 3, rng)
    responses = Responses(mixture.survey, every_response(mixture.survey)[[3, 17, 50]])
    draws = 6000

    tables = impute(responses, model_of(mixture), draws, rng)

    for row, response in enumerate(responses.codes):
        chances = joint(mixture, response)
        whole = sum(chances.values())
        found = Counter(tuple(truth) for truth in tables[:, row].tolist())
        distance = sum(abs(chance / whole - found[truth] / draws) for truth, chance in chances.items()) / 2
        assert sum(found[truth] for truth in chances) == draws
        assert distance < 0.05


@pytest.mark.statistical
@pytest.mark.parametrize(
    "name",
    [
        "replacements as published, and codes of several values",
        "codes of several values under one coin for all that is asked",
        "complement groups, the class always",
    ],
)
def test_so_they_are_of_split_questionnaires_and_of_codes_that_values_share(name: str) -> None:
    """Seeded. The distance is about 0.03 by chance; above 0.07 once in more than 10^6."""
    rng = np.random.default_rng(1)
    mixture, draws = random_mixture(designs()[name], 3, rng), 6000
    sent = everything_sent(mixture)
    rows = [list(sent)[place] for place in (0, len(sent) // 2, len(sent) - 1)]

    tables = impute(Responses(mixture.survey, np.array(rows, np.int16)), model_of(mixture), draws, rng)

    for number, row in enumerate(rows):
        whole = sum(sent[row].values())
        found = Counter(tuple(truth) for truth in tables[:, number].tolist())
        assert sum(abs(chance / whole - found[truth] / draws) for truth, chance in sent[row].items()) / 2 < 0.07
        assert sum(found[truth] for truth in sent[row]) == draws


def test_soft_copies_of_a_response_are_distinct_and_weigh_one() -> None:
    rng = np.random.default_rng(2)
    mixture = random_mixture(tiny_survey(), 2, rng)
    responses = Responses(mixture.survey, every_response(mixture.survey))

    copies = soft_copies(responses, model_of(mixture), rng)

    np.testing.assert_allclose(np.bincount(copies.origin, copies.weights), 1)
    assert (np.diff(copies.origin) >= 0).all()
    marked = {(int(row), *truth) for row, truth in zip(copies.origin, copies.values.tolist(), strict=True)}
    assert len(marked) == len(copies.weights)


def test_what_is_sent_as_it_is_stays_as_it_is() -> None:
    rng = np.random.default_rng(3)
    mixture = random_mixture(tiny_survey(), 2, rng)
    responses = Responses(mixture.survey, every_response(mixture.survey))

    copies = soft_copies(responses, model_of(mixture), rng)

    np.testing.assert_array_equal(copies.values[:, 1], responses.codes[copies.origin, 1])


def test_at_theta_one_soft_copies_are_the_responses() -> None:
    rng = np.random.default_rng(4)
    survey = yes_no_survey(5, 2, "1")
    responses = simulate(survey, rng.integers(0, 2, (40, 5)).astype(np.int16), rng)

    copies = soft_copies(responses, fit_latent(responses, rng, most_classes=2), rng)

    np.testing.assert_array_equal(copies.values, responses.codes)
    assert copies.weights.min() == 1


@pytest.mark.statistical
def test_synthetic_rows_follow_the_mixture() -> None:
    """Seeded; a share is off by 0.005 as one standard error, by 0.03 never."""
    rng = np.random.default_rng(5)
    mixture = random_mixture(tiny_survey(), 3, rng)

    rows = synthetic(model_of(mixture), 10_000, rng)

    for column, table in enumerate(mixture.tables):
        np.testing.assert_allclose(
            np.bincount(rows[:, column], minlength=len(table)) / 10_000, table @ mixture.weights, atol=0.03
        )


@pytest.mark.statistical
def test_held_out_responses_ask_for_as_many_classes_as_there_are() -> None:
    """Seeded; three well separated classes, found in 20 of 20 other seeds."""
    rng = np.random.default_rng(6)
    survey = yes_no_survey(12, 3, "4/5")
    profiles = np.array([[1] * 4 + [0] * 8, [0] * 4 + [1] * 4 + [0] * 4, [0] * 8 + [1] * 4])
    truth = profiles[rng.integers(0, 3, 8000)] ^ (rng.random((8000, 12)) < 0.08)

    model = fit_latent(simulate(survey, truth.astype(np.int16), rng), rng)

    assert model.classes == 3
    assert len(model.mixtures) == 3
    assert int(np.argmax(model.held_out)) + 1 >= 3


def test_a_small_collection_gets_several_mixtures() -> None:
    rng = np.random.default_rng(7)
    survey = yes_no_survey(6, 2, "4/5")
    responses = simulate(survey, rng.integers(0, 2, (60, 6)).astype(np.int16), rng)

    model = fit_latent(responses, rng, most_classes=2)

    assert len(model.mixtures) > 5
    assert {mixture.classes for mixture in model.mixtures} == {model.classes}


def test_the_same_seed_gives_the_same_copies_and_the_responses_stay() -> None:
    survey = yes_no_survey(6, 2, "4/5")
    responses = simulate(
        survey, np.random.default_rng(8).integers(0, 2, (50, 6)).astype(np.int16), np.random.default_rng(8)
    )
    before = responses.codes.copy()

    def copied() -> np.ndarray[tuple[int, ...], np.dtype[np.int16]]:
        rng = np.random.default_rng(9)
        return soft_copies(responses, fit_latent(responses, rng, most_classes=3), rng).values

    np.testing.assert_array_equal(copied(), copied())
    np.testing.assert_array_equal(responses.codes, before)


@pytest.mark.statistical
def test_a_tree_on_soft_copies_of_adult_beats_one_on_the_responses(datasets: Path) -> None:
    """Seeded."""
    assert datasets.is_dir()
    contest = Contest(*disguised_split(adult_14(), Cell("3/5", 3), 1), seed=1)
    accuracy, area, _ = contest.scores("id3 latent")
    as_if_true = contest.scores(f"id3 {AS_IF_TRUE}")
    assert accuracy > 0.775
    assert area > 0.79
    assert area > as_if_true[1] + 0.01


@pytest.mark.parametrize("channel", ["complement", "uniform"])
def test_the_same_fit_is_made_once_and_draws_go_on_as_after_the_first(channel: str) -> None:
    survey = yes_no_survey(3, 3, "4/5", channel)
    rng = np.random.default_rng(1)
    responses = simulate(survey, rng.integers(0, 2, (200, 3)).astype(np.int16), rng)

    def fitted(sent: Responses, rng: np.random.Generator) -> object:
        return fit_latent(sent, rng) if channel == "complement" else latent_copies(sent, "q2", rng)

    first, second, other = (np.random.default_rng(seed) for seed in (3, 3, 4))
    found = fitted(responses, first)
    again = fitted(Responses(survey, responses.codes.copy()), second)
    assert again is found
    assert first.random() == second.random()
    assert first.spawn(1)[0].random() == second.spawn(1)[0].random()
    assert fitted(responses, other) is not found
    assert fitted(responses.take(np.arange(199)), np.random.default_rng(3)) is not found


@pytest.mark.parametrize("count", [2, 3])
def test_two_equal_responses_are_enough(count: int) -> None:
    survey = yes_no_survey(4, 2, "4/5")
    responses = Responses(survey, np.zeros((count, 4), dtype=np.int16))
    rng = np.random.default_rng(10)

    copies = soft_copies(responses, fit_latent(responses, rng, most_classes=2), rng)

    assert np.isfinite(copies.weights).all()


def test_a_single_response_is_refused() -> None:
    survey = yes_no_survey(4, 2, "4/5")
    with pytest.raises(ModelError, match="fewer than two responses"):
        fit_latent(Responses(survey, np.zeros((1, 4), dtype=np.int16)), np.random.default_rng(0))
