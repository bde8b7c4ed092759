"""How firmly the logit is held to nothing: the priors, and the average."""

from __future__ import annotations

import os
from itertools import product

import numpy as np
import pytest

from latent_cases import yes_no_survey
from miner.behind.patterns import Patterns
from miner.latent.logit.ascent import PRIORS, ascended, averaged
from miner.latent.logit.chains import RowSource
from miner.latent.logit.logit import Averaged, Logit, LogitParameters, frame_of, without_effects
from miner.latent.logit.scales import Scales
from miner.latent.mixture.mixture import Mixture
from miner.latent.model import SoftCopies
from miner.responses.responses import Values
from miner.simulation.simulation import simulate

ROWS = np.array(list(product(range(2), repeat=3)), np.int16)


def test_without_effects_every_answer_leaves_the_shares_of_the_classes() -> None:
    nothing = without_effects(*frame_of(yes_no_survey(3, 3, "1/2", "uniform"), 2), np.array([0.3, 0.7]))

    np.testing.assert_allclose(nothing.probabilities(ROWS), [[0.3, 0.7]] * 8)


def test_the_average_of_logits_is_that_of_their_probabilities() -> None:
    frame, pairs = frame_of(yes_no_survey(3, 3, "1/2", "uniform"), 2)
    rng = np.random.default_rng(6)
    logits = tuple(
        Logit(frame, LogitParameters(rng.normal(size=2), rng.normal(size=(6, 2)), rng.normal(size=(pairs, 2))))
        for _ in range(3)
    )

    found = Averaged(logits).probabilities(ROWS)

    np.testing.assert_allclose(found, np.mean([logit.probabilities(ROWS) for logit in logits], axis=0))


def given(rows: Values, rng: np.random.Generator) -> tuple[RowSource, Logit, Scales]:
    """Responses under a mixture of independent, even answers, and a logit without effects."""
    survey = yes_no_survey(rows.shape[1], rows.shape[1], "1/2", "uniform")
    mixture = Mixture(survey, np.ones(1), np.full((2 * rows.shape[1], 1), 0.5))
    frame, pairs = frame_of(survey, rows.shape[1] - 1)
    source = RowSource.of(mixture, Patterns.of(simulate(survey, rows, rng)), frame)
    return (
        source,
        without_effects(frame, pairs, np.array([0.5, 0.5])),
        Scales.of(survey, frame, pairs, np.full(2 * rows.shape[1], 0.5)),
    )


def test_firm_priors_keep_effects_near_nothing_and_loose_ones_less() -> None:
    rng = np.random.default_rng(4)
    rows = rng.integers(0, 2, (400, 3))
    rows[:, 2] = rows[:, 0]
    source, nothing, scales = given(rows.astype(np.int16), rng)

    fitted = [ascended(source, nothing, scales, each, np.random.default_rng(5)) for each in PRIORS]

    far = [float(np.square(each.effects.main).sum()) for each in fitted]
    assert far == sorted(far)
    assert far[-1] > 1.1 * far[0] > 0


def test_the_average_is_the_same_whatever_the_number_of_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    problem = given(rng.integers(0, 2, (60, 3)).astype(np.int16), rng)

    found = []
    for processors in (1, 3):
        monkeypatch.setattr(os, "cpu_count", lambda processors=processors: processors)
        found.append(averaged(*problem, np.random.default_rng(8)).probabilities(ROWS))

    np.testing.assert_array_equal(*found)


def test_copies_stand_for_fewer_people_than_there_are_where_there_are_very_many() -> None:
    copies = SoftCopies(np.zeros((2, 1), np.int16), np.ones(2), np.arange(2), times=0.15)

    assert copies.people(600_000) == 90_000
    assert copies.people(1) == 1
