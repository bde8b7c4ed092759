"""Codes of thresholds tell sides and nothing else: unbiased, as noisy as the statement says, refused where none are."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from operator import mul

import pytest

from channels import uniform
from collector.allocation.best_coding import best_coding
from collector.channel.coin import sharp
from collector.channel.rounding import truth_below
from collector.channel.value_channel import value_transition
from collector.coding.coding import Coding, block_coding
from collector.coding.threshold_coding import THRESHOLDS, threshold_reading
from collector.disclosure.precision import term_variance
from collector.errors import SurveyError
from collector.survey.question import Question
from collector.survey.text import Text
from exact_tables import value_weights

SIZES = (3, 4, 5, 9)
TRUTH = Fraction(2, 7)


def thresholds(values: int) -> Coding:
    return block_coding(THRESHOLDS, values)


@pytest.mark.parametrize("values", SIZES)
def test_a_code_stands_for_all_values_on_one_side_of_a_threshold(values: int) -> None:
    coding = thresholds(values)
    sides = [(range(each), range(each, values)) for each in range(1, values)]
    assert [coding.values_of(code) for code in coding.codes] == [tuple(side) for both in sides for side in both]


@pytest.mark.parametrize("values", SIZES)
def test_every_threshold_is_as_likely_and_answered_by_binary_randomized_response(values: int) -> None:
    sent = value_transition(thresholds(values), uniform(TRUTH))
    for threshold, value in product(range(values - 1), range(values)):
        below, above = sent[2 * threshold][value], sent[2 * threshold + 1][value]
        assert below + above == Fraction(1, values - 1)
        assert (above if value > threshold else below) == (1 + TRUTH) / 2 / (values - 1)


@pytest.mark.parametrize("values", SIZES)
def test_its_ratio_is_that_of_two_values_however_many_there_are(values: int) -> None:
    assert uniform(TRUTH).ratio([thresholds(values)]) == (1 + TRUTH) / (1 - TRUTH)


@pytest.mark.parametrize("values", SIZES)
def test_the_share_up_to_a_threshold_varies_as_the_statement_says(values: int) -> None:
    coding, channel = thresholds(values), uniform(TRUTH)
    sent, weights = value_transition(coding, channel), value_weights(coding, channel)
    prior = [Fraction(2 * value + 1, values**2) for value in range(values)]
    for threshold in range(values - 1):
        share = sum(prior[: threshold + 1])
        chances = {code: sum(map(mul, prior, sent[code])) for code in coding.codes}
        square = sum(chances[code] * sum(weights[code][: threshold + 1]) ** 2 for code in coding.codes)
        assert square - share**2 == (values - 1) / (4 * TRUTH**2) - (share - Fraction(1, 2)) ** 2


@pytest.mark.parametrize("values", SIZES)
def test_no_other_unbiased_reading_has_a_smaller_mean_square(values: int) -> None:
    # unbiased readings differ by what has mean 0 whatever the truth: then the best is orthogonal to all of these
    codes = range(2 * (values - 1))
    for number in range(values):
        own = [threshold_reading(values)[code][number] for code in codes]
        for first, second in product(range(values - 1), repeat=2):
            nothing = [(code // 2 == first) - (code // 2 == second) for code in codes]
            assert sum(one * other for one, other in zip(own, nothing, strict=True)) == 0


def test_single_shares_vary_more_than_in_the_coding_that_is_best_for_them() -> None:
    even, epsilon, moments = (Fraction(1, 5),) * 5, Fraction(1), []
    for coding in (thresholds(5), best_coding(even, epsilon)):
        scale = Question("a", Text.of(en="A"), "scale", tuple("vwxyz"), even, coding, sensitive=True)
        channel = uniform(truth_below(epsilon, sharp(coding)))
        moments.append(sum(term_variance(scale, channel, value) for value in range(5)))
    assert [float(each) for each in moments] == pytest.approx([37.17, 12.23], abs=0.01)


@pytest.mark.parametrize(
    ("draws", "codes"),
    [
        ((((0, 1), (2, 1)), ((1, 1), (2, 1)), ((1, 1), (2, 1))), range(4)),
        ((((1, 1), (2, 1)), ((0, 1), (2, 1)), ((1, 1), (3, 1))), range(4)),
        ((((0, 1), (2, 1)), ((1, 1), (2, 1)), ((1, 1), (3, 1))), range(5)),
        ((((0, 1),), ((1, 1),)), range(2)),
    ],
    ids=["two values alike", "another order", "a code too many", "two values"],
)
def test_other_codes_are_not_taken_for_thresholds(draws: tuple[tuple[tuple[int, int], ...], ...], codes: range) -> None:
    with pytest.raises(SurveyError, match="not those of its scheme"):
        Coding(THRESHOLDS, tuple(codes), None, draws)


def test_a_scale_of_two_values_has_none() -> None:
    with pytest.raises(SurveyError, match=r"^coding: a scale of two values "):
        thresholds(2)
