"""Rows of flags that are the same are found, as numpy finds them."""

from __future__ import annotations

import numpy as np
import pytest

from miner.responses.flag_rows import distinct


@pytest.mark.parametrize("columns", [1, 3, 8, 9, 70])
def test_every_row_is_one_of_those_that_there_are_and_each_of_these_comes_once(columns: int) -> None:
    flags = np.random.default_rng(columns).random((300, columns)) < 0.1
    found, which = distinct(flags)
    assert (found[which] == flags).all()
    assert (found == np.unique(flags, axis=0)).all()


@pytest.mark.parametrize("shape", [(0, 3), (4, 0), (0, 0)])
def test_there_may_be_no_rows_and_no_columns(shape: tuple[int, int]) -> None:
    found, which = distinct(np.zeros(shape, bool))
    assert found.shape == (min(1, shape[0]), shape[1])
    assert which.tolist() == [0] * shape[0]
