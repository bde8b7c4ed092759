"""Means, totals and quantiles: plain arithmetic at truth 1, exact over all coins, bounds without assumption."""

from __future__ import annotations

from itertools import product
from math import sqrt

import numpy as np
import pytest
from scipy.stats import norm

from collector.errors import QueryError
from miner.figures.sample import Sample
from miner.figures.sample_design import SampleDesign
from miner.responses.responses import Responses
from miner.simulation.simulation import simulate
from miner.tables.figures import FigureTable, GroupFigure
from miner.tables.numbers import imbens_manski, mean, quantile, total
from small_surveys import survey_of

REGION = 'kind = "choice"\nsensitive = false\nvalues = ["north", "south"]'
NUMBER = 'kind = "number"\ncuts = [10, 20]\nminimum = 0\nmaximum = 40'
OPEN = 'kind = "number"\ncuts = [10, 20, 30]'
MIDDLES, LOWS, HIGHS = (np.array(each) for each in ([5.0, 15.0, 30.0], [0.0, 10.0, 20.0], [10.0, 20.0, 40.0]))
WEIGHTS = {"q0": {"north": 1.0, "south": 3.0}}


def people(n: int, seed: int, truth: str = "4/5", number: str = NUMBER) -> tuple[Responses, np.ndarray]:
    """A region and an interval of a number that is larger in the south; and what is true."""
    survey = survey_of((REGION, "", ""), (number, "g", f'truth = "{truth}"'))
    rng = np.random.default_rng(seed)
    region = rng.integers(0, 2, n)
    values = np.stack([region, np.minimum((rng.random(n) * (2.2 + region)).astype(int), 2)], axis=1).astype(np.int16)
    return simulate(survey, values, rng), values


def only(table: FigureTable) -> GroupFigure:
    (found,) = table.figures
    return found


def test_undisguised_a_mean_is_that_of_midpoints_and_its_bounds_those_of_the_ends() -> None:
    sent, values = people(700, 1, truth="1")
    table = mean(sent, "q1", by="q0")
    for region, found in enumerate(table.figures):
        answers = values[values[:, 0] == region, 1]
        assert found.estimate is not None
        assert found.bounds is not None
        assert found.estimate.estimate == pytest.approx(MIDDLES[answers].mean(), abs=1e-10)
        assert (found.bounds.low, found.bounds.high) == pytest.approx((LOWS[answers].mean(), HIGHS[answers].mean()))
        error = MIDDLES[answers].std(ddof=1) / sqrt(len(answers))
        assert found.estimate.standard_error == pytest.approx(error, rel=2e-3)
        assert found.estimate.interval == pytest.approx(
            (found.estimate.estimate - 1.96 * error, found.estimate.estimate + 1.96 * error), abs=0.05
        )
    totals = [each.estimate for each in total(sent, "q1", 9000, by="q0").figures]
    assert sum(each.estimate for each in totals if each) == pytest.approx(9000 * MIDDLES[values[:, 1]].mean())


def test_with_sampling_weights_a_mean_and_its_error_are_those_of_linearisation() -> None:
    sent, values = people(600, 2, truth="1")
    found = only(mean(Sample(sent, SampleDesign(WEIGHTS, "q0")), "q1")).estimate
    weights, numbers = np.where(values[:, 0] == 0, 1.0, 3.0), MIDDLES[values[:, 1]]
    expected = float(np.average(numbers, weights=weights))
    terms, variance = weights * (numbers - expected) / weights.sum(), 0.0
    for region in (0, 1):
        inside = terms[values[:, 0] == region]
        variance += len(inside) * float(inside.var(ddof=1))
    assert found is not None
    assert (found.estimate, found.standard_error) == pytest.approx((expected, sqrt(variance)))


