"""Compiled likelihood and sums, compared with arrays: responses of weight 0, of no chance, of three classes."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from miner.arrays import Floats
from miner.behind.kernels import softmax
from miner.behind.rows import Rows
from miner.effects.kernels import add_products, gathered, margin_sums, person_slopes, placed, scored
from miner.responses.responses import NOT_ASKED


def behind(rng: np.random.Generator) -> Rows:
    """Six responses of one to four rows: one stands for nobody, one is explained by no row, one by hardly any."""
    sizes = np.array([1, 4, 2, 3, 1, 2])
    first = np.cumsum(sizes) - sizes
    chances = rng.random((int(sizes.sum()), 3))
    chances[first[2] : first[2] + 2] = 0
    chances[first[5] :] = 1e-305
    counts = np.array([1.0, 2.5, 1.0, 0.0, 3.0, 1.0])
    return Rows(rng.integers(2, size=(len(chances), 4)).astype(np.int16), chances, first, counts)


def test_height_and_slopes_are_those_of_the_posterior() -> None:
    rng = np.random.default_rng(1)
    answers = behind(rng)
    scores = 3 * rng.normal(size=answers.chances.shape)
    shares = softmax(scores)
    height, posterior = answers.posterior(shares)
    found, slopes = answers.slopes(scores)
    assert found == pytest.approx(height)
    assert answers.height(scores) == found
    there = answers.counts[answers.response] > 0
    by_posterior = posterior - posterior.sum(axis=1, keepdims=True) * shares
    np.testing.assert_allclose(slopes[there], by_posterior[there], atol=1e-12)
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


def columns(places: NDArray[np.int32], effects: int) -> Floats:
    """1 where a row has an effect, after a column of ones; the last effect, of values not known, left out."""
    table = np.zeros((len(places), effects + 1))
    np.add.at(table, (np.arange(len(places))[:, None], places), 1.0)
    return np.column_stack([np.ones(len(places)), table[:, :effects]])


def test_places_count_the_values_of_a_pair_and_end_with_the_unknown() -> None:
    values = np.array([[1, 2, 0], [NOT_ASKED, 1, 1], [0, NOT_ASKED, 1]], np.int16)
    terms, sizes, starts = np.array([[0, -1], [2, -1], [0, 1]]), np.array([2, 3, 2]), np.array([0, 2, 4, 10])
    assert placed(values, terms, sizes, starts).tolist() == [[1, 2, 9], [10, 3, 10], [0, 3, 10]]


def test_slopes_of_people_are_sums_over_their_rows() -> None:
    rng = np.random.default_rng(3)
    answers = behind(rng)
    places = rng.integers(6, size=(len(answers.values), 3)).astype(np.int32)
    slopes = rng.normal(size=answers.chances.shape)
    rows = slopes[:, :, None] * columns(places, 5)[:, None, :]
    found = person_slopes(places, slopes, answers.first[1:4], answers.ends[1:4], 5)
    np.testing.assert_allclose(found, np.add.reduceat(rows, answers.first)[1:4])


def test_products_are_those_of_dense_columns() -> None:
    rng = np.random.default_rng(4)
    weights = rng.normal(size=(50, 2))
    places, others = (rng.integers(6, size=(50, terms)).astype(np.int32) for terms in (3, 4))
    own, seen = columns(places, 6)[:, 1:], columns(others, 6)[:, 1:]
    sums = np.zeros((6, 6, 2))
    add_products(sums, places, others, weights, half=0)
    np.testing.assert_allclose(sums, np.einsum("ra,rb,rw->abw", own, seen, weights), atol=1e-12)
    apart = places % 2 + 2 * np.arange(3, dtype=np.int32)  # no place is of two terms
    own, half = columns(apart, 6)[:, 1:], np.zeros((6, 6, 2))
    add_products(half, apart, apart, weights, half=1)
    whole = half + half.transpose(1, 0, 2)
    whole[np.arange(6), np.arange(6)] /= 2
    np.testing.assert_allclose(whole, np.einsum("ra,rb,rw->abw", own, own, weights), atol=1e-12)


def test_margins_and_their_slopes_are_those_of_the_mean_probability() -> None:
    rng = np.random.default_rng(5)
    places, effects = rng.integers(5, size=(30, 2)).astype(np.int32), rng.normal(size=(5, 3))
    effects[4] = 0
    weights, people = rng.random(30), np.arange(30) // 3
    masses = rng.random(10)
    table = columns(places, 4)

    def mean(moved: Floats) -> Floats:
        each = weights[:, None] * softmax(table @ (np.vstack([np.zeros(3), effects[:4]]) + moved))
        return np.asarray(masses @ np.add.reduceat(each, np.arange(0, 30, 3)))

    scores = scored(places, np.zeros(3), effects)
    chances, level, cells = margin_sums(places, scores, weights, people, masses, 5)
    along = np.vstack([level, cells])
    np.testing.assert_allclose(masses @ chances, mean(np.zeros((5, 3))))
    for number, (cls, other) in enumerate(zip(*np.triu_indices(3), strict=True)):
        for place in range(5):
            moved = np.zeros((5, 3))
            moved[place, other] = 1e-5
            slope = (mean(moved) - mean(-moved))[cls] / 2e-5
            assert along[place, number] == pytest.approx(slope, abs=1e-7)
