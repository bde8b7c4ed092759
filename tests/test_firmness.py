"""How firmly the logit is held to naive Bayes: the priors, the gains that judge them, and the choice."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from latent_cases import random_mixture, yes_no_survey
from miner.latent import firmness
from miner.latent.ascent import ascended
from miner.latent.chains import Source
from miner.latent.firmness import Trial, log_gains, naive_bayes, plausible, priors
from miner.latent.logit import Averaged, Effects, Frame, Logit, frame_of
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
def test_gains_are_unbiased_for_the_logarithm_of_the_ratio_of_likelihoods(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seeded. The scatter of 40,000 gains is asserted, so that .01 are at least five standard errors."""
    rng = np.random.default_rng(2)
    survey = yes_no_survey(3, 3, "1/2", "uniform")
    mixture, (frame, pairs) = random_mixture(survey, 2, rng), frame_of(survey, 2)
    logit = Logit(frame, zeros(frame, pairs))
    logit.effects.main[:4, 1] = [-1, 1, 0.5, -0.5]
    response = np.array([1, 0, 1], np.int16)
    source = Source.of(mixture, Patterns.of(Responses(survey, np.tile(response, (40_000, 1)))), frame)

    gains = {}
    for draws in (5, 40):
        monkeypatch.setattr(firmness, "DRAWS", draws)
        gains[draws] = log_gains(source, [logit], rng)[0]

    tables = mixture.tables
    whole = np.array([
        [(mixture.weights * tables[0][a] * tables[1][b] * tables[2][y]).sum() for y in range(2)]
        for a, b in product(range(2), repeat=2)
    ])  # fmt: skip
    given = logit.probabilities(ROWS[::2])
    seen = np.array([[0.75 if row[k] == response[k] else 0.25 for k in range(3)] for row in ROWS]).prod(axis=1)
    instead = (whole.sum(axis=1, keepdims=True) * given).ravel() @ seen
    for each in gains.values():
        assert each.std() / np.sqrt(len(each)) < 0.01 / 5
        assert each.mean() == pytest.approx(np.log(instead / (whole.ravel() @ seen)), abs=0.01)


def test_what_is_not_clearly_worse_than_the_best_is_kept() -> None:
    luck = np.random.default_rng(1).normal(size=(3, 900))
    luck = (luck - luck.mean(axis=1, keepdims=True)) / luck.std(axis=1, keepdims=True)

    assert plausible(np.add(luck, [[-0.02], [0.0], [-0.3]])) == [0, 1]
    assert plausible(np.add(luck, [[-0.2], [0.0], [-0.3]])) == [1]
    assert plausible(np.repeat(luck[:1], 3, axis=0) - [[0.001], [0.0], [0.0]]) == [1, 2]
    assert plausible(np.zeros((3, 10))) == [0, 1, 2]


def test_the_average_of_logits_is_that_of_their_probabilities() -> None:
    frame, pairs = frame_of(yes_no_survey(3, 3, "1/2", "uniform"), 2)
    rng = np.random.default_rng(6)
    logits = tuple(
        Logit(frame, Effects(rng.normal(size=2), rng.normal(size=(6, 2)), rng.normal(size=(pairs, 2))))
        for _ in range(3)
    )

    found = Averaged(logits).probabilities(ROWS)

    np.testing.assert_allclose(found, np.mean([logit.probabilities(ROWS) for logit in logits], axis=0))


def source_and_naive(truth: Values, rng: np.random.Generator, told: str) -> tuple[Source, Source, Logit]:
    """Under a mixture of independent, even answers: responses to learn from, and to judge; a logit of no effects."""
    survey = yes_no_survey(truth.shape[1], truth.shape[1], told, "uniform")
    mixture = Mixture(survey, np.ones(1), np.full((2 * truth.shape[1], 1), 0.5))
    responses = simulate(mixture.survey, truth, rng)
    frame, pairs = frame_of(mixture.survey, truth.shape[1] - 1)
    both = (responses.take(np.arange(part, len(responses), 2)) for part in range(2))
    learnt, judged = (Source.of(mixture, Patterns.of(each), frame) for each in both)
    return learnt, judged, Logit(frame, zeros(frame, pairs))


@pytest.mark.statistical
def test_responses_held_out_tell_whether_there_was_anything_to_learn() -> None:
    """Seeded. What is to be learnt is worth some 200 nats; nothing gains 5 less than once in exp(5) times."""
    rng = np.random.default_rng(3)
    gains = {}
    for strength in (0, 4):
        truth = rng.integers(0, 2, (3000, 5)).astype(np.int16)
        log_odds = strength * (truth[:, 0] + truth[:, 1] - 1)
        truth[:, 4] = rng.random(3000) < 1 / (1 + np.exp(-log_odds))
        learnt, judged, naive = source_and_naive(truth, rng, "9/10")
        gains[strength] = Trial(learnt, naive, judged).gains(rng)

    assert gains[0].sum(axis=1).max() < 5
    assert 0 in plausible(gains[0])
    assert gains[4].sum(axis=1).max() > 100
    assert 0 not in plausible(gains[4])


def test_firm_priors_keep_effects_near_naive_bayes_and_loose_ones_less() -> None:
    rng = np.random.default_rng(4)
    source, _, naive = source_and_naive(rng.integers(0, 2, (400, 3)).astype(np.int16), rng, "1/2")

    far = [
        float(np.abs(ascended(source, naive, each, np.random.default_rng(5)).effects.main).max())
        for each in priors(naive)
    ]

    assert far == sorted(far)


def test_copies_stand_for_fewer_people_than_there_are_where_there_are_very_many() -> None:
    copies = SoftCopies(np.zeros((2, 1), np.int16), np.ones(2), np.arange(2), times=0.15)

    assert copies.people(600_000) == 90_000
    assert copies.people(1) == 1
