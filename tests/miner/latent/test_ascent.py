"""The climb to the most probable logit: what its prior pulls at."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq  # type: ignore[import-untyped] # it has no types

from benchmarks.performance.designs import DESIGNS, answers, text
from collector.survey_file.survey_file import parse_survey
from miner.behind.patterns import Patterns
from miner.latent.logit.ascent import DEGREES, PRIORS, BlockClimber, Climber, ascended
from miner.latent.logit.chains import RowSource
from miner.latent.logit.logit import frame_of, without_effects
from miner.latent.logit.scales import Scales
from miner.latent.mixture.fit import grown_mixtures, margins
from miner.simulation.simulation import simulate

VARIANCE = 0.3


def climbed_to(blocks: list[int], best: list[float], information: float) -> BlockClimber:
    """After many small steps up a likelihood of this top and curvature, whose two batches differ as much as they do."""
    climber = BlockClimber(np.array(blocks), 1, VARIANCE, 2)
    top = np.array(best)[:, np.newaxis]
    for step in range(3000):
        luck = np.sqrt(information) * (-1) ** step  # half the squared difference is 2, the number of batches, times it
        climber.step(information * (top - climber.free) + luck, 0.03 / (1 + step / 100))
    return climber


def test_a_question_is_held_as_firmly_as_its_effects_and_their_uncertainty_say() -> None:
    climber = climbed_to([0, 0, 1, 1, 1], [2.0, -2.0, 0.1, 0.0, -0.1], 20.0)

    much, _, little, *_ = climber.precision().ravel()

    assert much == pytest.approx(firmness([2.0, -2.0], 20.0), rel=0.05)
    assert little == pytest.approx(firmness([0.1, 0.0, -0.1], 20.0), rel=0.05)
    assert much < little / 10


def firmness(best: list[float], information: float) -> float:
    """The precision at which a block of effects agrees with what it makes of them, by bisection."""

    def told(precision: float) -> float:
        free = np.array(best) * information / (information + precision)
        squares = (free**2 + 1 / (information + precision)).sum()
        return float((DEGREES + len(best)) / (DEGREES * VARIANCE + squares))

    return float(brentq(lambda precision: precision - told(precision), 1e-3, 1e3))


@pytest.mark.parametrize("values", [2, 42])
def test_a_question_that_is_not_told_of_is_held_as_was_thought_however_many_its_values(values: int) -> None:
    climber = climbed_to([0] * values, [0.0] * values, 0.0)

    assert climber.precision() == pytest.approx(1 / VARIANCE)


def test_steps_go_up_the_slope_until_the_prior_holds_them() -> None:
    climber = Climber((1, 1), 2.0)
    for _ in range(4000):
        climber.step(np.ones((1, 1)), 0.01)

    assert climber.free[0, 0] == pytest.approx(2, abs=0.02)


@pytest.mark.statistical
def test_effects_do_not_run_away_however_many_responses_there_are() -> None:
    """Seeded; with batches of 1,250 of them the log loss was above 2."""
    survey, rng = parse_survey(text("wide")), np.random.default_rng(2)
    values = next(answers(DESIGNS["wide"], 22_000))
    learnt, test = values[:12_000], values[12_000:]
    responses = simulate(survey, learnt, rng)
    patterns, target = Patterns.of(responses), len(survey.questions) - 1
    (frame, pairs), shares = frame_of(survey, target), margins(patterns)
    source = RowSource.of(next(grown_mixtures(responses, rng)), patterns, frame)
    nothing = without_effects(frame, pairs, shares[-len(survey.questions[target].values) :])

    logit = ascended(source, nothing, Scales.of(survey, frame, pairs, shares), PRIORS[-1], rng)

    rows = np.arange(len(test)), test[:, -1]
    found, constant = (-np.log(each.probabilities(test)[rows]).mean() for each in (logit, nothing))
    assert found < constant + 0.02
