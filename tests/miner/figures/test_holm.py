"""Holm's adjustment of p values, against statsmodels."""

from __future__ import annotations

from math import nan

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from miner.figures.chi_square import holm


@pytest.mark.parametrize("p_values", [[0.01, 0.04, 0.03], [0.2], [0.6, 0.9, 0.5, 0.001], [0.0, 1.0]])
def test_p_values_are_adjusted_as_statsmodels_does(p_values: list[float]) -> None:
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1].tolist())


def test_a_test_without_a_p_value_stays_and_counts_for_none() -> None:
    assert np.allclose(holm([0.01, nan, 0.03]), [0.02, nan, 0.03], equal_nan=True)
