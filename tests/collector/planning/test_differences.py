"""Whether to disguise, and how small a difference is found: closed forms, and what each setting does."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import inf, sqrt
from pathlib import Path

import pytest

from collector.disclosure.precision import is_filtered, reported_variance
from collector.errors import QueryError, SurveyError
from collector.planning.differences import (
    DifferencePlan,
    DifferenceSettings,
    _curves,
    _variances,
    difference_plans,
)
from collector.survey_file.survey_file import parse_survey, read_survey_file
from random_designs import any_design
from soak import part_of

ROOT = Path(__file__).resolve().parents[3]
YES_NO = """
name = "s"
title = "S"
languages = ["en"]
[[questions]]
name = "a"
label = "A?"
kind = "yes_no"
prior = {{ yes = {share}, no = {rest} }}
group = "g"
[groups]
g = {{ truth = "4/5", channel = "{channel}" }}
"""
NORMAL = 1.959963984540054 + 0.8416212335729143
"""Quantiles of the normal distribution for a two-sided level of 5 % and a power of 80 %."""


def planned(
    respondents: int, settings: DifferenceSettings, share: float = 0.1, channel: str = "complement"
) -> DifferencePlan:
    """The plan of one yes-or-no question at truth 4/5."""
    text = YES_NO.format(share=share, rest=round(1 - share, 3), channel=channel)
    return next(difference_plans(parse_survey(text), respondents, settings))


USUAL = DifferenceSettings()


@pytest.mark.parametrize(
    ("channel", "right", "points"),
    [("complement", 0.8, (3.8, 2.1, 1.2, 0.7)), ("uniform", 0.9, (2.2, 1.2, 0.7, 0.4))],
)
def test_the_break_even_bias_of_two_values_is_its_closed_form(
    channel: str, right: float, points: tuple[float, ...]
) -> None:
    for respondents, rounded in zip((300, 1_000, 3_000, 10_000), points, strict=True):
        for share in (0.1, 0.4):
            found = planned(respondents, USUAL, share, channel)
            assert found.bias == pytest.approx(sqrt(right * (1 - right) / respondents) / (2 * right - 1), rel=1e-12)
            assert 100 * found.bias == pytest.approx(rounded, abs=0.051)


def test_the_smallest_difference_of_two_halves_has_the_variance_of_each_at_its_share() -> None:
    found = planned(1_000, USUAL)
    assert found.upward
    for detectable, added, points in ((found.openly, 0.0, 5.9), (found.disguised, 0.16 / 0.36, 13.5)):
        difference = detectable.groups
        assert difference is not None
        other = 0.1 + difference
        error = sqrt((0.1 * 0.9 + other * (1 - other) + 2 * added) / 500)
        assert difference == pytest.approx(NORMAL * error, rel=1e-9)
        assert round(100 * difference, 1) == points


def test_waves_have_twice_the_respondents_of_halves_and_so_many_are_needed_for_a_difference() -> None:
    assert planned(1_000, USUAL).disguised.waves == planned(2_000, USUAL).disguised.groups
    difference = planned(1_000, USUAL).disguised.groups
    assert difference is not None
    needed = planned(50, DifferenceSettings(wanted=difference + 1e-9)).disguised.respondents
    assert needed == 1_000


def test_differences_are_downward_from_a_share_above_one_half_and_the_same_in_size() -> None:
    low, high = planned(1_000, USUAL, 0.1), planned(1_000, USUAL, 0.9)
    assert [each.upward for each in (low, high)] == [each.share <= 0.5 for each in (low, high)]
    assert low.disguised.groups == pytest.approx(high.disguised.groups, rel=1e-9)


def test_no_difference_is_named_that_the_share_leaves_no_room_for() -> None:
    found = planned(10, DifferenceSettings(wanted=0.95))
    assert (found.disguised.groups, found.disguised.respondents, found.openly.respondents) == (None, None, None)


def test_clusters_inflate_what_is_sampled_and_not_the_coins_and_weights_inflate_both() -> None:
    plain, clusters, weights = (
        planned(1_000, each) for each in (USUAL, DifferenceSettings(clusters=2), DifferenceSettings(weights=2))
    )
    assert clusters.bias == plain.bias
    assert weights.bias == pytest.approx(plain.bias * sqrt(2), rel=1e-12)
    assert weights.disguised.groups == planned(500, USUAL).disguised.groups
    assert clusters.openly.groups == planned(500, USUAL).openly.groups
    difference = clusters.disguised.groups
    assert difference is not None
    other = 0.1 + difference
    variance = 2 * (0.1 * 0.9 + other * (1 - other)) + 2 * 0.16 / 0.36
    assert difference == pytest.approx(NORMAL * sqrt(variance / 500), rel=1e-9)


@pytest.mark.parametrize("name", ["wellbeing", "wellbeing_split", "audit_c", "who5", "staff_climate"])
def test_the_variance_is_quadratic_in_the_share_under_every_design(name: str) -> None:
    survey = read_survey_file(ROOT / "examples" / f"{name}.toml")
    for question in survey.questions:
        for value in (0, 1):
            asked = 1 if survey.sampling or not is_filtered(question) else 1 - question.prior[-1]
            share, curves = question.prior[value] / asked, _curves(survey, question, value)
            assert sum(each.level for each in curves) == pytest.approx(
                float(reported_variance(survey, question, value)), rel=1e-12
            )
            for elsewhere in (Fraction(1, 7), Fraction(4, 5)):
                there, *exact = _variances(survey, question, value, elsewhere)
                moved = float(there - share) * (1 if share <= 1 / 2 else -1)
                told = [each.level + each.slope * moved + each.bend * moved**2 for each in curves]
                assert told == pytest.approx([float(each) for each in exact], rel=1e-7, abs=1e-12)


def test_an_undisguised_question_needs_no_bias_and_loses_nothing() -> None:
    survey = read_survey_file(ROOT / "examples" / "wellbeing.toml")
    year, *disguised = difference_plans(survey, 1_000, DifferenceSettings(wanted=0.1))
    assert (year.bias, year.disguised) == (0, year.openly)
    for each in disguised:
        assert each.bias > 0
        assert each.disguised.respondents is not None
        assert each.openly.respondents is not None
        assert each.disguised.respondents > each.openly.respondents


WRONG = ({"level": 0.0}, {"power": 1.0}, {"power": 0.05}, {"clusters": 0.9}, {"weights": float("nan")}, {"wanted": 0.0})


@pytest.mark.parametrize("wrong", WRONG)
def test_settings_out_of_range_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(QueryError):
        replace(USUAL, **wrong)


def test_figures_of_random_designs_are_finite_or_none_and_grow_with_what_is_sampled() -> None:
    planned_designs = 0
    for number in range(part_of(400)):
        try:
            survey = parse_survey(any_design(number))
        except SurveyError:
            continue
        planned_designs += 1
        pairs = zip(
            difference_plans(survey, 500, DifferenceSettings(wanted=0.2)),
            difference_plans(survey, 500, DifferenceSettings(weights=2, wanted=0.2)),
            strict=True,
        )
        for one, other in pairs:
            for few, many in ((one.disguised, other.disguised), (one.openly, other.openly)):
                figures = [vars(few).values(), vars(many).values()]
                for least, more in zip(*figures, strict=True):
                    assert least is None or more is None or 0 < least <= more < inf
            assert one.openly.coefficient is not None
            assert one.disguised.coefficient is None or one.openly.coefficient <= one.disguised.coefficient + 1e-9
    assert planned_designs >= part_of(300)
