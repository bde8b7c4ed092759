"""Rehearsals of a survey: what models will make of it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from collector.errors import QueryError
from collector.survey import Survey
from miner.planning.forecast import LEARNERS, Rehearsal, forecast
from miner.responses import Values, value_indices
from population import draw_answers


def nothing() -> None:
    """What happens after each."""


@pytest.fixture(scope="module")
def pilot(wellbeing: Survey) -> Values:
    return value_indices(wellbeing, draw_answers(600, np.random.default_rng(7)))


def test_a_pilot_says_how_accurate_models_will_be(wellbeing: Survey, pilot: Values) -> None:
    calls: Iterator[None] = iter([None] * 3 * len(LEARNERS))
    rehearsal = Rehearsal(wellbeing, 2000, "robust", 3, pilot)
    found = forecast(rehearsal, np.random.default_rng(1), lambda: next(calls))
    assert next(calls, "all called") == "all called"
    assert [each.kind for each in found] == list(LEARNERS)
    for each in found:
        assert each.baseline < each.accuracy < 0.95
        assert 0.01 < each.standard_error < 0.1
        assert 0 < each.spread < 0.1
        assert 0.01 < each.test_error < 0.1
    again = forecast(rehearsal, np.random.default_rng(1), nothing)
    assert again == found


def test_without_a_pilot_there_is_only_noise_to_learn(wellbeing: Survey) -> None:
    (tree, _) = forecast(Rehearsal(wellbeing, 300, "robust", 2, None), np.random.default_rng(1), nothing)
    assert tree.baseline == pytest.approx(0.5, abs=0.05)
    assert tree.accuracy == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize(
    ("respondents", "times", "problem"),
    [(5, 2, "too few to train a model and test it"), (100, 1, "one alone has no spread")],
)
def test_too_few_respondents_or_rehearsals_are_refused(
    wellbeing: Survey, respondents: int, times: int, problem: str
) -> None:
    with pytest.raises(QueryError, match=problem):
        forecast(Rehearsal(wellbeing, respondents, "robust", times, None), np.random.default_rng(1), nothing)


def test_a_pilot_of_too_few_is_refused(wellbeing: Survey, pilot: Values) -> None:
    with pytest.raises(QueryError, match="it has fewer than 30 rows"):
        forecast(Rehearsal(wellbeing, 100, "robust", 2, pilot[:20]), np.random.default_rng(1), nothing)
