"""Drift: told from noise by a test, found where it is."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_ind  # type: ignore[import-untyped] # scipy brings no types

from collector.survey.fields import Fields
from miner.figures.estimate import Estimate
from miner.figures.means import mean_estimate
from miner.responses.responses import Responses
from miner.retrain.drift import counted_once, marginals, shifts
from miner.simulation.simulation import simulate
from small_surveys import mixed_survey

RANGE = (-2.0, 3.0)


def figure(terms: np.ndarray) -> Estimate:
    return mean_estimate(terms, RANGE)


def people(count: int, distressed: float, seed: int) -> Responses:
    rng = np.random.default_rng(seed)
    survey = mixed_survey()
    values = np.stack([rng.integers(0, len(question.values), count) for question in survey.questions], axis=1)
    values[:, -1] = rng.random(count) >= distressed
    return simulate(survey, values.astype(np.int16), rng)


def test_newcomers_are_told_apart_without_an_order_of_arrival() -> None:
    rng = np.random.default_rng(1)
    old, new = rng.normal(0.3, 1.0, 400), rng.normal(0.9, 2.0, 300)
    (shift,) = shifts({"x": figure(old)}, {"x": figure(np.concatenate([old, new]))})
    assert shift.since == pytest.approx(new.mean())
    assert shift.before == pytest.approx(old.mean())
    assert shift.standard_error == pytest.approx((old.var(ddof=1) / 400 + new.var(ddof=1) / 300) ** 0.5)


def test_newcomers_are_compared_with_those_who_were_accepted_last_and_with_no_others() -> None:
    rng = np.random.default_rng(1)
    old, accepted, new = rng.normal(0.3, 1.0, 400), rng.normal(0.9, 1.0, 300), rng.normal(0.9, 1.0, 300)
    start = figure(old)
    before, now = figure(np.append(old, accepted)), figure(np.concatenate([old, accepted, new]))
    (shift,) = shifts({"x": before}, {"x": now}, {"x": start})
    assert (shift.before, shift.since) == (pytest.approx(accepted.mean()), pytest.approx(new.mean()))
    assert shift.p > 0.05 > shifts({"x": before}, {"x": now})[0].p


def test_the_chance_is_that_of_a_t_test() -> None:
    rng = np.random.default_rng(3)
    old, new = rng.normal(0.0, 1.0, 60), rng.normal(0.6, 3.0, 25)
    (shift,) = shifts({"x": figure(old)}, {"x": figure(np.append(old, new))})
    assert shift.p == pytest.approx(ttest_ind(old, new, equal_var=False).pvalue)


def test_a_yes_or_no_is_one_figure() -> None:
    found = marginals(people(60, 0.5, 1))
    assert found.keys() - counted_once(mixed_survey(), found).keys() == {"sold = no", "distress = no"}


def test_too_few_newcomers_are_not_judged() -> None:
    old = np.random.default_rng(1).normal(0.3, 1.0, 400)
    assert shifts({"x": figure(old)}, {"x": figure(np.append(old, [9.0] * 19))}) == []


def test_figures_that_only_one_side_knows_are_left_out() -> None:
    old = figure(np.arange(50.0))
    assert shifts({"x": old}, {"y": old}) == []


def test_chances_are_corrected_for_how_many_figures_are_looked_at() -> None:
    rng = np.random.default_rng(2)
    old, new = rng.normal(0.0, 1.0, 500), rng.normal(0.15, 1.0, 500)
    one, all_of_them = figure(old), figure(np.concatenate([old, new]))
    alone = shifts({"x": one}, {"x": all_of_them})[0].p
    among_five = shifts(dict.fromkeys("abcde", one), dict.fromkeys("abcde", all_of_them))
    assert [each.p for each in among_five] == pytest.approx([min(1.0, 5 * alone)] * 5)


def test_marginals_name_every_value_of_every_question() -> None:
    found = marginals(people(60, 0.5, 1))
    assert "year = first" in found
    assert "distress = no" in found
    assert len(found) == 3 + 3 + 2 + 3 + 2


def test_a_shift_among_the_newcomers_is_found_and_named() -> None:
    old, new = people(2000, 0.2, 1), people(2000, 0.6, 2)
    both = Responses(old.survey, np.concatenate([old.codes, new.codes]))
    found = [each for each in shifts(marginals(old), marginals(both)) if each.p < 0.001]
    assert {each.what for each in found} == {"distress = yes", "distress = no"}


@pytest.mark.statistical
def test_without_a_shift_there_are_few_alarms() -> None:
    """At level .05 at most 1 run in 20 may alarm: more than 22 in 200 come once in 2,000 (binomial)."""
    alarms = 0
    for seed in range(200):
        both = people(600, 0.3, seed)
        before = counted_once(both.survey, marginals(both.take(range(300))))
        found = shifts(before, marginals(both))
        alarms += any(each.p < 0.05 for each in found)
    assert alarms <= 22


def test_newcomers_who_are_all_alike_are_compared() -> None:
    old = np.where(np.arange(400) % 5 == 0, 4 / 3, -1 / 3)
    (shift,) = shifts({"x": figure(old)}, {"x": figure(np.append(old, [4 / 3] * 50))})
    assert shift.since == pytest.approx(4 / 3)
    assert shift.p < 1e-9
    plain, other = figure(np.zeros(100)), figure(np.append(np.zeros(100), np.ones(50)))
    assert [each.p for each in shifts({"x": plain}, {"x": other})] == [0.0], "all of them changed"
    assert [each.p for each in shifts({"x": plain}, {"x": figure(np.zeros(150))})] == [1.0], "none did"


def test_a_figure_of_which_the_coins_leave_nothing_is_not_compared() -> None:
    rng = np.random.default_rng(4)
    wide = figure(rng.normal(0.3, 90.0, 400))
    now = figure(rng.normal(0.3, 90.0, 800))
    known = figure(rng.normal(0.3, 1.0, 400))
    assert wide.is_lost
    back = Estimate.from_fields(Fields(wide.as_json, "here"))
    for before in (wide, back):
        found = shifts({"x": before, "y": known}, {"x": now, "y": figure(rng.normal(0.3, 1.0, 800))})
        assert [each.what for each in found] == ["y"]
