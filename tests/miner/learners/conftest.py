"""A table of the small mixed survey, whose class follows from the year, as true answers and as it is sent."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from miner.evaluation.predictor import words_of
from miner.responses.responses import Responses, Values
from miner.simulation.simulation import simulate
from small_surveys import mixed_survey


@pytest.fixture(scope="module")
def values() -> Values:
    """600 people, one in ten of whom has the other class."""
    generator, survey = np.random.default_rng(4), mixed_survey()
    columns = np.column_stack([generator.integers(len(q.values), size=600) for q in survey.questions])
    columns[:, 4] = (columns[:, 0] > 0) ^ (generator.random(600) < 0.1)
    return columns.astype(np.int16)


@pytest.fixture(scope="module")
def sent(values: Values) -> Responses:
    """Their responses."""
    return simulate(mixed_survey(), values, np.random.default_rng(5))


@pytest.fixture(scope="module")
def words(values: Values) -> pd.DataFrame:
    """Their true answers, without the class."""
    return words_of(mixed_survey(), values, ["year", "drug", "sold", "debt"])