def test_over_all_coins_means_and_totals_are_those_of_the_true_answers() -> None:
    survey = survey_of(
        (REGION, "", ""), ('kind = "number"\ncuts = [10]\nminimum = 0\nmaximum = 30', "g", 'truth = "4/5"')
    )
    answers, design = [(0, 0), (0, 1), (1, 1), (1, 0), (1, 1)], SampleDesign(WEIGHTS, "q0")
    chances, means, totals, lows = [], [], [], []
    for flips in product((0, 1), repeat=len(answers)):
        codes = [(region, answer ^ flip) for (region, answer), flip in zip(answers, flips, strict=True)]
        sent = Responses(survey, np.array(codes, np.int16))
        chances.append(np.prod([0.2 if flip else 0.8 for flip in flips]))
        by_region = mean(sent, "q1", by="q0").figures
        means.append([each.estimate.estimate for each in by_region if each.estimate])
        lows.append([each.bounds.low for each in by_region if each.bounds])
        totals.append(only(total(Sample(sent, design), "q1", 1000)).estimate.estimate)  # type: ignore[union-attr] # it is there
    middles = np.array([5.0, 20.0])
    assert np.average(means, axis=0, weights=chances) == pytest.approx([12.5, 15.0], abs=1e-12)
    assert np.average(lows, axis=0, weights=chances) == pytest.approx([5.0, 20 / 3], abs=1e-12)
    weighted = [(1.0 if region == 0 else 3.0, middles[answer]) for region, answer in answers]
    exact = 1000 * sum(weight * number for weight, number in weighted) / sum(weight for weight, _ in weighted)
    assert np.average(totals, weights=chances) == pytest.approx(exact, abs=1e-9)


def test_bounds_are_as_wide_as_imbens_and_manski_say_and_one_sided_where_an_interval_is_open() -> None:
    assert imbens_manski(0.0, 1.0) == pytest.approx(norm.ppf(0.975))
    assert imbens_manski(50.0, 1.0) == pytest.approx(norm.ppf(0.95))
    times = imbens_manski(0.7, 1.3)
    assert norm.cdf(times + 0.7 / 1.3) - norm.cdf(-times) == pytest.approx(0.95)
    sent, _ = people(400, 3, number=OPEN)
    found = only(mean(sent, "q1")).bounds
    assert found is not None
    assert (found.low, found.high, found.interval) == (None, None, (None, None))
    sent, _ = people(400, 3, number=f"{OPEN}\nminimum = 0")
    found = only(mean(sent, "q1")).bounds
    assert found is not None
    assert found.high is None
    assert found.low is not None
    assert found.interval[0] is not None
    assert found.interval[0] < found.low
    one_cut = Responses(survey_of(('kind = "number"\ncuts = [10]', "g", 'truth = "1"')), np.zeros((20, 1), np.int16))
    with pytest.raises(QueryError, match="no midpoints; estimate a quantile"):
        mean(one_cut, "q0")


@pytest.mark.parametrize("share", [0.1, 0.25, 0.5, 0.8])
def test_undisguised_a_quantile_is_that_of_answers_spread_evenly(share: float) -> None:
    sent, values = people(900, 5, truth="1")
    ends, counts = np.array([0.0, 10.0, 20.0, 40.0]), np.bincount(values[:, 1], minlength=3)
    below = np.append(0.0, np.cumsum(counts)) / len(values)
    found = only(quantile(sent, "q1", share))
    expected = float(np.interp(share, below, ends))
    assert found.estimate is not None
    assert found.bounds is not None
    assert found.estimate.estimate == pytest.approx(expected)
    inside = int(np.searchsorted(below, share)) - 1
    assert (found.bounds.low, found.bounds.high) == (ends[inside], ends[inside + 1])
    # Woodruff (1952): the quantiles of the limits of the share below
    error = sqrt(share * (1 - share) / len(values))
    limits = [float(np.interp(share + side * 1.96 * error, below, ends)) for side in (-1, 1)]
    assert found.estimate.interval == pytest.approx(limits, abs=0.4)


WHOLE = 'kind = "number"\nwhole = true\ncuts = [1, 2, 4, 8]\nminimum = 0'


