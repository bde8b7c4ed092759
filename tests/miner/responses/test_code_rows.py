"""Rows of codes, counted as numpy counts them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from miner.responses.code_rows import alike

SHAPES = array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=20)


@given(arrays(np.int16, SHAPES, elements=st.one_of(st.integers(-1, 1), st.integers(-1, 2**15 - 2))))
def test_rows_alike_are_counted_and_the_first_of_them_told(rows: np.ndarray) -> None:
    found, first, times = np.unique(rows, axis=0, return_index=True, return_counts=True)
    examples, counts = alike(rows)
    assert (rows[examples] == found).all()
    assert examples.tolist() == first.tolist()
    assert counts.tolist() == times.tolist()


def test_of_no_rows_there_are_none() -> None:
    assert [len(each) for each in alike(np.empty((0, 3), np.int16))] == [0, 0]
