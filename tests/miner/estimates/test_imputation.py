"""Multiple imputation: tables that differ by what is unknown, and Rubin's rules."""

from __future__ import annotations

from math import inf, sqrt

import numpy as np
import pytest
from scipy.stats import binom

from benchmarks.calibration import imputation as coverage
from benchmarks.calibration import imputed_logit as logit
from collector.errors import ModelError, QueryError
from latent_cases import tiny_survey, yes_no_survey
from miner.estimates.imputation import combine, impute
from miner.responses.responses import Responses
from miner.simulation.simulation import simulate
from routed_surveys import routed_people, routed_survey
from soak import part_of, some_of


def test_tables_hold_values_in_words_and_what_is_not_disguised_as_it_is() -> None:
    survey = tiny_survey()
    generator = np.random.default_rng(21)
    values = np.stack([generator.integers(0, len(question.values), 60) for question in survey.questions], axis=1)
    responses = simulate(survey, values.astype(np.int16), generator)
    with pytest.warns(UserWarning, match="without model= weaken associations"):
        tables = impute(responses, 3, np.random.default_rng(22))
    assert len(tables) == 3
    for table in tables:
        assert list(table.columns) == [question.name for question in survey.questions]
        for column, question in enumerate(survey.questions):
            assert set(table[question.name]) <= set(question.values)
            if not question.sensitive:
                assert table[question.name].tolist() == [question.values[each] for each in values[:, column]]


@pytest.mark.parametrize("draws", [0, -1])
def test_no_table_cannot_be_asked_for(draws: int) -> None:
    responses = Responses(yes_no_survey(4, 2, "4/5"), np.zeros((5, 4), np.int16))
    with pytest.raises(QueryError, match=r"^impute: .* below 1"):
        impute(responses, draws, np.random.default_rng(0))


def test_a_single_response_is_refused() -> None:
    responses = Responses(yes_no_survey(4, 2, "4/5"), np.zeros((1, 4), np.int16))
    with pytest.raises(ModelError, match="fewer than two responses"):
        impute(responses, 2, np.random.default_rng(0))


@pytest.mark.statistical
@pytest.mark.filterwarnings("ignore:tables imputed without model")
def test_a_share_differs_between_tables_by_what_the_disguise_leaves_unknown() -> None:
    """One coin of 4/5: the estimate has variance .16/.36/n from the coins, which is all that tables may differ by.

    Seeded. The mean of 30 variances of 10 tables (15 without --soak) comes out .7 to 1.5 times as large once in 100
    otherwise. Tables that take their part of everybody's posterior in turn differ by ten times as much or more.
    """
    survey, rng, tables = yes_no_survey(2, 2, "4/5"), np.random.default_rng(5), 10
    between = []
    for _ in range(part_of(30, 15)):
        values = (rng.random((800, 2)) > 0.3).astype(np.int16)
        sent = simulate(survey, values, rng)
        shares = [(table["q0"] == "yes").mean() for table in impute(sent, tables, rng)]
        between.append(np.var(shares, ddof=1))
    assert 0.7 < np.mean(between) / (0.16 / 0.36 / 800) < 1.5


def test_tables_of_a_regression_have_its_questions_and_hold_what_is_not_disguised_as_it_is() -> None:
    survey = logit.survey_of(logit.DESIGNS[0])
    values = logit.people(400, np.random.default_rng(1))
    responses = simulate(survey, values, np.random.default_rng(2))
    tables = impute(responses, 3, np.random.default_rng(3), model="affair ~ rating")
    for table in tables:
        assert list(table.columns) == ["affair", "rating"]
        assert table["rating"].tolist() == [("poor", "fair", "good")[each] for each in values[:, 2]]
    right = [(table["affair"] == np.array(["yes", "no"])[values[:, 0]]).mean() for table in tables]
    assert 0.6 < min(right) <= max(right) < 0.95
    assert not tables[0].equals(tables[1])


def test_who_was_asked_none_of_the_regressions_questions_has_no_row() -> None:
    survey = coverage.survey_of(coverage.DESIGNS[3])
    people = coverage.population(800, np.random.default_rng(4))
    responses = simulate(survey, people, np.random.default_rng(5))
    (table,) = impute(responses, 1, np.random.default_rng(6), model="use ~ debt")
    use, debt = survey.column("use"), survey.column("debt")
    asked = responses.asked[:, [use, debt]].any(axis=1)
    assert 0 < (~asked).sum() < 400
    assert table.index.tolist() == np.flatnonzero(asked).tolist()


def test_a_regression_that_cannot_be_fitted_is_refused_with_the_reason() -> None:
    responses = Responses(yes_no_survey(4, 2, "4/5"), np.zeros((50, 4), np.int16))
    with pytest.raises(QueryError, match=r"^regression: "):
        impute(responses, 2, np.random.default_rng(0), model="q0 ~ q1")
    with pytest.raises(QueryError, match=r"^formula(, character [0-9]+)?: "):
        impute(responses, 2, np.random.default_rng(0), model="q0")