@pytest.mark.parametrize("more", ["", "\ndecline = true"])
def test_undisguised_figures_of_counts_are_those_of_the_whole_numbers_in_the_intervals(more: str) -> None:
    survey = survey_of((f"{WHOLE}\nmaximum = 9{more}", "g", 'truth = "1"'))
    counts = np.random.default_rng(11).choice(10, 4000, p=[0.3, 0.25, 0.1, 0.1, *[0.05] * 4, 0.03, 0.02])
    sent = simulate(survey, np.searchsorted([1, 2, 4, 8], counts, side="right")[:, None], np.random.default_rng(12))
    held = [[0], [1], [2, 3], [4, 5, 6, 7], [8, 9]]
    of = np.searchsorted([1, 2, 4, 8], counts, side="right")
    found = only(mean(sent, "q0"))
    assert found.estimate is not None
    assert found.bounds is not None
    assert found.estimate.estimate == pytest.approx(np.mean([np.mean(held[each]) for each in of]))
    assert found.bounds.low == pytest.approx(np.mean([held[each][0] for each in of]))
    assert found.bounds.high == pytest.approx(np.mean([held[each][-1] for each in of]))
    spread = np.concatenate([np.repeat(held[each], 12 // len(held[each])) for each in of])
    for share in (0.05, 0.2, 0.42, 0.5, 0.7, 0.93, 0.99):
        found = only(quantile(sent, "q0", share))
        assert found.estimate is not None
        assert found.bounds is not None
        assert found.estimate.interval is not None
        assert found.estimate.estimate == np.quantile(spread, share, method="inverted_cdf")
        assert found.estimate.standard_error > 0
        low, high = found.estimate.interval
        assert (low % 1, high % 1) == (0, 0)
        assert low <= found.estimate.estimate <= high
        inside = next(each for each in held if found.estimate.estimate in each)
        assert (found.bounds.low, found.bounds.high) == (inside[0], inside[-1])


def test_an_open_end_of_whole_numbers_is_as_wide_as_the_next_interval() -> None:
    survey = survey_of((WHOLE, "g", 'truth = "1"'))
    sent = simulate(survey, np.full((20, 1), 4, np.int16), np.random.default_rng(13))
    table = mean(sent, "q0")
    assert only(table).estimate.estimate == 9.5  # type: ignore[union-attr] # 8, 9, 10 and 11
    assert any(": 0, 1, 2.5, 5.5, 9.5" in each for each in table.remarks)
    assert only(table).bounds.high is None  # type: ignore[union-attr] # likewise


def test_a_quantile_in_an_open_interval_is_bounded_on_one_side_and_not_estimated() -> None:
    sent, _ = people(900, 6, number='kind = "number"\ncuts = [10, 20]')
    found = only(quantile(sent, "q1", 0.95))
    assert found.estimate is None
    assert found.bounds is not None
    assert (found.bounds.low, found.bounds.high) == (20.0, None)
    assert found.bounds.interval == (20.0, None)


def test_people_without_a_number_are_left_out_of_means_and_count_0_in_totals() -> None:
    survey = survey_of((f"{NUMBER}\ndecline = true", "g", 'truth = "1"'))
    values = np.array([[0]] * 10 + [[2]] * 10 + [[3]] * 20, np.int16)
    sent = simulate(survey, values, np.random.default_rng(7))
    table = mean(sent, "q0")
    assert only(table).estimate.estimate == pytest.approx(17.5)  # type: ignore[union-attr] # it is there
    assert any("left out" in each for each in table.remarks)
    assert only(total(sent, "q0", 400)).estimate.estimate == pytest.approx(3500)  # type: ignore[union-attr] # likewise


@pytest.mark.statistical
def test_intervals_hold_the_mean_the_median_and_the_bounds_19_times_in_20() -> None:
    # All answers may be at the lower ends: then the mean is its lower bound.
    survey, rng = survey_of((NUMBER, "g", 'truth = "4/5"')), np.random.default_rng(8)
    chances = np.array([0.3, 0.45, 0.25])
    median, held, rounds = 10 + 10 * (0.5 - 0.3) / 0.45, np.zeros(4), 80
    for _ in range(rounds):
        sent = simulate(survey, rng.choice(3, (600, 1), p=chances).astype(np.int16), rng)
        middle, half = only(mean(sent, "q0")), only(quantile(sent, "q0", 0.5))
        assert middle.estimate is not None
        assert middle.estimate.interval is not None
        assert middle.bounds is not None
        assert half.estimate is not None
        assert half.estimate.interval is not None
        assert half.bounds is not None
        low, high = middle.estimate.interval
        held[0] += low <= chances @ MIDDLES <= high
        held[1] += (middle.bounds.interval[0] or 0) <= chances @ LOWS
        held[2] += half.estimate.interval[0] <= median <= half.estimate.interval[1]
        held[3] += (half.bounds.interval[0] or 0) <= 10 and (half.bounds.interval[1] or 40) >= 20
    assert (held / rounds >= 0.86).all(), held  # a right one is below once in a thousand
    assert held[0] < rounds
    assert held[2] < rounds


def test_what_is_no_number_is_refused_with_a_remedy() -> None:
    sent, _ = people(50, 9)
    with pytest.raises(QueryError, match="are not numbers"):
        mean(sent, "q0")
    with pytest.raises(QueryError, match="not between 0 and 1"):
        quantile(sent, "q1", 50)
    with pytest.raises(QueryError, match="not above 0"):
        total(sent, "q1", 0)
