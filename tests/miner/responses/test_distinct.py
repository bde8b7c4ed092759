"""Rows of codes and of flags, compared and counted as numpy does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from miner.responses import distinct
from miner.responses.distinct import alike, distinct_rows

SHAPES = array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=20)


@given(arrays(np.int16, SHAPES, elements=st.one_of(st.integers(-1, 1), st.integers(-1, 2**15 - 2))))
def test_rows_alike_are_counted_and_the_first_of_them_found(rows: np.ndarray) -> None:
    found, first, times = np.unique(rows, axis=0, return_index=True, return_counts=True)
    examples, counts = alike(rows)
    assert (rows[examples] == found).all()
    assert examples.tolist() == first.tolist()
    assert counts.tolist() == times.tolist()


@pytest.mark.parametrize("columns", [1, 3, 8, 9, 70])
def test_every_row_of_flags_is_one_of_those_that_there_are(columns: int) -> None:
    flags = np.random.default_rng(columns).random((300, columns)) < 0.1
    first, which = distinct_rows(flags)
    assert (flags[first][which] == flags).all()
    assert (flags[first] == np.unique(flags, axis=0)).all()


def test_rows_too_long_for_one_number_are_numbered_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(1).integers(-1, 4, (500, 6)).astype(np.int16)
    expected = [each.tolist() for each in distinct_rows(rows)]
    monkeypatch.setattr(distinct, "LARGEST_KEY", 20)
    assert [each.tolist() for each in distinct_rows(rows)] == expected


@pytest.mark.parametrize("shape", [(0, 3), (4, 0), (0, 0)])
def test_there_may_be_no_rows_and_no_columns(shape: tuple[int, int]) -> None:
    for kind in (bool, np.int16):
        first, which = distinct_rows(np.zeros(shape, kind))
        assert len(first) == min(1, shape[0])
        assert which.tolist() == [0] * shape[0]
    assert alike(np.zeros((3, 2), np.int16), np.array([1.0, 2.0, 4.0]))[1].tolist() == [7.0]


def test_rows_of_few_kinds_are_found_without_sorting_as_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(1).integers(-1, 4, (500, 3)).astype(np.int16)
    expected = [each.tolist() for each in distinct_rows(rows)]
    monkeypatch.setattr(distinct, "DENSE", 0)
    monkeypatch.setattr(distinct, "COUNTERS", 0)
    assert [each.tolist() for each in distinct_rows(rows)] == expected
