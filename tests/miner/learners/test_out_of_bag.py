"""The accuracy of a forest from responses that are in none of its bags."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.calibration import coverage
from bit_surveys import bit_survey, some_values
from collector.errors import QueryError
from miner.learners.forest import ForestClassifier
from miner.responses.plain_rows import PlainRows
from miner.simulation.simulation import simulate
from soak import least_covered, part_of


@pytest.mark.parametrize("mode", ["faithful", "robust", "latent"])
def test_in_every_mode_a_forest_of_two_thirds_is_tested_on_the_third_in_none_of_its_bags(mode: str) -> None:
    survey = bit_survey([0, 1, 0, 1, 0, 1, 0], ["complement 3/5", "complement 3/5"])
    sent = simulate(survey, some_values(survey, 900, 1), np.random.default_rng(1))
    few = {"mode": mode, "n_estimators": 10, "random_state": 1}
    model = ForestClassifier(survey, oob_score=True, **few).fit(sent.frame)
    dealt = np.random.default_rng(1).permutation(900)
    twin = ForestClassifier(survey, **few).fit(sent.take(np.sort(dealt[300:])).frame)
    assert model.oob_model_.learnt == twin.learnt
    assert model.oob_estimate_.n == 300
    assert model.oob_estimate_.estimate == pytest.approx(twin.score(sent.take(np.sort(dealt[:300])).frame))
    assert model.learnt == ForestClassifier(survey, **few).fit(sent.frame).learnt, "the estimate leaves it as it is"


def test_it_needs_no_bootstrap_and_is_given_beside_plain_rows() -> None:
    survey = bit_survey([0, 1, 0, 1, 0, 1, 0], ["complement 3/5", "complement 3/5"])
    sent = simulate(survey, some_values(survey, 90, 1), np.random.default_rng(1))
    few = {"n_estimators": 3, "oob_score": True, "random_state": 1}
    assert ForestClassifier(survey, mode="robust", bootstrap=False, **few).fit(sent.frame).oob_estimate_.n == 30
    rows = PlainRows.of(survey, some_values(survey, 50, 2))
    assert ForestClassifier(survey, mode="robust", **few).fit(sent.frame, plain=rows).oob_estimate_.n == 30


def test_too_few_responses_to_keep_some_out_are_refused() -> None:
    survey = bit_survey([0, 1, 0], ["complement 3/5", "complement 3/5"])
    frame = simulate(survey, some_values(survey, 2, 1), np.random.default_rng(1)).frame
    with pytest.raises(QueryError, match="too few responses"):
        ForestClassifier(survey, n_estimators=2, oob_score=True).fit(frame)


@pytest.mark.statistical
def test_where_many_answer_alike_the_error_is_as_large_as_its_standard_error_says() -> None:
    """16 kinds of people, one coin of 3/4: trees that judge what the other trees learnt from said 1.4 and more here.

    Seeded. 150 forests tell the ratio of the variances to 12 %, so that a correct 1 is above 1.3 less than once in 100;
    40 tell it to 23 %.
    """
    setting = coverage.Setting(1, "3/4", "complement", 1000, coverage.FEW_KINDS)
    forests = part_of(150, 40)
    found = coverage.out_of_bag(setting, forests, seed=11)
    assert abs(found["squared_gap_in_variances"] - 1) < 0.3 * (150 / forests) ** 0.5
    assert found["covered"] >= min(0.89, least_covered(forests))
