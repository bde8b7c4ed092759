"""The compiled likelihood beside the same in arrays: responses of nobody, of no chance, of three classes."""

from __future__ import annotations

import numpy as np
import pytest

from miner.likelihood.answers import PossibleAnswers
from miner.likelihood.ascent import slopes_of, softmax
from miner.likelihood.kernels import gathered, height_of, scored, slopes_along


def behind(rng: np.random.Generator) -> PossibleAnswers:
    """Six responses of one to four rows: one stands for nobody, one is explained by no row, one by hardly any."""
    sizes = np.array([1, 4, 2, 3, 1, 2])
    first = np.cumsum(sizes) - sizes
    chances = rng.random((int(sizes.sum()), 3))
    chances[first[2] : first[2] + 2] = 0
    chances[first[5] :] = 1e-305
    counts = np.array([1.0, 2.5, 1.0, 0.0, 3.0, 1.0])
    return PossibleAnswers(rng.integers(2, size=(len(chances), 4)).astype(np.int16), chances, first, counts)


def test_height_and_slopes_are_those_of_the_posterior() -> None:
    rng = np.random.default_rng(1)
    answers = behind(rng)
    scores = 3 * rng.normal(size=answers.chances.shape)
    shares = softmax(scores)
    height, posterior = answers.posterior(shares)
    found, slopes = slopes_along(scores, answers.chances, answers.ends, answers.counts)
    assert found == pytest.approx(height)
    assert height_of(scores, answers.chances, answers.ends, answers.counts) == found
    there = answers.counts[answers.response] > 0
    np.testing.assert_allclose(slopes[there], slopes_of(posterior, shares)[there], atol=1e-12)
    assert not slopes[~there].any()


def test_scores_are_sums_of_effects_and_sums_of_slopes_go_to_the_same_effects() -> None:
    rng = np.random.default_rng(2)
    answers = behind(rng)
    places = rng.integers(5, size=(len(answers.values), 2)).astype(np.int32)
    table = np.zeros((len(places), 5))
    np.add.at(table, (np.arange(len(places))[:, None], places), 1.0)
    intercept, effects = rng.normal(size=3), rng.normal(size=(5, 3))
    np.testing.assert_allclose(scored(places, intercept, effects), intercept + table @ effects)
    slopes = rng.normal(size=answers.chances.shape)
    level, along = gathered(places, slopes, answers.ends, answers.counts, 5)
    weighed = slopes * answers.counts[answers.response, None]
    np.testing.assert_allclose(level, weighed.sum(axis=0))
    np.testing.assert_allclose(along, table.T @ weighed, atol=1e-12)
