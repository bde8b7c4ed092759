"""The central epsilon of a question of two values, against enumeration of what may be sent."""

from __future__ import annotations

from itertools import product
from math import exp, log

import numpy as np
import pytest
from numpy.typing import NDArray

from collector.shuffling.binomial import chance, upper_tail
from collector.shuffling.clones import clones_epsilon
from collector.shuffling.two_values import alike_delta, alike_epsilon, two_values_epsilon

DELTA = 1e-6
KNOWN = [
    (log(4), 1_000, 0.191173),
    (log(4), 4_000, 0.087878),
    (log(4), 10_000, 0.053095),
    (log(4), 100_000, 0.015105),
    (log(2), 1_000, 0.082278),
    (log(2), 10_000, 0.023353),
    (log(9), 1_000, 0.377205),
    (4.0, 100_000, 0.084714),
]
Counts = NDArray[np.float64]


def truth_of(local: float) -> float:
    return exp(local) / (1 + exp(local))


def counts(ones: int, zeros: int, truth: float) -> Counts:
    found = np.ones(1)
    for share in (truth,) * ones + (1 - truth,) * zeros:
        found = np.convolve(found, [1 - share, share])
    return found


def largest_difference(one: Counts, other: Counts, epsilon: float) -> float:
    return max(np.maximum(a - exp(epsilon) * b, 0).sum() for a, b in ((one, other), (other, one)))


def worst_delta(respondents: int, truth: float, epsilon: float) -> float:
    """Over how many of the others have the answer 1."""
    every = [(k, respondents - 1 - k) for k in range(respondents)]
    return max(largest_difference(counts(k + 1, m, truth), counts(k, m + 1, truth), epsilon) for k, m in every)


@pytest.mark.parametrize(("local", "respondents", "known"), KNOWN)
def test_known_figures_where_all_others_answer_alike(local: float, respondents: int, known: float) -> None:
    truth = truth_of(local)
    assert alike_epsilon(respondents, truth, DELTA) == pytest.approx(known, abs=5.1e-7)
    assert (
        known - 5.1e-7
        <= two_values_epsilon(respondents, truth, DELTA)
        <= known * (1.0021 if respondents < 100_000 else 1.0051)
    )


def test_one_respondent_has_the_local_epsilon_and_so_has_delta_zero() -> None:
    assert two_values_epsilon(1, 0.8, DELTA) == two_values_epsilon(50, 0.8, 0.0) == pytest.approx(log(4), rel=1e-15)


def test_truth_and_lie_are_alike() -> None:
    for respondents in (7, 300):
        assert two_values_epsilon(respondents, 0.8, 1e-4) == pytest.approx(
            two_values_epsilon(respondents, 0.2, 1e-4), rel=1e-12
        )


@pytest.mark.parametrize("truth", [0.51, 2 / 3, 0.8, 0.95, 0.99])
@pytest.mark.parametrize("respondents", [2, 3, 8, 30])
def test_no_number_of_other_answers_passes_the_epsilon_and_one_reaches_it(respondents: int, truth: float) -> None:
    for delta in (1e-8, 1e-4, 1e-2, 0.2):
        epsilon = two_values_epsilon(respondents, truth, delta)
        worst = worst_delta(respondents, truth, epsilon)
        assert worst <= delta * (1 + 1e-6)
        if 1e-6 < epsilon < log(truth / (1 - truth)) * (1 - 1e-6):
            assert worst >= delta * (1 - 1e-6)


def test_others_who_answer_alike_are_not_always_the_worst_case() -> None:
    """Counts are whole numbers: two who answer 1 may move them to a worse place. So all numbers are tried."""
    alike, every = alike_epsilon(40, 0.55, DELTA), two_values_epsilon(40, 0.55, DELTA)
    assert every > alike * 1.001
    assert worst_delta(40, 0.55, alike) > DELTA
    assert worst_delta(40, 0.55, every) <= DELTA * (1 + 1e-6)


@pytest.mark.parametrize("respondents", [200])
@pytest.mark.parametrize("truth", [0.55, 0.8])
def test_the_bound_of_many_respondents_holds_for_every_number_of_other_answers(respondents: int, truth: float) -> None:
    assert worst_delta(respondents, truth, two_values_epsilon(respondents, truth, DELTA)) <= DELTA


@pytest.mark.parametrize("respondents", [2, 5, 12])
def test_no_set_of_orderless_responses_out_of_all_of_them_passes_it(respondents: int) -> None:
    """All 2^n responses are listed, and those that differ in order alone are put together."""
    truth, delta = 0.8, 1e-3
    epsilon = two_values_epsilon(respondents, truth, delta)
    for ones in (0, respondents // 2, respondents - 1):
        sums = []
        for own in (1, 0):
            answers = [own] + [1] * ones + [0] * (respondents - 1 - ones)
            found = np.zeros(respondents + 1)
            for sent in product((0, 1), repeat=respondents):
                right = sum(each == answer for each, answer in zip(sent, answers, strict=True))
                found[sum(sent)] += truth**right * (1 - truth) ** (respondents - right)
            sums.append(found)
        assert largest_difference(sums[0], sums[1], epsilon) <= delta * (1 + 1e-6)


@pytest.mark.parametrize("respondents", [10, 100, 1_000, 50_000])
@pytest.mark.parametrize("local", [0.2, 1.0, 2.0, 4.0])
def test_it_is_below_the_bound_of_clones_and_falls_with_respondents(respondents: int, local: float) -> None:
    truth = truth_of(local)
    epsilon = two_values_epsilon(respondents, truth, DELTA)
    assert epsilon <= clones_epsilon(respondents, exp(local), DELTA) <= local * (1 + 1e-12)
    assert two_values_epsilon(2 * respondents, truth, DELTA) <= epsilon * 1.0051  # it is rounded up by so much


@pytest.mark.parametrize(("respondents", "truth", "delta"), [(129, 0.97, 0.195), (200, 0.9, 0.0752)])
def test_an_answer_hidden_without_any_epsilon_where_all_are_alike_is_looked_at_for_all_others_too(
    respondents: int, truth: float, delta: float
) -> None:
    assert alike_epsilon(respondents, truth, delta) == 0
    assert worst_delta(respondents, truth, 0.0) > delta
    epsilon = two_values_epsilon(respondents, truth, delta)
    assert worst_delta(respondents, truth, epsilon) <= delta * (1 + 1e-6)


def test_delta_of_an_epsilon_and_epsilon_of_a_delta_are_inverse() -> None:
    epsilon = alike_epsilon(1_000, 0.8, DELTA)
    assert alike_delta(1_000, 0.8, epsilon) == pytest.approx(DELTA, rel=1e-6)
    assert alike_delta(1_000, 0.8, log(4)) < 1e-12


def test_chances_of_ten_million_trials_keep_their_digits() -> None:
    """Ratios of neighbours are simple fractions, and all chances add up to 1."""
    trials, success = 10_000_000, 0.2
    for count in (1_990_000, 2_000_000, 2_004_000):
        ratio = (trials - count) / (count + 1) * success / (1 - success)
        assert chance(trials, success, count + 1) / chance(trials, success, count) == pytest.approx(ratio, rel=1e-10)
    middle = sum(chance(100_000, success, each) for each in range(18_500, 21_500))
    assert middle == pytest.approx(1, abs=1e-11)
    assert upper_tail(50, 0.3, 20) == pytest.approx(sum(chance(50, 0.3, each) for each in range(20, 51)), rel=1e-13)
    assert upper_tail(50, 0.3, 3) == pytest.approx(sum(chance(50, 0.3, each) for each in range(3, 51)), rel=1e-13)
