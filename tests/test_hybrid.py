"""Disguised responses and plain rows together: the weighted combination of both, and unbiased."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from collector.errors import QueryError, ResponseError
from collector.survey import Survey
from miner.condition import event_of, parse_condition
from miner.counts import Level
from miner.criteria import Faithful, Robust
from miner.estimate import estimate
from miner.grow import grow
from miner.hybrid import PlainRows, hybrid_estimate, hybrid_level, hybrid_tree
from miner.responses import Responses, Values
from miner.simulation import coded, disguised, simulate
from small_surveys import mixed_survey, survey_of

CONDITION = "drug in (one, many) and distress = yes and year = first"


def values_for(survey: Survey, count: int, seed: int) -> Values:
    rng = np.random.default_rng(seed)
    common = rng.random(count) < 0.5
    columns = [
        np.where(rng.random(count) < 0.5, common % len(q.values), rng.integers(len(q.values), size=count))
        for q in survey.questions
    ]
    return np.stack(columns, axis=1).astype(np.int16)


def share(survey: Survey, values: Values, weights: np.ndarray) -> float:
    """The weighted share of rows for which the condition holds."""
    admitted = parse_condition(survey, CONDITION)
    names = [question.name for question in survey.questions]
    holds = np.all([np.isin(values[:, names.index(name)], list(each)) for name, each in admitted.items()], axis=0)
    return float((weights * holds).sum() / weights.sum())


@pytest.fixture(scope="module")
def strata() -> tuple[Survey, Responses, PlainRows]:
    survey = mixed_survey()
    sent = simulate(survey, values_for(survey, 400, 1), np.random.default_rng(1))
    weights = np.random.default_rng(2).uniform(0.5, 3, 150)
    return survey, sent, PlainRows(survey, values_for(survey, 150, 2), weights)


def test_an_estimate_is_the_weighted_combination(strata: tuple[Survey, Responses, PlainRows]) -> None:
    survey, sent, plain = strata
    admitted = parse_condition(survey, CONDITION)
    alone = estimate(sent, event_of(survey, admitted))
    found = hybrid_estimate(sent, plain, admitted)
    total = 400 + plain.weights.sum()
    expected = (400 * alone.estimate + plain.weights.sum() * share(survey, plain.values, plain.weights)) / total
    assert found.estimate == pytest.approx(expected, abs=1e-12)
    assert alone.standard_error is not None
    assert found.standard_error is not None
    assert found.standard_error < alone.standard_error
    assert found.n == 550


def test_counts_are_those_of_the_responses_plus_those_of_the_rows(
    strata: tuple[Survey, Responses, PlainRows],
) -> None:
    survey, sent, plain = strata
    both = hybrid_level(sent, plain, "distress")
    first = Level.at_root(survey, sent.codes, "distress")
    second = Level.of_plain(survey, plain.values, "distress", plain.weights)
    for squared in (False, True):
        added = first.counts(1, [0, 1, 2, 3], squared=squared) + second.counts(1, [0, 1, 2, 3], squared=squared)
        assert both.counts(1, [0, 1, 2, 3], squared=squared) == pytest.approx(added, abs=1e-9)
    assert both.totals(1) == pytest.approx(first.totals(1) + second.totals(1))
    assert both.responses == round(400 + plain.weights.sum())


def test_nodes_of_a_tree_count_both_exactly(strata: tuple[Survey, Responses, PlainRows]) -> None:
    survey, sent, plain = strata
    tree = hybrid_tree(sent, plain, "distress", Faithful(), max_depth=2)
    assert len(tree) > 3
    for node, event, _ in tree.walk():
        for label, value in enumerate(("yes", "no")):
            condition = {survey.questions[question].name: wanted for question, wanted in event.items()}
            condition["distress"] = frozenset({survey.question("distress").value_index(value)})
            total = 400 + plain.weights.sum()
            assert tree.counts[node, label] == pytest.approx(hybrid_estimate(sent, plain, condition).estimate * total)


@pytest.mark.parametrize("criterion", [Faithful(), Robust()])
def test_where_nobody_lies_the_strata_are_one_table(criterion: Faithful | Robust) -> None:
    how = 'truth = "1"'
    kind = 'kind = "choice"\nvalues = ["a", "b", "c"]'
    survey = survey_of((kind, "a", how), (kind, "b", how), ('kind = "yes_no"', "b", how))
    values = values_for(survey, 600, 3)
    sent = simulate(survey, values[:350], np.random.default_rng(3))
    plain = PlainRows(survey, values[350:], np.ones(250))
    whole = grow(Level.of_plain(survey, values, "q2", np.ones(600)), criterion)
    assert len(whole) > 3
    assert hybrid_tree(sent, plain, "q2", criterion).to_json() == whole.to_json()


@pytest.mark.statistical
def test_over_many_disguises_the_mean_is_the_truth_of_both() -> None:
    # Seeded. 400 disguises; three standard errors of the mean: a fresh seed would fail once in 370.
    survey = mixed_survey()
    values, weights = values_for(survey, 300, 5), np.random.default_rng(5).uniform(1, 2, 100)
    plain = PlainRows(survey, values[200:], weights)
    rng = np.random.default_rng(6)
    codes, admitted = coded(survey, values[:200], rng), parse_condition(survey, CONDITION)
    truth = share(survey, values, np.concatenate([np.ones(200), weights]))
    found = np.array(
        [
            hybrid_estimate(Responses(survey, disguised(survey, codes, rng)), plain, admitted).estimate
            for _ in range(400)
        ]
    )
    assert abs(found.mean() - truth) < 3 * found.std(ddof=1) / 20


@pytest.mark.statistical
def test_an_interval_of_both_covers_the_truth_19_times_in_20() -> None:
    # Seeded. 400 samples: a correct .95 leaves [.92, .98] once in 170.
    survey = mixed_survey()
    population, rng = values_for(survey, 100_000, 7), np.random.default_rng(7)
    admitted, truth = parse_condition(survey, CONDITION), share(survey, population, np.ones(100_000))
    held = 0
    for _ in range(400):
        drawn = population[rng.integers(100_000, size=400)]
        plain = PlainRows(survey, drawn[300:], np.ones(100))
        found = hybrid_estimate(simulate(survey, drawn[:300], rng), plain, admitted)
        assert found.interval is not None
        held += found.interval[0] <= truth <= found.interval[1]
    assert 0.92 <= held / 400 <= 0.98


def test_rows_come_from_a_frame_and_what_does_not_fit_is_refused(strata: tuple[Survey, Responses, PlainRows]) -> None:
    survey, sent, plain = strata
    row = {"distress": "no", "year": "first", "drug": "one", "sold": "yes", "debt": "deep"}
    rows = PlainRows.from_frame(survey, pd.DataFrame([row, row]))
    assert rows.values.tolist() == [[0, 1, 0, 2, 1]] * 2
    assert rows.weights.tolist() == [1, 1]
    with pytest.raises(ResponseError, match='row 1, column "drug"'):
        PlainRows.from_frame(survey, pd.DataFrame([row | {"drug": "lots"}]))
    for weights in ([1], [1, -1], [1, np.inf]):
        with pytest.raises(QueryError, match="one positive number for each row"):
            PlainRows.from_frame(survey, pd.DataFrame([row, row]), weights)
    other = survey_of(('kind = "yes_no"', "a", 'truth = "4/5"'))
    with pytest.raises(QueryError, match="another survey"):
        hybrid_estimate(Responses(other, np.zeros((1, 1), np.int16)), plain, {})
    with pytest.raises(QueryError, match="one of them is empty"):
        hybrid_level(sent.take([]), plain, "distress")
    one = PlainRows.from_frame(survey, pd.DataFrame([row]))
    assert hybrid_estimate(sent, one, parse_condition(survey, "year = first")).interval is None
