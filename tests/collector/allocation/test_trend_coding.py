"""What a response tells of a trend is counted exactly, and thresholds are taken where they tell more."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from channels import uniform
from collector.allocation.best_coding import best_coding
from collector.allocation.trend_coding import threshold_information, trend_coding, uniform_information
from collector.channel.coin import sharp
from collector.channel.rounding import truth_below
from collector.channel.value_channel import value_transition
from collector.coding.coding import Coding, block_coding, plain_coding
from collector.coding.threshold_coding import THRESHOLDS
from collector.disclosure.precision import term_variance
from collector.survey.question import Question
from collector.survey.text import Text
from collector.survey_file.survey_file import parse_survey
from miner.effects.terms import root_covariance

TRUTH = Fraction(3, 8)


def even(values: int) -> tuple[Fraction, ...]:
    return (Fraction(1, values),) * values


def scale(values: int, coding: Coding) -> Question:
    words = tuple(f"v{each}" for each in range(values))
    return Question("q", Text.of(en="Q"), "scale", words, even(values), coding, sensitive=True)


def told_of_a_random_trend(coding: Coding) -> float:
    """Its share of variance between codes: from the covariance of effects itself, and what is sent for each value."""
    values = len(coding.draws)
    covariance = root_covariance(scale(values, coding)) @ root_covariance(scale(values, coding))
    sent = value_transition(coding, uniform(TRUTH))
    joint = np.array([[float(chance) / values for chance in sent[code]] for code in coding.codes])
    codes = joint.sum(axis=1)
    given = joint / codes[:, np.newaxis] - 1 / values
    one = np.eye(values) - 1 / values
    return float(codes @ ((given @ covariance) * given).sum(axis=1) / ((one @ covariance) * one).sum() * values)


@pytest.mark.parametrize("values", [3, 4, 5, 8, 16])
def test_what_thresholds_tell_is_the_share_of_a_random_trend_between_codes(values: int) -> None:
    assert float(threshold_information(values, TRUTH)) == pytest.approx(
        told_of_a_random_trend(block_coding(THRESHOLDS, values)), rel=1e-12
    )


@pytest.mark.parametrize(
    "coding",
    [plain_coding(5), block_coding("subsets", 6, 3), block_coding("projective", 7, 2)],
    ids=lambda c: c.written,
)
def test_so_it_is_where_all_values_are_treated_alike(coding: Coding) -> None:
    assert float(uniform_information(coding, TRUTH)) == pytest.approx(told_of_a_random_trend(coding), rel=1e-12)


@pytest.mark.parametrize("values", [3, 5, 16])
def test_randomized_response_tells_the_square_of_its_truth(values: int) -> None:
    assert uniform_information(plain_coding(values), TRUTH) == TRUTH**2


def test_the_truth_tells_all() -> None:
    assert uniform_information(plain_coding(5), Fraction(1)) == 1


@pytest.mark.parametrize(
    ("values", "epsilon", "written"),
    [
        (2, "1/2", "plain"),
        (3, "1/2", "thresholds"),
        (3, "1", "plain"),
        (5, "1", "thresholds"),
        (5, "2", "plain"),
        (16, "1", "thresholds"),
        (16, "2", "thresholds"),
        (16, "4", "plain"),
    ],
)
def test_thresholds_are_taken_where_they_tell_a_tenth_more(values: int, epsilon: str, written: str) -> None:
    assert trend_coding(even(values), Fraction(epsilon)).written == written


@pytest.mark.parametrize("epsilon", ["1/2", "1", "2", "3"])
def test_where_they_do_not_it_is_the_coding_that_is_best_for_shares(epsilon: str) -> None:
    for values in range(2, 12):
        found = trend_coding(even(values), Fraction(epsilon))
        assert found == best_coding(even(values), Fraction(epsilon)) or found.scheme == THRESHOLDS


def test_the_table_of_the_guarantee_is_what_the_measure_says() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "guarantee.md").read_text(encoding="utf-8")
    table = page.split("| thresholds tell |")[1].split("\n\n")[0]
    rows = re.findall(r"^\| (\d+) \| (\S+) \| (\S+) \| (\S+) \| (\S+) \| (\S+) \| (\S+) \|$", table, re.MULTILINE)
    assert len(rows) == 12
    for values, epsilon, written, *figures in rows:
        size, strength = int(values), Fraction(epsilon)
        codings = best_coding(even(size), strength), block_coding(THRESHOLDS, size)
        truths = [truth_below(strength, sharp(each)) for each in codings]
        told = float(uniform_information(codings[0], truths[0])), float(threshold_information(size, truths[1]))
        usual, noisy = (shares_variance(coding, truth) for coding, truth in zip(codings, truths, strict=True))
        assert codings[0].written == written
        assert figures == [f"{told[0]:.3f}", f"{told[1]:.3f}", f"{told[1] / told[0]:.2f}", f"{noisy / usual:.1f}"]


def shares_variance(coding: Coding, truth: Fraction) -> float:
    asked = scale(len(coding.draws), coding)
    return float(sum(term_variance(asked, uniform(truth), value) for value in range(len(coding.draws))))


@pytest.mark.parametrize(
    ("kind", "epsilon", "written"),
    [
        ('"scale"\nvalues = ["1", "2", "3", "4", "5"]', "1", "thresholds"),
        ('"scale"\nvalues = ["1", "2", "3", "4", "5"]', "3", "plain"),
        ('"number"\ncuts = [1, 2, 3, 4, 5, 6]', "1/2", "thresholds"),
    ],
)
def test_a_survey_file_asks_for_it(kind: str, epsilon: str, written: str) -> None:
    survey = parse_survey(
        f'name = "s"\ntitle = "S"\nlanguages = ["en"]\n[[questions]]\nname = "a"\nlabel = "A"\nkind = {kind}\n'
        f'group = "g"\ncoding = "trend"\n[groups]\ng = {{ epsilon = "{epsilon}" }}\n'
    )
    asked = survey.questions[0]
    assert asked.coding.written == written
    assert survey.groups[0].channel.epsilon([asked.coding]) <= float(Fraction(epsilon))
