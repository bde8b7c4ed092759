"""The climb to the most probable logit: what its prior pulls at."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_t  # type: ignore[import-untyped] # it has no types

from miner.latent.ascent import DEGREES, BlockClimber, Climber


def test_the_prior_pulls_as_a_multivariate_t_of_each_block_does() -> None:
    """By differences of the logarithm of its density, as SciPy has it."""
    climber = BlockClimber(np.array([0, 0, 1, 1, 1]), 2, 0.3)
    climber.free[:] = np.random.default_rng(1).normal(size=(5, 2))

    def density() -> float:
        blocks = (climber.free[:2].ravel(), climber.free[2:].ravel())
        return float(sum(multivariate_t.logpdf(each, shape=0.3 * np.eye(len(each)), df=DEGREES) for each in blocks))

    pull = -climber.free * climber.precision()

    for place in np.ndindex(5, 2):
        before = climber.free[place]
        climber.free[place] = before + 1e-5
        above = density()
        climber.free[place] = before - 1e-5
        assert pull[place] == pytest.approx((above - density()) / 2e-5, rel=1e-6)
        climber.free[place] = before


def test_a_question_that_tells_much_is_held_less_firmly_than_one_that_tells_nothing() -> None:
    climber = BlockClimber(np.array([0, 0, 1, 1]), 1, 0.5)
    climber.free[:2] = 3.0

    much, _, nothing, _ = climber.precision().ravel()

    assert nothing == pytest.approx((DEGREES + 2) / (DEGREES * 0.5))
    assert much < nothing / 10


def test_steps_go_up_the_slope_until_the_prior_holds_them() -> None:
    climber = Climber((1, 1), 2.0)
    for _ in range(4000):
        climber.step(np.ones((1, 1)), 0.01)

    assert climber.free[0, 0] == pytest.approx(2, abs=0.02)
