"""Shares, tables and differences with sampling weights."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import sqrt

import numpy as np
import pytest

from collector.errors import QueryError
from miner.estimates.anchors import anchors
from miner.estimates.comparison import difference
from miner.estimates.crosstab import crosstab
from miner.estimates.estimate import estimate, frequencies
from miner.estimates.frequencies import likeliest_frequencies
from miner.estimates.regress import regress
from miner.estimates.rules import rules
from miner.estimates.sample import SurveySample
from miner.figures.sample import Sample
from miner.figures.sample_design import SampleDesign
from miner.figures.sampled_figure import people_line
from miner.responses.responses import Responses
from miner.simulation.simulation import simulate
from small_surveys import survey_of

REGION = 'kind = "choice"\nsensitive = false\nvalues = ["north", "south"]'
SCHOOL = 'kind = "choice"\nsensitive = false\nvalues = ["s1", "s2", "s3", "s4", "s5", "s6"]'
YES_NO = 'kind = "yes_no"'
TRUTH = 'truth = "4/5"'
WEIGHTS = {"q0": {"north": 1.25, "south": 5.0}}
WEIGHED = SampleDesign(WEIGHTS, "q0")


def people(n: int, seed: int, how: str = TRUTH) -> Responses:
    """A region, a school, and two questions that share a coin: the second is commoner in the south."""
    survey = survey_of((REGION, "", ""), (SCHOOL, "", ""), (YES_NO, "g", how), (YES_NO, "g", how))
    rng = np.random.default_rng(seed)
    region, school = rng.integers(0, 2, n), rng.integers(0, 6, n)
    first = rng.random(n) < 0.3
    second = rng.random(n) < np.where(first, 0.5, 0.2) + 0.2 * region
    return simulate(survey, np.stack([region, school, ~first, ~second], axis=1).astype(np.int16), rng)


def test_without_a_design_everything_is_as_for_a_simple_sample() -> None:
    sent = people(3000, 1)
    alone, mine = (
        estimate(sent, "q2 = yes and q3 = no"),
        estimate(Sample(sent, SampleDesign()), "q2 = yes and q3 = no"),
    )
    assert (mine.estimate, mine.standard_error) == pytest.approx((alone.estimate, alone.standard_error))
    assert mine.interval == pytest.approx(alone.interval, abs=1e-4)
    theirs = difference(sent, "q2 = yes", "q3 = yes", "q3 = no or q0 = north")
    ours = difference(Sample(sent, SampleDesign()), "q2 = yes", "q3 = yes", "q3 = no or q0 = north")
    for one, other in ((theirs.first, ours.first), (theirs.second, ours.second), (theirs.difference, ours.difference)):
        assert one is not None
        assert other is not None
        assert (other.estimate, other.standard_error) == pytest.approx((one.estimate, one.standard_error))
        assert other.interval == pytest.approx(one.interval, abs=2e-3)
    table, weighed = crosstab(sent, "q2", "q3"), crosstab(Sample(sent, SampleDesign()), "q2", "q3")
    for pair, cell in table.cells.items():
        assert weighed.cells[pair].estimate == pytest.approx(cell.estimate)
        assert weighed.cells[pair].standard_error == pytest.approx(cell.standard_error)
    assert {value: each.estimate for value, each in weighed.rows.items()} == pytest.approx(
        {value: each.estimate for value, each in table.rows.items()}
    )


def test_only_proportions_of_sampling_weights_matter() -> None:
    sent = people(500, 2)
    one = estimate(Sample(sent, SampleDesign({"q0": {"north": 1.25, "south": 5.0}}, "q0", "q1")), "q2 = yes")
    other = estimate(Sample(sent, SampleDesign({"q0": {"north": 100.0, "south": 400.0}}, "q0", "q1")), "q2 = yes")
    assert (one.estimate, one.standard_error, *(one.interval or ())) == pytest.approx(
        (other.estimate, other.standard_error, *(other.interval or ()))
    )


@pytest.mark.parametrize("how", [TRUTH, 'truth = "1/2", channel = "uniform"'])
def test_over_all_that_coins_can_do_a_share_is_that_of_the_true_answers(how: str) -> None:
    survey = survey_of((REGION, "", ""), (YES_NO, "g", how))
    answers = [(0, 0), (0, 1), (1, 0), (1, 0), (1, 1)]
    flipped = 0.2 if how == TRUTH else 0.25
    chances, found = [], []
    for flips in product((0, 1), repeat=len(answers)):
        codes = [(region, answer ^ flip) for (region, answer), flip in zip(answers, flips, strict=True)]
        chances.append(np.prod([flipped if flip else 1 - flipped for flip in flips]))
        found.append(estimate(Sample(Responses(survey, np.array(codes, np.int16)), WEIGHED), "q1 = yes").estimate)
    assert np.average(found, weights=chances) == pytest.approx((1.25 + 2 * 5) / (2 * 1.25 + 3 * 5), abs=1e-14)


def test_a_population_is_corrected_for_whether_its_size_is_a_whole_number_or_not() -> None:
    sent = people(500, 3)
    none, whole, other = (
        estimate(Sample(sent, SampleDesign(sizes=size)), "q2 = yes").standard_error for size in (None, 600, 600.0)
    )
    assert whole == other
    assert whole is not None
    assert none is not None
    assert whole < 0.9 * none


@pytest.mark.parametrize("strata", [None, "q0"])
def test_sizes_that_do_not_go_with_the_strata_are_refused_in_python_too(strata: str | None) -> None:
    with pytest.raises(QueryError, match="the strata"):
        SampleDesign(strata=strata, sizes=600 if strata else {"north": 500.0, "south": 500.0})


def test_a_crosswise_survey_with_sampling_weights() -> None:
    # Atsusaka & Stevenson (2021), the data of their package cWise, without its correction for inattention: p is .15.
    cells = {
        (0, 1): 116 + 338,  # what is sent is the other statement: "yes" here
        (0, 0): 252 + 871,
        (1, 1): 32 + 87,
        (1, 0): 59 + 245,
    }
    codes = [(region, int(match == 0)) for (region, match), count in cells.items() for _ in range(count)]
    sent = Responses(survey_of((REGION, "", ""), (YES_NO, "g", 'truth = "17/20"')), np.array(codes, np.int16))
    naive = estimate(Sample(sent, SampleDesign()), "q1 = yes")
    assert (round(naive.estimate, 4), round(naive.standard_error or 0, 4)) == (0.1950, 0.0144)
    found = estimate(Sample(sent, SampleDesign(WEIGHTS)), "q1 = yes")
    assert round(found.estimate, 4) == 0.1921
    # The package prints .0144 for it, which is the error of a simple sample with this share of matches: the sampling
    # weights do not enter. By linearisation the total of w (u - p) varies.
    matches = 0.85 - 0.7 * found.estimate
    assert round(sqrt(matches * (1 - matches) / 1999) / 0.7, 4) == 0.0144
    terms = (np.array([code for _, code in codes]) == 0).astype(float)
    terms = (terms - 0.15) / 0.7 - found.estimate
    weights = np.array([5.0 if region else 1.25 for region, _ in codes])
    by_hand = sqrt(2000 / 1999 * ((weights * terms) ** 2).sum()) / weights.sum()
    assert found.standard_error == pytest.approx(by_hand)
    assert round(by_hand, 4) == 0.0180


def test_raked_margins_are_those_of_the_population_disguised_or_not() -> None:
    margins = {"q0": {"north": 700.0, "south": 300.0}, "q2": {"yes": 400.0, "no": 600.0}}
    drawn = Sample(people(2000, 3), SampleDesign(margins=margins))
    found_shares = frequencies(drawn)
    for name, table in margins.items():
        for number, found in zip(table.values(), found_shares[name], strict=True):
            assert found is not None
            assert found.estimate == pytest.approx(number / 1000)
            assert found.standard_error == pytest.approx(0, abs=1e-9)
            assert found.interval == pytest.approx((number / 1000, number / 1000))
    free = found_shares["q3"][0]
    assert free is not None
    assert 0 < (free.standard_error or 0) < 0.03


def test_raking_by_a_disguised_question_mends_who_answers() -> None:
    # Those who say yes to q2 answer half as often, and say yes to q3 more often.
    survey = survey_of((REGION, "", ""), (YES_NO, "g", TRUTH), (YES_NO, "h", TRUTH))
    rng = np.random.default_rng(4)
    n = 100_000
    first = rng.random(n) < 0.5
    second = rng.random(n) < np.where(first, 0.6, 0.2)
    there = rng.random(n) < np.where(first, 0.5, 1)
    values = np.stack([rng.integers(0, 2, n), ~first, ~second], axis=1)[there].astype(np.int16)
    sent = simulate(survey, values, rng)
    raked = estimate(Sample(sent, SampleDesign(margins={"q1": {"yes": 50.0, "no": 50.0}})), "q2 = yes")
    assert raked.estimate == pytest.approx(0.4, abs=4 * (raked.standard_error or 0))
    assert (raked.standard_error or 1) < 0.01
    assert estimate(sent, "q2 = yes").estimate < 0.36


def test_a_rare_share_of_none_still_has_an_upper_limit() -> None:
    survey = survey_of((REGION, "", ""), (f"{YES_NO}\nsensitive = false", "", ""))
    sent = Responses(survey, np.array([[0, 1]] * 40 + [[1, 1]] * 40, np.int16))
    found = estimate(Sample(sent, WEIGHED), "q1 = yes")
    assert found.estimate == 0
    assert found.interval is not None
    assert found.interval[0] == pytest.approx(0, abs=1e-9)
    assert 0.03 < found.interval[1] < 0.1


def test_dependent_questions_are_told_from_independent_ones() -> None:
    drawn = Sample(people(3000, 5), SampleDesign(WEIGHTS, "q0", "q1"))
    dependent, apart = crosstab(drawn, "q2", "q3").independence, crosstab(drawn, "q0", "q2").independence
    assert dependent is not None
    assert apart is not None
    assert dependent.p_value < 0.01 < apart.p_value


def test_a_table_is_that_of_single_estimates() -> None:
    drawn = Sample(people(800, 6), SampleDesign(WEIGHTS, "q0", "q1"))
    table = crosstab(drawn, "q0", "q3")
    for cell, alone in (
        (table.cells["south", "yes"], estimate(drawn, "q0 = south and q3 = yes")),
        (table.columns["yes"], estimate(drawn, "q3 = yes")),
    ):
        assert (cell.estimate, cell.standard_error) == pytest.approx((alone.estimate, alone.standard_error))
        assert cell.interval == pytest.approx(alone.interval)
    assert sum(each.estimate for each in table.cells.values()) == pytest.approx(1)


def test_what_does_not_fit_is_refused_with_a_remedy() -> None:
    sent = people(200, 7)
    for design, problem in (
        (SampleDesign({"q0": {"north": 1.0}}), 'the number of "south" is missing'),
        (SampleDesign({"q0": {"nord": 1.0}}), "there is no such value"),
        (SampleDesign(strata="q2"), "that everybody answers undisguised"),
        (SampleDesign(strata="q0", sizes={"north": 500.0}), 'the number of "south" is missing'),
        (SampleDesign(strata="q0", sizes={"north": 500.0, "south": 5.0}), "more responses than its population"),
        (SampleDesign(clusters="q0", strata="q0"), "has one cluster"),
        (SampleDesign(margins={"q0": {"north": 1.0}}), 'the number of "south" is missing'),
    ):
        with pytest.raises(QueryError, match=problem):
            estimate(Sample(sent, design), "q3 = yes")


def test_more_cells_than_memory_holds_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("miner.figures.partition.MOST_NUMBERS", 16)
    with pytest.raises(QueryError, match="8 different responses"):
        crosstab(Sample(people(200, 7), WEIGHED), "q2", "q3")


def test_a_margin_of_people_of_whom_nobody_answered_is_refused() -> None:
    survey = survey_of((REGION, "", ""), (YES_NO, "g", TRUTH))
    sent = Responses(survey, np.array([[0, 0], [0, 1]] * 20, np.int16))
    with pytest.raises(QueryError, match='a value of "q0"'):
        estimate(Sample(sent, SampleDesign(margins={"q0": {"north": 1.0, "south": 1.0}})), "q1 = yes")


@pytest.mark.parametrize(
    "unweighted",
    [
        rules,
        lambda sample: anchors(sample, even=["q2"]),
        lambda sample: likeliest_frequencies(sample, ["q2"]),
        lambda sample: sample.in_memory(),
    ],
)
def test_what_would_count_people_without_their_weights_is_refused(unweighted: Callable[[Sample], object]) -> None:
    with pytest.raises(QueryError) as caught:
        unweighted(Sample(people(200, 8), WEIGHED))
    assert caught.value.place == "sample"


def test_the_former_class_warns_and_finds_the_same() -> None:
    sent = people(400, 9)
    with pytest.warns(DeprecationWarning, match=r"miner\.Sample"):
        former = SurveySample(sent, WEIGHED)
    sample = Sample(sent, WEIGHED)
    assert former.estimate("q2 = yes") == estimate(sample, "q2 = yes")
    assert former.crosstab("q2", "q3") == crosstab(sample, "q2", "q3")
    asked = "q2 = yes", "q3 = yes", "q3 = no"
    assert former.difference(*asked) == difference(sample, *asked)
    assert former.regress("q2 ~ q3").terms == regress(sample, "q2 ~ q3").terms
    shares, _ = former.frequencies()
    assert shares["q2"]["yes"] == frequencies(sample)["q2"][0]
    assert former.line == people_line(sample, 400)