def words_of(design: logit.Design | coverage.Design) -> str:
    """The name of a test."""
    return design.words


@pytest.mark.statistical
@pytest.mark.parametrize("design", some_of(logit.DESIGNS, logit.DESIGNS[:1]), ids=words_of)
def test_coefficients_of_imputed_tables_are_not_nearer_to_0_than_they_are(design: logit.Design) -> None:
    """Seeded. 10 surveys: the mean over coefficients covers .75 or more but once in 1,000, if each covers .95.

    `python -m benchmarks.calibration.imputed_logit` measures it over 200.
    """
    found = logit.measured(design, 10, seed=17)
    assert found["covered"] >= 0.75
    strongest = found["figures"]["good"]
    assert abs(strongest["mean"] - strongest["truth"]) < 3.5 * strongest["deviation"] / sqrt(10)


@pytest.mark.filterwarnings("ignore:tables imputed without model")
@pytest.mark.statistical
@pytest.mark.parametrize("design", some_of(coverage.DESIGNS, coverage.DESIGNS[-1:]), ids=words_of)
def test_intervals_from_imputed_tables_hold_the_truth(design: coverage.Design) -> None:
    """Seeded. 12 surveys: mean coverage over 18 figures scatters by some .025: .95 leaves [.86, 1] once in 500.

    `python -m benchmarks.calibration.imputation` measures it over 500.
    """
    found = coverage.measured(design, 12, seed=17)
    assert found["covered"] >= 0.86
    errors = [each["mean_standard_error"] / each["deviation"] for each in found["figures"].values()]
    assert 0.7 < np.mean(errors) < 1.8


def test_rubins_rules_add_up_what_varies_within_tables_and_between_them() -> None:
    found = combine([0.2, 0.3, 0.4], [0.01, 0.02, 0.03])
    total = 0.02 + 4 / 3 * 0.01
    degrees = 2 * (total / (4 / 3 * 0.01)) ** 2
    assert found.estimate == pytest.approx(0.3)
    assert found.standard_error == pytest.approx(sqrt(total))
    assert found.degrees_of_freedom == pytest.approx(degrees)
    assert found.interval[1] - found.interval[0] == pytest.approx(2 * 2.16916 * sqrt(total), rel=1e-4)


def test_where_tables_agree_the_interval_is_the_normal_one() -> None:
    found = combine([0.5, 0.5], [0.04, 0.04])
    assert found.degrees_of_freedom == inf
    assert found.interval == pytest.approx((0.5 - 1.959964 * 0.2, 0.5 + 1.959964 * 0.2))


@pytest.mark.parametrize(("rows", "true"), [(100, 0.05), (1000, 0.01), (50, 0.1)])
def test_the_interval_of_a_rare_share_holds_it_as_often_as_it_says(rows: int, true: float) -> None:
    """Exactly, over all counts but 0. Of the same reach on both sides they cover .883, .927 and .883."""
    counts = np.arange(1, rows)
    chances = binom.pmf(counts, rows, true)
    shares = [[each / rows] * 2 for each in counts.tolist()]
    found = [combine(each, [p * (1 - p) / rows for p in each], share=True).interval for each in shares]
    held = [low <= true <= high for low, high in found]
    assert 0.94 < chances @ np.array(held) / chances.sum() < 0.96
    assert all(0 < low < high < 1 for low, high in found)


def test_a_share_that_scatters_widely_has_an_interval_too() -> None:
    low, high = combine([0.0, 0.9, 0.1], [0.0, 0.09, 0.09], share=True).interval
    assert 0 <= low < 0.05
    assert 0.95 < high <= 1
    assert combine([1e-9, 1e-9], [1.0, 1.0], share=True).interval == (0, 1)


def test_a_share_of_nobody_in_all_tables_has_no_interval() -> None:
    with pytest.raises(QueryError, match=r"^combine: "):
        combine([0.0, 0.0], [0.0, 0.0], share=True)


@pytest.mark.parametrize(
    ("estimates", "variances", "line"),
    [
        ([0.5], [0.1], r"^combine: an interval needs at least two tables; impute two tables or more"),
        (
            [0.5, 0.6],
            [0.1],
            r"^combine: the numbers of estimates and variances differ; give one estimate and one variance",
        ),
    ],
)
def test_rubins_rules_need_tables_and_variances(estimates: list[float], variances: list[float], line: str) -> None:
    with pytest.raises(QueryError, match=line):
        combine(estimates, variances)


def test_tables_for_a_regression_on_a_question_that_is_asked_of_some_do_not_contradict_who_is_asked() -> None:
    rng = np.random.default_rng(3)
    survey = routed_survey(truth="9/10")
    people = routed_people(1500, rng)
    tables = impute(simulate(survey, people, rng), 4, rng, model="happy ~ help")
    asked = np.mean([(table["help"] != "not_applicable").mean() for table in tables])
    assert list(tables[0].columns) == ["happy", "help"]
    assert asked == pytest.approx(np.mean(people[:, 2] != 2), abs=0.04)
