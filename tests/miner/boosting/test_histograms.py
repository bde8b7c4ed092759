"""Histograms of boosted trees, compared with sums over the rows of each node and cell."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from miner.arrays import Floats
from miner.boosting.histograms import cells_of, halved, leaf_sums, root_sums, splits
from miner.responses.responses import NOT_ASKED

ROWS, MOST, FEATURES = 300, 4, np.array([0, 2, 3])
RNG = np.random.default_rng(0)
VALUES = RNG.integers(MOST, size=(ROWS, 4)).astype(np.int16)
VALUES[::7, 2] = NOT_ASKED
SLOPES, WEIGHTS = RNG.normal(size=(3, ROWS)), RNG.random(ROWS)
CELLS = cells_of(VALUES, FEATURES, MOST)


def counted(slopes: Floats, rows: NDArray[np.bool_]) -> Floats:
    """Shape (questions x (most values + 1), 2): both sums over some rows, added one row after the other."""
    found = np.zeros((4, MOST + 1, 2))
    for row in np.flatnonzero(rows):
        for column in FEATURES:
            value = VALUES[row, column] if VALUES[row, column] >= 0 else MOST
            slope = WEIGHTS[row] * slopes[row]
            found[column, value] += slope, slope * slopes[row]
    return found.reshape(-1, 2)


def test_the_roots_of_all_classes_are_to_the_bit_those_counted_one_by_one() -> None:
    found = root_sums(CELLS, SLOPES, WEIGHTS, 4 * (MOST + 1))
    for slopes, sums in zip(SLOPES, found, strict=True):
        np.testing.assert_array_equal(sums, counted(slopes, np.ones(ROWS, np.bool_)))


def test_children_have_the_sums_of_their_rows_and_one_without_rows_has_zeros() -> None:
    slopes = SLOPES[0]
    above = (np.arange(ROWS) % 3 > 0).astype(np.int64)
    node = np.where(above == 0, RNG.integers(2, size=ROWS), 2)  # the fourth node has no rows
    sums = np.stack([counted(slopes, above == each) for each in range(2)])
    found = halved(sums, CELLS, node, slopes, WEIGHTS)
    for each in range(3):
        np.testing.assert_allclose(found[each], counted(slopes, node == each), atol=1e-12)
    assert not found[3].any()


def test_leaves_have_the_sums_of_their_rows() -> None:
    node = RNG.integers(5, size=ROWS)
    found = leaf_sums(node, SLOPES[0], WEIGHTS, 6)
    for leaf in range(6):
        own = node == leaf
        assert found[0, leaf] == pytest.approx((WEIGHTS * SLOPES[0])[own].sum())
        assert found[1, leaf] == pytest.approx((WEIGHTS * SLOPES[0] ** 2)[own].sum())


def test_the_best_split_is_that_of_the_rows_which_it_parts_unknown_answers_second() -> None:
    sums = counted(SLOPES[0], np.ones(ROWS, np.bool_)).reshape(1, 4, MOST + 1, 2)
    kinds, ordered = np.full(4, MOST), np.full(4, MOST)
    slopes = WEIGHTS * SLOPES[0]
    squares = slopes * SLOPES[0]

    def height(rows: NDArray[np.bool_]) -> float:
        return float(slopes[rows].sum() ** 2 / (squares[rows].sum() + 1.0))

    gains = {}
    for column in FEATURES.tolist():
        for cut in range(MOST - 1):
            first = (VALUES[:, column] >= 0) & (VALUES[:, column] <= cut)
            gains[column, cut] = height(first) + height(~first) - height(first | ~first)
    for column in FEATURES.tolist():
        best = max(range(MOST - 1), key=lambda cut: gains[column, cut])
        least = gains[column, best] - 1e-9
        question, passes = splits(sums, np.array([column]), kinds, ordered, 1.0, least)
        assert question[0] == column
        np.testing.assert_array_equal(passes[0], np.arange(MOST) <= best)
        assert splits(sums, np.array([column]), kinds, ordered, 1.0, least + 2e-9)[0][0] == -1
