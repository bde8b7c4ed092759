"""The logit under several priors: what weighs them, and what they are averaged to."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from latent_cases import random_mixture, yes_no_survey
from miner.latent.ascent import ascended
from miner.latent.averaging import Starts, Trial, averaged, log_gains, naive_bayes, weights_of
from miner.latent.chains import Source
from miner.latent.logit import Effects, Frame, Logit, frame_of
from miner.latent.mixture import Mixture
from miner.latent.model import SoftCopies
from miner.latent.patterns import Patterns
from miner.responses import Responses, Values
from miner.simulation import simulate

ROWS = np.array(list(product(range(2), repeat=3)), np.int16)


def zeros(frame: Frame, pairs: int) -> Effects:
    return Effects(np.zeros(2), np.zeros((frame.places[-1], 2)), np.zeros((pairs, 2)))


def test_naive_bayes_as_a_logit_is_that_of_its_tables() -> None:
    survey = yes_no_survey(3, 3, "1/2", "uniform")
    frame, pairs = frame_of(survey, 2)
    rng = np.random.default_rng(1)
    shares, tables = np.array([0.3, 0.7]), rng.dirichlet([1, 1], size=(3, 2))
    table = tables.transpose(0, 2, 1).reshape(6, 2)

    found = naive_bayes(frame, pairs, shares, table).probabilities(ROWS)

    wanted = np.array([shares * table[row[0]] * table[2 + row[1]] for row in ROWS.tolist()])
    np.testing.assert_allclose(found, wanted / wanted.sum(axis=1, keepdims=True))


@pytest.mark.statistical
def test_a_gain_is_the_ratio_of_the_likelihoods_of_the_response() -> None:
    """Seeded. The scatter of 4,000 means of 20 draws is asserted, so that .02 are at least five standard errors."""
    rng = np.random.default_rng(2)
    survey = yes_no_survey(3, 3, "1/2", "uniform")
    mixture, (frame, pairs) = random_mixture(survey, 2, rng), frame_of(survey, 2)
    logit = Logit(frame, zeros(frame, pairs))
    logit.effects.main[:4, 1] = [-1, 1, 0.5, -0.5]
    response = np.array([1, 0, 1], np.int16)
    source = Source.of(mixture, Patterns.of(Responses(survey, np.tile(response, (4000, 1)))), frame)

    gains = np.exp(log_gains(source, [logit], rng)[0])

    tables = mixture.tables
    whole = np.array([
        [(mixture.weights * tables[0][a] * tables[1][b] * tables[2][y]).sum() for y in range(2)]
        for a, b in product(range(2), repeat=2)
    ])  # fmt: skip
    given = logit.probabilities(ROWS[::2])
    seen = np.array([[0.75 if row[k] == response[k] else 0.25 for k in range(3)] for row in ROWS]).prod(axis=1)
    instead = (whole.sum(axis=1, keepdims=True) * given).ravel() @ seen
    assert gains.std() / np.sqrt(len(gains)) < 0.02 / 5
    assert gains.mean() == pytest.approx(instead / (whole.ravel() @ seen), abs=0.02)


def test_priors_weigh_by_what_is_held_out_and_hopeless_ones_nothing() -> None:
    np.testing.assert_allclose(weights_of(np.array([-5.0, -5.0, -5.0])), 1 / 3)
    np.testing.assert_array_equal(weights_of(np.array([-900.0, -950.0, -1000.0])), [1, 0, 0])


def source_and_starts(truth: Values, rng: np.random.Generator, told: str) -> tuple[Source, Source, Starts]:
    """Under a mixture of independent, even answers: responses to learn from, and to judge; logits of no effects."""
    survey = yes_no_survey(truth.shape[1], truth.shape[1], told, "uniform")
    mixture = Mixture(survey, np.ones(1), np.full((2 * truth.shape[1], 1), 0.5))
    responses = simulate(mixture.survey, truth, rng)
    frame, pairs = frame_of(mixture.survey, truth.shape[1] - 1)
    both = (responses.take(np.arange(part, len(responses), 2)) for part in range(2))
    learnt, judged = (Source.of(mixture, Patterns.of(each), frame) for each in both)
    nothing = Logit(frame, zeros(frame, pairs))
    return learnt, judged, Starts(nothing, nothing)


@pytest.mark.statistical
def test_responses_held_out_tell_whether_there_was_anything_to_learn() -> None:
    """Seeded. What is to be learnt is worth some 200 nats; nothing gains 5 less than once in exp(5) times."""
    rng = np.random.default_rng(3)
    sums = {}
    for strength in (0, 4):
        truth = rng.integers(0, 2, (3000, 5)).astype(np.int16)
        log_odds = strength * (truth[:, 0] + truth[:, 1] - 1)
        truth[:, 4] = rng.random(3000) < 1 / (1 + np.exp(-log_odds))
        learnt, judged, starts = source_and_starts(truth, rng, "9/10")
        sums[strength] = Trial(learnt, starts, judged).sums(rng)

    assert sums[0].max() < 5
    assert sums[4].min() > 100


def test_a_prior_that_counts_alone_is_taken_alone_and_a_firm_one_keeps_effects_small() -> None:
    rng = np.random.default_rng(4)
    source, _, starts = source_and_starts(rng.integers(0, 2, (40, 3)).astype(np.int16), rng, "1/2")

    loose = averaged(source, starts, np.array([1.0, 0.0, 0.0]), np.random.default_rng(5))
    firm = averaged(source, starts, np.array([0.0, 0.0, 1.0]), np.random.default_rng(5))
    first, prior = starts.under_priors()[0]

    wanted = ascended(source, first, prior, np.random.default_rng(5)).effects.main
    np.testing.assert_array_equal(loose.effects.main, wanted)
    assert np.abs(firm.effects.main).max() < np.abs(loose.effects.main).max()


def test_copies_stand_for_fewer_people_than_there_are_where_there_are_very_many() -> None:
    copies = SoftCopies(np.zeros((2, 1), np.int16), np.ones(2), np.arange(2), times=0.15)

    assert copies.people(600_000) == 90_000
    assert copies.people(1) == 1
