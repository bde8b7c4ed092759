"""Estimates of conditions in which ``or`` and ``not`` join questions: sums over disjoint events, per response."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from asked_of_unasked import DESIGNS, people, sent
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from miner.estimates.comparison import between, difference
from miner.estimates.estimate import estimate
from miner.estimates.hybrid import hybrid_estimate
from miner.figures.estimate import Estimate
from miner.responses.condition import boxes_of, events_of
from miner.responses.plain_rows import PlainRows
from miner.responses.responses import Responses
from miner.simulation.simulation import simulate
from miner.weights.weights import ProductWeights
from small_surveys import MIXED, mixed_survey
from soak import likely, part_of

EITHER = "distress = yes or debt in (some, deep) and not sold = yes"
NEITHER = "distress = no and (debt = no or sold = yes)"
POPULATION, REPEATS = 400, part_of(300)


def drawn(survey: Survey, count: int, rng: np.random.Generator) -> np.ndarray:
    """Answers that go together: who is in distress has debts more often."""
    values = np.stack([rng.integers(0, len(each.values), count) for each in survey.questions], axis=1)
    distress, debt = survey.column("distress"), survey.column("debt")
    values[values[:, distress] == 0, debt] = np.maximum(values[values[:, distress] == 0, debt], 1)
    return values.astype(np.int16)


def held(survey: Survey, values: np.ndarray, text: str) -> np.ndarray:
    """Whether a condition holds for each row of value indices."""
    boxes = boxes_of(survey, text)
    inside = [[np.isin(values[:, survey.column(name)], list(some)) for name, some in box.items()] for box in boxes]
    return np.any([np.all(each, axis=0) for each in inside], axis=0)


def plain_survey() -> Survey:
    text = MIXED.split("[groups]")[0]
    for group in ("substances", "money", "health"):
        text = text.replace(f'group = "{group}"', "sensitive = false")
    return parse_survey(text)


@pytest.mark.parametrize("name", DESIGNS)
def test_the_mean_weight_over_every_response_is_whether_the_truth_meets_the_condition(name: str) -> None:
    survey = DESIGNS[name]
    one, other, last = (survey.questions[place] for place in (0, 1, -1))
    texts = [
        f"{one.name} = {one.values[0]} or {other.name} = {other.values[0]}",
        f"not ({one.name} = {one.values[-1]} and {last.name} != {last.values[0]})",
        f"{one.name} = {one.values[0]} and {last.name} = {last.values[0]} or {other.name} = {other.values[-1]}",
    ]
    for row, text in product(people(survey), texts):
        found = sent(survey, row)
        weights = ProductWeights(Responses(survey, np.array(list(found), np.int16)))
        values = np.array([[each.value_index(value) for each, value in zip(survey.questions, row, strict=True)]])
        mean = np.array([float(chance) for chance in found.values()]) @ weights.of(
            events_of(survey, boxes_of(survey, text))
        )
        assert mean == pytest.approx(float(held(survey, values, text)[0]), abs=1e-9)


def same(one: Estimate, other: Estimate) -> None:
    """An estimate is one less another, with the same error, interval and reach of false responses."""
    assert one.estimate == pytest.approx(1 - other.estimate)
    assert one.standard_error == pytest.approx(other.standard_error)
    assert one.interval is not None
    assert other.interval is not None
    assert one.interval == pytest.approx((1 - other.interval[1], 1 - other.interval[0]))
    assert one.extremes == pytest.approx((1 - other.extremes[1], 1 - other.extremes[0]))  # type: ignore[index]


@pytest.mark.parametrize(
    ("either", "neither"),
    [("distress = yes or sold = yes", "distress = no and sold = no"), (EITHER, NEITHER),
     ("not (year = first or debt = no)", "year = first or debt = no")],
)  # fmt: skip
def test_a_condition_and_its_contrary_have_the_same_error_and_mirrored_intervals(either: str, neither: str) -> None:
    survey, rng = mixed_survey(), np.random.default_rng(3)
    responses = simulate(survey, drawn(survey, 900, rng), rng)
    same(estimate(responses, either), estimate(responses, neither))


def test_the_error_is_that_of_the_summed_terms_and_not_of_separate_estimates() -> None:
    survey, rng = mixed_survey(), np.random.default_rng(4)
    responses = simulate(survey, drawn(survey, 900, rng), rng)
    parts = events_of(survey, boxes_of(survey, EITHER))
    assert len(parts) > 1
    found, single = estimate(responses, EITHER), [estimate(responses, [part]) for part in parts]
    assert found.estimate == pytest.approx(sum(each.estimate for each in single))
    separate = np.sqrt(sum((each.standard_error or 0) ** 2 for each in single))
    assert found.standard_error is not None
    assert abs(found.standard_error / separate - 1) > 0.05


def test_subgroups_may_be_joined_too_and_are_exact_where_nothing_is_disguised() -> None:
    survey, rng = plain_survey(), np.random.default_rng(5)
    values = drawn(survey, 500, rng)
    responses = simulate(survey, values, rng)
    first, second = "debt = deep or year = first", "not (debt = deep or year = first)"
    found = difference(responses, "distress = yes or sold = yes", first, second)
    met = held(survey, values, "distress = yes or sold = yes")
    for share, subgroup in ((found.first, first), (found.second, second)):
        assert share is not None
        assert share.estimate == pytest.approx(met[held(survey, values, subgroup)].mean())
    waves = between(responses, responses, "distress = yes or sold = yes", first)
    assert waves.first is not None
    assert waves.first.estimate == pytest.approx(found.first.estimate)  # type: ignore[union-attr]
    plain = hybrid_estimate(responses, PlainRows.of(survey, values), EITHER)
    assert plain.estimate == pytest.approx(held(survey, values, EITHER).mean())


@pytest.mark.statistical
def test_intervals_of_joined_conditions_hold_the_share() -> None:
    """95 % of all samples on average: fewer have a chance below 1 in 1,000, by the binomial distribution."""
    survey, rng = mixed_survey(), np.random.default_rng(6)
    answers = drawn(survey, 100_000, rng)
    wanted = {text: held(survey, answers, text).mean() for text in (EITHER, "distress = yes or sold = yes")}
    inside = dict.fromkeys(wanted, 0)
    for _ in range(REPEATS):
        sample = answers[rng.integers(0, len(answers), POPULATION)]
        responses = simulate(survey, sample, rng)
        for text, share in wanted.items():
            low, high = estimate(responses, text).interval or (0.0, 0.0)
            inside[text] += low <= share <= high
    assert min(inside.values()) >= likely(REPEATS)[0]
