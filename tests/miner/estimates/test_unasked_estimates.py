"""Estimates of a question that some are asked who were not asked another, against enumeration."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from asked_of_unasked import DESIGNS, all_responses, people, sent
from collector.disclosure.false_responses import weight_range
from collector.disclosure.precision import response_variance
from collector.survey.survey import Survey
from miner.estimates.comparison import difference
from miner.estimates.crosstab import crosstab
from miner.estimates.estimate import estimate, frequencies
from miner.estimates.frequencies import likeliest_frequencies
from miner.estimates.imputation import impute
from miner.responses.condition import event_of
from miner.responses.possible import with_unasked
from miner.responses.responses import Responses, codes_of_values
from miner.simulation.simulation import simulate
from miner.weights.weights import ProductWeights


def true_share(survey: Survey, **values: str) -> float:
    return float(
        sum(
            chance
            for row, chance in people(survey).items()
            if all(row[survey.column(name)] == value for name, value in values.items())
        )
    )


def expected_responses(survey: Survey, count: int = 60_000) -> Responses:
    """Responses of which each kind is as frequent as it is expected to be, but for rounding."""
    codes, shares = all_responses(survey)
    return Responses(survey, np.repeat(codes, np.rint(shares * count).astype(int), axis=0))


@pytest.mark.parametrize("name", DESIGNS)
def test_the_mean_weight_of_answers_over_every_response_is_whether_the_truth_has_them(name: str) -> None:
    survey = DESIGNS[name]
    events = [{each.name: {value}} for each in survey.questions for value in range(len(each.values))]
    for one, other in combinations(survey.questions, 2):
        events += [{one.name: {a}, other.name: {b}} for a in range(len(one.values)) for b in range(len(other.values))]
    events.append({each.name: {len(each.values) - 1} for each in survey.questions})
    for row in people(survey):
        found = sent(survey, row)
        weights = ProductWeights(Responses(survey, np.array(list(found), np.int16)))
        chances = np.array([float(chance) for chance in found.values()])
        for event in events:
            holds = all(
                survey.question(each).value_index(row[survey.column(each)]) in values for each, values in event.items()
            )
            term = weights.of(event_of(survey, event))
            low, high = weights.range(event_of(survey, event))
            assert chances @ term == pytest.approx(float(holds), abs=1e-9)
            assert low - 1e-9 <= term.min() <= term.max() <= high + 1e-9


@pytest.mark.parametrize("name", DESIGNS)
def test_shares_tables_and_the_likeliest_frequencies_are_the_true_ones(name: str) -> None:
    survey = DESIGNS[name]
    responses = expected_responses(survey)
    for question, shares in frequencies(responses).items():
        for value, share in zip(survey.question(question).values, shares, strict=True):
            assert share is not None
            assert share.estimate == pytest.approx(true_share(survey, **{question: value}), abs=1e-3)
            assert (share.standard_error or 0) > 1e-4
    for one, other in (("gate", "vape"), (survey.questions[1].name, "vape"), ("vape", survey.questions[-1].name)):
        if one == other:
            continue
        table = crosstab(responses, one, other)
        for (row, column), cell in table.cells.items():
            true = true_share(survey, **{one: row, other: column})
            assert cell.estimate == pytest.approx(true, abs=1e-3)
            assert table.likeliest[row, column] == pytest.approx(true, abs=0.01)


@pytest.mark.parametrize("name", DESIGNS)
def test_the_likeliest_frequencies_of_one_question_are_the_true_ones(name: str) -> None:
    survey = DESIGNS[name]
    responses = expected_responses(survey)
    for question in survey.questions:
        found = likeliest_frequencies(responses, [question.name])
        assert found is not None
        for value, word in enumerate(question.values):
            true = true_share(survey, **{question.name: word})
            assert found.share({question.name: frozenset({value})}) == pytest.approx(true, abs=0.01)


@pytest.mark.parametrize("name", DESIGNS)
def test_a_difference_is_that_of_the_shares_among_two_parts_of_the_people(name: str) -> None:
    survey = DESIGNS[name]
    found = difference(expected_responses(survey), "vape = yes", "gate = yes and vape != not_applicable", "gate = no")
    truth = [
        true_share(survey, gate="yes", vape="yes")
        / (true_share(survey, gate="yes") - true_share(survey, gate="yes", vape="not_applicable") or 1),
        true_share(survey, gate="no", vape="yes") / true_share(survey, gate="no"),
    ]
    if name == "only those who were not asked":  # nobody with gate = yes is asked
        assert found.first is None or not found.first.estimate or found.first.interval is None
    else:
        assert found.first is not None
        assert found.first.estimate == pytest.approx(truth[0], abs=0.01)
    assert found.second is not None
    assert found.second.estimate == pytest.approx(truth[1], abs=0.01)


@pytest.mark.parametrize("name", DESIGNS)
def test_imputed_rows_are_ones_that_the_page_can_take(name: str) -> None:
    survey = DESIGNS[name]
    rng = np.random.default_rng(1)
    rows = list(people(survey))
    chances = np.array([float(each) for each in people(survey).values()])
    drawn = [rows[each] for each in rng.choice(len(rows), 3000, p=chances / chances.sum())]
    values = np.array(
        [[each.value_index(word) for each, word in zip(survey.questions, row, strict=True)] for row in drawn]
    )
    with pytest.warns(UserWarning, match="weaken associations"):
        (table,) = impute(simulate(survey, values.astype(np.int16), rng), 1, rng)
    imputed = [tuple(row) for row in table.to_numpy().tolist()]
    assert {*imputed} <= {*rows}
    asked = np.mean([row[survey.column("vape")] != "not_applicable" for row in imputed])
    assert asked == pytest.approx(1 - true_share(survey, vape="not_applicable"), abs=0.1)


@pytest.mark.parametrize("name", DESIGNS)
def test_answers_drawn_for_those_who_are_not_asked_stand_for_that(name: str) -> None:
    survey = DESIGNS[name]
    for row in people(survey):
        truth = [each.value_index(word) for each, word in zip(survey.questions, row, strict=True)]
        drawn = [
            0 if question.coding.routed and question.values[value] == "not_applicable" else value
            for question, value in zip(survey.questions, truth, strict=True)
        ]
        assert with_unasked(survey, np.array([drawn], np.int16)).tolist() == [truth]


@pytest.mark.parametrize("name", [name for name in DESIGNS if "sends" not in name])
def test_what_is_planned_with_is_the_variance_of_the_weights(name: str) -> None:
    survey = DESIGNS[name]
    codes, shares = all_responses(survey)
    weights = ProductWeights(Responses(survey, codes))
    for question in survey.questions:
        for value in range(len(question.values)):
            terms = weights.of({question.name: codes_of_values(question, {value})})
            mean = shares @ terms
            assert float(response_variance(survey, question, value)) == pytest.approx(shares @ terms**2 - mean**2)
            low, high = weight_range(survey, {question.name: value})
            assert low - 1e-9 <= terms.min() <= terms.max() <= high + 1e-9


def test_an_estimate_is_not_certain_where_codes_leave_it_open() -> None:
    """The cell was 0.0000 with a standard error of 0.0000, where .17 is true."""
    survey = DESIGNS["listed"]
    cell = crosstab(expected_responses(survey, 8000), "gate", "vape").cells["no", "yes"]
    assert cell.estimate == pytest.approx(0.7 * 0.25, abs=0.002)
    assert cell.interval is not None
    assert cell.interval[0] < 0.175 < cell.interval[1]
    assert estimate(expected_responses(survey, 8000), "vape = yes").estimate == pytest.approx(0.2125, abs=0.002)
