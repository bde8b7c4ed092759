"""Rehearsals of a survey: what models will make of it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from collector.errors import QueryError
from collector.survey.survey import Survey
from miner.learners.forest import ForestClassifier
from miner.planning.forecast import LEARNERS, ForecastSettings, forecast
from miner.responses.responses import Values, value_indices
from miner.simulation.simulation import simulate
from population import draw_answers


def nothing() -> None:
    """What happens after each."""


@pytest.fixture(scope="module")
def pilot(wellbeing: Survey) -> Values:
    return value_indices(wellbeing, draw_answers(600, np.random.default_rng(7)))


def test_a_pilot_says_how_accurate_models_will_be(wellbeing: Survey, pilot: Values) -> None:
    calls: Iterator[None] = iter([None] * 3 * len(LEARNERS))
    rehearsal = ForecastSettings(wellbeing, 2000, "robust", 3, pilot)
    found = forecast(rehearsal, np.random.default_rng(1), lambda: next(calls))
    assert next(calls, "all called") == "all called"
    assert [each.kind for each in found] == list(LEARNERS)
    for each in found:
        assert each.baseline < each.accuracy < 0.95
        assert 0.01 < each.standard_error < 0.1
        assert 0 < each.spread < 0.1
        assert 0.01 < each.test_error < 0.1
        assert each.pilot_needed is not None
        assert each.pilot_needed - 100 < 600 * (each.reach / 0.02) ** 2 <= each.pilot_needed
    again = forecast(rehearsal, np.random.default_rng(1), nothing)
    assert again == found


def test_without_a_pilot_there_is_only_noise_to_learn(wellbeing: Survey) -> None:
    (tree, _) = forecast(ForecastSettings(wellbeing, 300, "robust", 2, None), np.random.default_rng(1), nothing)
    assert tree.baseline == pytest.approx(0.5, abs=0.05)
    assert tree.accuracy == pytest.approx(0.5, abs=0.05)
    assert tree.pilot_needed is None


def test_a_pilot_of_many_needs_no_larger_one(wellbeing: Survey) -> None:
    pilot = value_indices(wellbeing, draw_answers(12_000, np.random.default_rng(7)))
    found = forecast(ForecastSettings(wellbeing, 1500, "robust", 30, pilot), np.random.default_rng(1), nothing)
    assert [each.pilot_needed for each in found] == [None, None]
    assert [each.as_json["accuracy"] for each in found] == [each.accuracy for each in found]
    assert all(0.0 <= each.spread < 0.05 for each in found)


@pytest.mark.statistical
def test_small_pilots_foretell_what_comes_and_how_far_off_they_are(wellbeing: Survey) -> None:
    # Seeded. Five pilots, whose rows all come ten times and more. Their mean gap is known to 1.3 points, by their
    # scatter: .05 is near four times that. With fresh seeds a gap beyond 3.5 foretold errors comes once in 400 runs.
    rng = np.random.default_rng(3)
    judges = value_indices(wellbeing, draw_answers(20_000, rng))
    column = wellbeing.questions.index(wellbeing.question("distress"))
    came = []
    for _ in range(20):
        sent = simulate(wellbeing, value_indices(wellbeing, draw_answers(1400, rng)), rng).frame
        model = ForestClassifier(wellbeing, mode="robust", random_state=1).fit(sent)
        came.append(float((model.probabilities(judges).argmax(axis=1) == judges[:, column]).mean()))
    gaps, errors = [], []
    for _ in range(5):
        pilot = value_indices(wellbeing, draw_answers(150, rng))
        (_, forest) = forecast(ForecastSettings(wellbeing, 2100, "robust", 4, pilot), rng, nothing)
        gaps.append(forest.accuracy - np.mean(came))
        errors.append(forest.standard_error)
        assert forest.spread == pytest.approx(np.std(came, ddof=1), rel=2)
    assert abs(np.mean(gaps)) < 0.05
    assert np.all(np.abs(gaps) < 3.5 * np.array(errors))


@pytest.mark.parametrize(
    ("respondents", "times", "problem"),
    [
        (5, 2, "too few respondents to train and test a model"),
        (100, 1, "there are fewer than two repetitions, which show no spread"),
    ],
)
def test_too_few_respondents_or_rehearsals_are_refused(
    wellbeing: Survey, respondents: int, times: int, problem: str
) -> None:
    with pytest.raises(QueryError, match=problem):
        forecast(ForecastSettings(wellbeing, respondents, "robust", times, None), np.random.default_rng(1), nothing)


def test_a_pilot_of_too_few_is_refused(wellbeing: Survey, pilot: Values) -> None:
    with pytest.raises(QueryError, match="fewer than 30 rows"):
        forecast(ForecastSettings(wellbeing, 100, "robust", 2, pilot[:20]), np.random.default_rng(1), nothing)


def test_a_pilot_of_one_class_is_refused(wellbeing: Survey, pilot: Values) -> None:
    one = pilot[pilot[:, wellbeing.column("distress")] == 1]
    with pytest.raises(QueryError, match=r"pilot: .* one class"):
        forecast(ForecastSettings(wellbeing, 100, "robust", 2, one), np.random.default_rng(1), nothing)
