"""Bundles of terms have the sums of their effects, whatever is bundled, and give slopes back to each effect."""

from __future__ import annotations

import numpy as np
import pytest

from miner.arrays import Floats
from miner.effects.bundles import MOST_CELLS, Bundles
from miner.effects.pairs import thin
from miner.effects.terms import Terms
from miner.responses.responses import NOT_ASKED, Values
from small_surveys import survey_of

SIZES = (2, 5, 4, 3, 4, 5)
SURVEY = survey_of(
    *[
        (f'kind = "choice"\nsensitive = false\nvalues = {[f"v{value}" for value in range(size)]}', "", "")
        for size in SIZES
    ]
)
TERMS = Terms(SURVEY, ((0,), (1,), (2,), (3,), (4,), (1, 4), (0, 1), (2, 4)), ())


def values_of(count: int) -> Values:
    return np.random.default_rng(0).integers(SIZES, size=(count, len(SIZES))).astype(np.int16)


def table(values: Values) -> Floats:
    """Shape (rows, effects): 1 where a row has an effect."""
    places, effects = TERMS.places(values), int(TERMS.starts[-1])
    found = np.zeros((len(values), effects + 1))
    np.add.at(found, (np.arange(len(values))[:, None], places), 1.0)
    return found[:, :effects]


@pytest.mark.parametrize("unknown", [[], [3], [1, 4], [0, 1, 2, 3, 4]])
def test_scores_and_slopes_are_those_of_the_terms_one_by_one(unknown: list[int]) -> None:
    rng, values = np.random.default_rng(1), values_of(200)
    for column in unknown:
        values[rng.random(200) < 0.3, column] = NOT_ASKED
    bundles = Bundles(TERMS, values)
    cells = bundles.places(values)
    effects, slopes = rng.normal(size=(int(TERMS.starts[-1]), 3)), rng.normal(size=(200, 3))
    np.testing.assert_allclose(bundles.sums(effects)[cells].sum(axis=1), table(values) @ effects, atol=1e-12)
    gathered = np.zeros((bundles.spread.shape[0], 3))
    np.add.at(gathered, cells, slopes[:, None])
    np.testing.assert_allclose(bundles.along(gathered), table(values).T @ slopes, atol=1e-12)


def test_known_answers_are_looked_up_in_fewer_tables_of_bounded_size() -> None:
    bundles = Bundles(TERMS, values_of(10))
    assert len(bundles.tables.terms) < 4
    assert max(bundles.tables.widths) <= MOST_CELLS
    values = values_of(10)
    values[0] = NOT_ASKED
    assert Bundles(TERMS, values).tables.terms == TERMS.terms


def test_a_model_without_terms_has_no_table() -> None:
    bundles = Bundles(Terms(SURVEY, (), ()), values_of(10))
    assert bundles.places(values_of(10)).shape == (10, 0)
    assert bundles.sums(np.zeros((0, 3))).shape == (1, 3)


def test_roots_lose_the_columns_without_effect_and_nothing_else() -> None:
    rng = np.random.default_rng(2)
    roots = rng.normal(size=(6, 4)) @ rng.normal(size=(4, 6))
    found = thin(roots)
    assert found.shape == (6, 4)
    np.testing.assert_allclose(found @ found.T, roots @ roots.T, atol=1e-12)
    assert thin(np.zeros((1, 1))).shape == (1, 0)
