"""The mixture for the questions: bagged, held to the margins from loosely to firmly, and pooled."""

from __future__ import annotations

import os

import numpy as np
import pytest

from collector.survey.survey import Survey
from latent_cases import random_mixture, yes_no_survey
from miner.arrays import Floats
from miner.behind.patterns import Patterns
from miner.latent.mixture.mixture import Mixture
from miner.latent.mixture.pooled import COUNTS, LEAST_SHARE, MIXED, Seed, bagged, pooled, pooled_mixture
from miner.responses.responses import Responses
from miner.simulation.simulation import simulate


def survey() -> Survey:
    """Four yes-no questions, each under a coin of its own; the last is the class."""
    return yes_no_survey(4, 4, "1/2", "uniform")


def answered(count: int, rng: np.random.Generator) -> Responses:
    """The class by an even coin; the other answers are the class nine, seven and five times in ten."""
    last = rng.integers(0, 2, (count, 1))
    same = rng.random((count, 3)) < (0.9, 0.7, 0.5)
    return simulate(survey(), np.hstack([np.where(same, last, 1 - last), last]).astype(np.int16), rng)


def even_seed(tables: Floats) -> Seed:
    """Even margins."""
    return Seed(survey(), np.full(8, 0.5), tables, 3)


def independent() -> Floats:
    """Tables of which no answer tells anything of the class."""
    return np.full((8, 2), 0.25)


def spread(mixture: Mixture) -> float:
    """How far the classes are from the margins: the weighted mean square."""
    return float(((mixture.table[:6] - 0.5) ** 2 @ mixture.weights).mean())


def test_a_pool_gives_every_response_the_mean_of_its_probabilities() -> None:
    rng = np.random.default_rng(1)
    mixtures = tuple(random_mixture(survey(), classes, rng) for classes in (1, 2, 4))
    responses = answered(30, rng)

    found = pooled(mixtures)

    wanted = np.mean([np.exp(each.log_likelihood_of(Patterns.of(responses))) for each in mixtures], axis=0)
    np.testing.assert_allclose(np.exp(found.log_likelihood_of(Patterns.of(responses))), wanted)
    assert found.classes == 7
    assert found.weights.sum() == pytest.approx(1)


def test_the_classes_of_a_start_have_the_tables_of_the_class_that_they_are_of() -> None:
    tables = independent()
    tables[0], tables[1] = (0.4, 0.1), (0.1, 0.4)
    starts = [even_seed(tables).started(np.random.default_rng(seed)) for seed in range(200)]

    assert all(each.classes == 6 for each in starts)
    mean = np.mean([each.table for each in starts], axis=0)
    np.testing.assert_allclose(mean[0], [*[0.8] * 3, *[0.2] * 3], atol=0.05)  # noise pulls them inwards a little
    np.testing.assert_allclose(mean[2], 0.5, atol=0.05)
    np.testing.assert_allclose(starts[0].weights, 1 / 6)
    assert len({tuple(column) for column in starts[0].table.T.round(9)}) == 6


def test_a_start_rules_no_answer_out_and_takes_no_table_that_is_not_known() -> None:
    tables = independent()
    tables[0], tables[1] = (0.5, 0.0), (0.0, 0.5)
    tables[4:6] = np.nan

    tied = even_seed(tables).tied()

    np.testing.assert_allclose(tied[0], [1 / (1 + LEAST_SHARE / 2), LEAST_SHARE / 2 / (1 + LEAST_SHARE / 2)])
    np.testing.assert_allclose(tied[4:6], 0.5)
    np.testing.assert_allclose(tied[6:], [[1 - MIXED / 2, MIXED / 2], [MIXED / 2, 1 - MIXED / 2]])


def test_classes_of_which_each_has_one_latent_class_start_at_their_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("miner.latent.mixture.pooled.MOST_CLASSES", 3)
    seed = even_seed(independent())

    found = seed.started(np.random.default_rng(2))

    assert found.classes == 2
    np.testing.assert_array_equal(found.table, seed.tied())


def test_more_imaginary_respondents_hold_a_mixture_nearer_to_the_margins() -> None:
    rng = np.random.default_rng(3)
    responses, seed = answered(400, rng), even_seed(independent())

    found = [spread(bagged(responses, seed, count, np.random.default_rng(4))) for count in (*COUNTS, 1e6)]

    assert found == sorted(found, reverse=True)
    assert found[-1] < 1e-4


def test_each_mixture_is_fitted_to_responses_drawn_anew() -> None:
    rng = np.random.default_rng(5)
    responses, seed = answered(400, rng), even_seed(independent())
    once, again, other = (bagged(responses, seed, 1.0, np.random.default_rng(number)) for number in (6, 6, 7))

    np.testing.assert_array_equal(once.table, again.table)
    assert np.abs(once.table - other.table).max() > 0.01


def test_the_pool_is_the_same_on_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(8)
    responses, seed = answered(300, rng), even_seed(independent())
    found = []
    for count in (1, 4):
        monkeypatch.setattr(os, "cpu_count", lambda count=count: count)
        found.append(pooled_mixture(responses, seed, np.random.default_rng(9)))

    np.testing.assert_array_equal(found[0].table, found[1].table)
    assert found[0].classes == 6 * len(COUNTS)


@pytest.mark.statistical
def test_the_pool_foretells_others_better_than_one_mixture_held_loosely() -> None:
    """Seeded: a hundred responses each, and what they make of a thousand others, forty times.

    The mean gain is about four of its standard errors: below 0 once in some ten thousands of seeds.
    """
    rng = np.random.default_rng(10)
    gains = []
    for _ in range(40):
        responses, others, seed = answered(100, rng), answered(1000, rng), even_seed(independent())
        whole = pooled_mixture(responses, seed, rng).log_likelihood_of(Patterns.of(others)).mean()
        gains.append(whole - bagged(responses, seed, COUNTS[0], rng).log_likelihood_of(Patterns.of(others)).mean())

    assert np.mean(gains) > 0
