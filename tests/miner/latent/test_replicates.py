"""Error bars of what is learnt in latent mode: bootstrap samples, each with models of its own."""

from __future__ import annotations

from typing import Self

import numpy as np
import pytest
from numpy.typing import NDArray

from collector.errors import QueryError
from latent_cases import yes_no_survey
from miner.latent.replicates import replicates
from miner.responses.responses import Responses, Values
from miner.simulation.simulation import simulate


class Shares:
    """Learns the shares of the classes, and of the first value of each question."""

    def fit_rows(self, values: Values, weights: NDArray[np.float64], responses: int) -> Self:
        """Learn."""
        assert weights.sum() == pytest.approx(responses)
        self.share = np.bincount(values[:, 2], weights) / responses
        self.firsts = ((values == 0) * weights[:, np.newaxis]).sum(axis=0) / responses
        return self

    def probabilities(self, values: Values) -> NDArray[np.float64]:
        """The shares, for every row."""
        return np.tile(self.share, (len(values), 1))

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The shares of the first values."""
        return np.asarray(self.firsts[:2], np.float64)


def some_responses(count: int) -> Responses:
    rng = np.random.default_rng(1)
    survey = yes_no_survey(3, 3, "1/2", "uniform")
    return simulate(survey, (rng.random((count, 3)) < [0.3, 0.5, 0.3]).astype(np.int16), rng)


@pytest.mark.statistical
def test_the_standard_error_is_about_that_of_randomised_response() -> None:
    """Seeded. With 12 samples it is within a factor of 1.8, but for once in 500."""
    responses = some_responses(600)

    found = replicates(Shares, responses, "q2", 12, np.random.default_rng(2)).probabilities(np.zeros((1, 3), np.int16))

    sent = 0.5 * 0.3 + 0.25
    wanted = np.sqrt(sent * (1 - sent) / 600) / 0.5
    assert found.standard_error.shape == (1, 2)
    assert wanted / 1.8 < found.standard_error[0, 0] < wanted * 1.8
    assert found.mean.sum() == pytest.approx(1)


def test_importances_have_an_error_for_each_feature() -> None:
    found = replicates(Shares, some_responses(60), "q2", 2, np.random.default_rng(3)).importances

    assert found.mean.shape == found.standard_error.shape == (2,)


def test_one_replicate_is_refused() -> None:
    with pytest.raises(QueryError, match="at least two"):
        replicates(Shares, some_responses(10), "q2", 1, np.random.default_rng(4))
