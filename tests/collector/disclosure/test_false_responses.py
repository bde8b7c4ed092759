"""How far false responses can move estimates: exact before a survey, a bound that is reached after it."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from collector.cli import main
from collector.disclosure.false_responses import checked_false, planned_shift, planned_shifts, rounded_up, weight_range
from collector.errors import QueryError
from collector.survey.survey import Survey
from collector.survey_file.survey_file import read_survey_file
from command_schema import validator
from miner.estimates.comparison import difference
from miner.estimates.estimate import estimate, frequencies
from miner.reporting.figure import false_line, false_within
from miner.reporting.shares import among_asked
from miner.responses.condition import event_of
from miner.responses.responses import Responses
from miner.simulation.simulation import simulate
from miner.weights.weights import ProductWeights
from miner_command import printed, refused, run
from routed_surveys import routed_people, routed_survey
from said import figures
from small_surveys import mixed_survey, survey_of
from split_surveys import split_survey

YES_NO = 'kind = "yes_no"\nprior = { yes = 0.3, no = 0.7 }'
CONDITION = "q0 = yes and q1 = yes and q2 = yes and q3 = yes"


def four_survey() -> Survey:
    return survey_of(*((YES_NO, f"g{number}", 'truth = "4/5"') for number in range(4)))


def honest_responses(survey: Survey, people: int, seed: int) -> Responses:
    rng = np.random.default_rng(seed)
    truths = np.stack([rng.choice(2, people, p=[float(each) for each in q.prior]) for q in survey.questions], axis=1)
    return simulate(survey, truths.astype(np.int16), rng)


@pytest.mark.parametrize(
    "survey",
    [mixed_survey(), split_survey(), split_survey(ask=5), routed_survey()],
    ids=["mixed", "3", "5", "routed"],
)
def test_the_range_in_fractions_is_that_of_the_weights_for_every_pair_of_answers(survey: Survey) -> None:
    responses = Responses(survey, np.array([[question.codes[0] for question in survey.questions]], np.int16))
    weights = ProductWeights(responses)
    for one, other in combinations(survey.questions, 2):
        for pair in product(range(len(one.values)), range(len(other.values))):
            wanted = dict(zip((one.name, other.name), pair, strict=True))
            event = event_of(survey, {name: frozenset({value}) for name, value in wanted.items()})
            assert tuple(map(float, weight_range(survey, wanted))) == pytest.approx(weights.range(event))


def test_false_responses_move_the_estimate_as_far_as_is_said_and_no_further() -> None:
    """Every set of codes that 210 false respondents may agree on is tried: the furthest reach both bounds exactly."""
    survey = four_survey()
    honest = honest_responses(survey, 4000, seed=1)
    share, moved = estimate(honest, CONDITION).estimate, []
    for codes in product(*(question.codes for question in survey.questions)):
        false = np.tile(np.array(codes, np.int16), (210, 1))
        found = estimate(Responses(survey, np.concatenate([honest.codes, false])), CONDITION)
        shift = found.shift(210)
        assert shift is not None
        moved.append((found.estimate - share, shift))
        assert -shift.too_low - 1e-12 <= found.estimate - share <= shift.too_high + 1e-12
    assert any(distance == pytest.approx(shift.too_high) for distance, shift in moved)
    assert any(-distance == pytest.approx(shift.too_low) for distance, shift in moved)


@pytest.mark.parametrize("channel", ["complement", "uniform"])
def test_the_printed_bounds_hold_for_shares_of_all_and_among_those_asked_whatever_is_sent(channel: str) -> None:
    """Every set of codes for the questions that 6 of 600 may agree on is tried; the furthest reach the bounds."""
    survey, rng = routed_survey(channel), np.random.default_rng(8)
    honest = simulate(survey, routed_people(594, rng), rng)
    open_columns = [survey.questions[0].codes, survey.questions[1].codes]
    others, largest, moved = frequencies(honest)["often"] + among_asked(honest)["often"], [0.0] * 7, [0.0] * 7
    for codes in product(*open_columns):
        false = np.tile(np.array([*codes, *honest.codes[0, 2:]], np.int16), (6, 1))
        both = Responses(survey, np.concatenate([honest.codes, false]))
        everybody, asked = frequencies(both)["often"], among_asked(both)["often"]
        printed_lines = false_line(everybody, 600), false_within(asked, 600)
        limits = [float(re.search(r"at most ([0-9.]+[0-9]) percentage points", line)[1]) for line in printed_lines]  # type: ignore[index]
        for place, (before, after) in enumerate(zip(others, everybody + asked, strict=True)):
            assert before is not None
            assert after is not None
            shift, distance = after.shift(6), after.estimate - before.estimate
            assert shift is not None
            assert -shift.too_low - 1e-12 <= distance <= shift.too_high + 1e-12
            assert 100 * abs(distance) <= limits[place >= len(everybody)]
            largest[place] = max(largest[place], abs(distance) / shift.largest)
            moved[place] = max(moved[place], abs(distance))
    assert min(largest[4:]) == pytest.approx(1), "the bound of each share among those asked is reached"
    assert max(moved[4:]) > 2 * max(moved[:4]), "it does not hold what holds of shares of all"
    assert "among those asked" in false_line([*everybody, *asked], 600)
    assert false_within([None, None], 600) == ""


def test_a_printed_bound_is_rounded_up_so_that_it_holds() -> None:
    bounds = (0.0, 0.01301, 0.0134, 0.3, 0.1 + 0.2)
    assert [rounded_up(each, 3) for each in bounds] == ["0.000", "0.014", "0.014", "0.300", "0.300"]


def test_false_responses_may_make_a_share_among_few_anything() -> None:
    survey, rng = routed_survey(), np.random.default_rng(9)
    responses = simulate(survey, routed_people(40, rng), rng)
    (share, *_) = among_asked(responses)["often"]
    assert share is not None
    assert share.shift(39) is share.shift(40) is None
    known = replace(share, interval=(0.0, 1.0))
    assert figures(false_within([known], 4000)) == [40]
    assert "any amount" in false_within([known], 4000)
    assert false_within([known], 100).startswith("1 false response ")
    assert false_within([replace(share, interval=None)], 4000) == "", "its figure is not shown either"


def test_crafted_responses_move_a_share_of_four_answers_three_times_as_far_as_open_lies() -> None:
    """The figures of docs/attacks.md: 210 beside 4,000, in twenty surveys."""
    survey, means = four_survey(), np.zeros(3)
    yes = survey.questions[0].values.index("yes")
    code = survey.questions[0].coding.codes_of(yes)[0]
    for seed in range(20):
        honest = honest_responses(survey, 4000, seed)
        lies = simulate(survey, np.full((210, 4), yes, np.int16), np.random.default_rng(seed)).codes
        crafted = np.full((210, 4), code, np.int16)
        together = [np.concatenate([honest.codes, more]) for more in (honest.codes[:0], lies, crafted)]
        means += [estimate(Responses(survey, codes), CONDITION).estimate / 20 for codes in together]
    assert means == pytest.approx([0.008, 0.057, 0.165], abs=0.004)
    (*_, planned) = planned_shifts(survey, 210, 4210)
    assert figures(planned.line)[:2] == [210, 4210]
    assert figures(planned.line)[-2:] == [0.1573, 0.0399]
    assert "q0 = yes and q1 = yes and q2 = yes and q3 = yes" in planned.line
    assert means[2] - means[0] == pytest.approx(planned.shift.too_high, abs=0.002)


def test_what_is_planned_follows_from_the_prior_and_the_number_of_false_responses() -> None:
    survey = four_survey()
    one = planned_shift(survey, {"q0": survey.questions[0].values.index("yes")}, 1, 100)
    high, low = Fraction(4, 3), Fraction(-1, 3)
    assert one == pytest.approx((float((high - Fraction(3, 10)) / 100), float((Fraction(3, 10) - low) / 100)))
    assert [len(each.answers) for each in planned_shifts(survey, 1, 100)] == [1, 2, 4]
    assert planned_shifts(survey_of((f"{YES_NO}\nsensitive = false", "", "")), 1, 100) == []


def test_so_many_false_responses_leave_others() -> None:
    assert [checked_false(None, people) for people in (0, 5, 100, 999)] == [1, 1, 1, 9]
    assert checked_false(0, 1) == 0
    with pytest.raises(QueryError, match="all of 5 responses"):
        checked_false(5, 5)


def test_check_and_plan_print_the_shifts_before_anybody_is_asked(root: Path) -> None:
    path = root / "examples" / "wellbeing.toml"
    expected = planned_shifts(read_survey_file(path), 10, 200)
    for lines in (
        CliRunner().invoke(main, ["check", str(path), "--respondents", "200", "--false", "10"]).stdout.splitlines(),
        run("plan", path, "--respondents", 200, "--false", 10, "--rehearsals", 0).stdout.splitlines(),
    ):
        assert {each.line for each in expected} <= set(lines)
    found = printed("plan", path, "--respondents", 200, "--rehearsals", 0)
    validator("miner plan").validate(found)
    assert found["false"] == [each.as_json for each in planned_shifts(read_survey_file(path), 2, 200)]
    assert "all of 5 responses" in refused("plan", path, "--respondents", 5, "--false", 5)


def test_five_in_a_hundred_crafted_responses_make_a_difference_where_there_is_none() -> None:
    """The figures of docs/attacks.md: shares of q0 among those with and without q1, independent, in twenty surveys."""
    survey, means = four_survey(), np.zeros(4)
    code = survey.questions[0].coding.codes_of(survey.questions[0].values.index("yes"))[0]
    for seed in range(20):
        honest = honest_responses(survey, 4000, seed)
        both = Responses(survey, np.concatenate([honest.codes, np.full((210, 4), code, np.int16)]))
        for place, responses in enumerate((honest, both)):
            compared = difference(responses, "q0 = yes", "q1 = yes", "q1 = no").difference
            assert compared is not None
            means[[place, 2 + place]] += estimate(responses, "q0 = yes").estimate / 20, compared.estimate / 20
    assert means == pytest.approx([0.30, 0.35, 0.0, 0.2], abs=0.03)
