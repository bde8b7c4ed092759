"""What the logit is held to, and how firmly: naive Bayes, the priors, and the average."""

from __future__ import annotations

import os
from itertools import product

import numpy as np
import pytest

from latent_cases import yes_no_survey
from miner.latent.ascent import ascended
from miner.latent.chains import Source
from miner.latent.logit import Averaged, Effects, Frame, Logit, frame_of
from miner.latent.mixture import Mixture
from miner.latent.model import SoftCopies
from miner.latent.patterns import Patterns
from miner.latent.priors import averaged, naive_bayes, priors
from miner.responses import Values
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


def test_the_average_of_logits_is_that_of_their_probabilities() -> None:
    frame, pairs = frame_of(yes_no_survey(3, 3, "1/2", "uniform"), 2)
    rng = np.random.default_rng(6)
    logits = tuple(
        Logit(frame, Effects(rng.normal(size=2), rng.normal(size=(6, 2)), rng.normal(size=(pairs, 2))))
        for _ in range(3)
    )

    found = Averaged(logits).probabilities(ROWS)

    np.testing.assert_allclose(found, np.mean([logit.probabilities(ROWS) for logit in logits], axis=0))


def source_and_naive(rows: Values, rng: np.random.Generator) -> tuple[Source, Logit]:
    """Responses under a mixture of independent, even answers, and a logit whose main effects mean something."""
    survey = yes_no_survey(rows.shape[1], rows.shape[1], "1/2", "uniform")
    mixture = Mixture(survey, np.ones(1), np.full((2 * rows.shape[1], 1), 0.5))
    frame, pairs = frame_of(survey, rows.shape[1] - 1)
    naive = Logit(frame, zeros(frame, pairs))
    naive.effects.main[:2] = [[-1, 1], [1, -1]]
    return Source.of(mixture, Patterns.of(simulate(survey, rows, rng)), frame), naive


def test_firm_priors_keep_effects_near_their_centre_and_loose_ones_less() -> None:
    rng = np.random.default_rng(4)
    source, naive = source_and_naive(rng.integers(0, 2, (400, 3)).astype(np.int16), rng)

    every = list(priors(naive))
    fitted = [ascended(source, each, np.random.default_rng(5)) for each in every]

    far = [
        float(np.abs(each.effects.main - prior.centre.effects.main).max())
        for each, prior in zip(fitted, every, strict=True)
    ]
    assert far[:2] == sorted(far[:2])
    assert far[2:] == sorted(far[2:])


def test_one_centre_is_naive_bayes_and_one_has_no_effects_but_the_shares_of_the_classes() -> None:
    frame, pairs = frame_of(yes_no_survey(3, 3, "1/2", "uniform"), 2)
    naive = naive_bayes(frame, pairs, np.array([0.3, 0.7]), np.full((6, 2), [[0.2, 0.6], [0.8, 0.4]] * 3))

    centres = [each.centre for each in priors(naive)]

    assert [each is naive for each in centres] == [True, True, False, False, False]
    np.testing.assert_allclose(centres[-1].probabilities(ROWS), [[0.3, 0.7]] * 8)


def test_the_average_is_the_same_whatever_the_number_of_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    source, naive = source_and_naive(rng.integers(0, 2, (60, 3)).astype(np.int16), rng)

    found = []
    for processors in (1, 3):
        monkeypatch.setattr(os, "cpu_count", lambda processors=processors: processors)
        found.append(averaged(source, naive, np.random.default_rng(8)).probabilities(ROWS))

    np.testing.assert_array_equal(*found)


def test_copies_stand_for_fewer_people_than_there_are_where_there_are_very_many() -> None:
    copies = SoftCopies(np.zeros((2, 1), np.int16), np.ones(2), np.arange(2), times=0.15)

    assert copies.people(600_000) == 90_000
    assert copies.people(1) == 1
