"""Ratios of estimates: signed, never clipped, without an interval where there is none."""

from __future__ import annotations

import numpy as np
import pytest

from miner.figures.estimate import Amount, Difference
from miner.figures.figure import Figure
from miner.figures.means import mean_estimate, mean_ratio, ratio

ONCE = np.ones(40)
HALF = np.tile([1.0, 0.0], 20)


def test_the_ratio_to_everybody_is_the_mean() -> None:
    found, mean = ratio(HALF, ONCE, ONCE), mean_estimate(HALF, (0, 1), ONCE)
    assert found is not None
    assert (found.estimate, found.standard_error, found.n) == (mean.estimate, mean.standard_error, mean.n)
    assert found.interval == pytest.approx(mean.interval)


def test_responses_that_look_alike_may_share_a_row() -> None:
    one = ratio(np.array([1.0, 0.0, -0.5]), np.array([1.0, 1.0, 0.5]), np.array([3.0, 2.0, 1.0]))
    same = ratio(np.repeat([1.0, 0.0, -0.5], [3, 2, 1]), np.repeat([1.0, 1.0, 0.5], [3, 2, 1]), np.ones(6))
    assert one is not None
    assert same is not None
    assert (one.estimate, one.standard_error) == pytest.approx((same.estimate, same.standard_error))
    assert one.interval == pytest.approx(same.interval)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_all_or_none_of_a_few_is_not_certainty(share: float) -> None:
    found = ratio(share * HALF, HALF, ONCE)
    assert found is not None
    assert found.interval is not None
    assert found.estimate == share
    assert found.interval[1] - found.interval[0] > 0.1
    assert found.interval[0] == pytest.approx(0) or found.interval[1] == pytest.approx(1)


def test_a_share_below_0_is_kept_and_one_of_nobody_is_not_there() -> None:
    found = ratio(-HALF, ONCE, ONCE)
    assert found is not None
    assert found.estimate == -0.5
    assert found.outside_unit_interval
    assert ratio(HALF, 0 * ONCE, ONCE) is None
    assert ratio(HALF, -ONCE, ONCE) is None


def test_where_the_denominator_may_be_0_there_is_no_interval() -> None:
    noise = np.tile([1.0, -0.9], 20)
    found = ratio(HALF, noise, ONCE)
    assert found is not None
    assert (found.interval, found.standard_error is None) == (None, False)
    assert "no interval: its denominator" in found.line
    alone = ratio(np.ones(1), np.ones(1), np.ones(1))
    assert alone is not None
    assert (alone.estimate, alone.standard_error, alone.interval) == (1, None, None)


def test_a_mean_of_ratios_is_their_mean_and_as_uncertain_as_they_are_together() -> None:
    one, twice = ratio(HALF, ONCE, ONCE), mean_ratio([(HALF, ONCE), (HALF, ONCE)], ONCE)
    assert one == twice
    opposed = mean_ratio([(HALF, ONCE), (1 - HALF, ONCE)], ONCE)
    assert opposed is not None
    assert (opposed.estimate, opposed.standard_error) == pytest.approx((0.5, 0))
    assert mean_ratio([(HALF, ONCE), (HALF, -ONCE)], ONCE) is None


def test_an_amount_has_no_upper_limit() -> None:
    assert not Amount(1.7, 0.1, (1.5, 1.9), 10).outside_unit_interval
    assert Amount(1.7, 0.1, (1.5, 1.9), 10).as_json == {
        "estimate": 1.7,
        "standard_error": 0.1,
        "interval": (1.5, 1.9),
        "n": 10,
        "outside_possible_range": False,
    }


def test_a_loss_below_0_and_a_difference_beyond_1_are_said_to_be_impossible() -> None:
    loss, fall = Amount(-0.2, 0.3, (-0.8, 0.5), 12), Difference(-1.5, 0.6, (-2.7, -0.3), 12)
    for found, ends in ((loss, "0 and above"), (fall, "-1 to 1")):
        assert found.as_json["outside_possible_range"] is True
        assert f"; outside {ends}, its possible range: too few responses" in found.line
    assert not Difference(-0.2, 0.1, (-0.4, 0.0), 12).warning


@pytest.mark.parametrize(("errors", "known"), [(1.9, False), (2.05, True)])
def test_a_ratio_has_an_interval_if_its_denominator_is_more_than_1_96_errors_above_0(
    errors: float, *, known: bool
) -> None:
    n = 1000
    spread = np.where(np.arange(n) % 2, 1.0, -1.0)  # a mean of errors / sqrt(n - 1), its standard error 1 / sqrt(n - 1)
    denominator = spread + errors / np.sqrt(n - 1)
    possible = np.array([[0.0, denominator.min()], [0.0, denominator.max()]])
    figure = Figure(np.zeros(n), denominator, np.ones(n), possible, possible)
    assert (figure.estimate.interval is not None) == known
