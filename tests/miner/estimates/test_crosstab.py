"""The joint table of two questions, and the test of their independence."""

from __future__ import annotations

import json

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.stats import chi2_contingency

from benchmarks.data.coded import read_rows
from benchmarks.data.tables import adult, congressional_votes
from collector.errors import QueryError
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from miner.estimates.crosstab import crosstab
from miner.estimates.estimate import estimate
from miner.figures.chi_square import p_value_text
from miner.responses.condition import event_of, parse_condition
from miner.responses.responses import Responses, value_indices
from miner.simulation.simulation import simulate
from small_surveys import mixed_survey, survey_of
from soak import likely, part_of

CHOICE = 'kind = "choice"\nvalues = ["a", "b", "c"]\nprior = { a = 0.5, b = 0.4, c = 0.1 }'
WIDE = 'kind = "choice"\nvalues = ["a", "b", "c", "d", "e"]\nprior = { a = 0.3, b = 0.3, c = 0.2, d = 0.15, e = 0.05 }'


def random_responses(survey: Survey, count: int, seed: int) -> Responses:
    rng = np.random.default_rng(seed)
    columns = [rng.choice(np.array(question.codes, dtype=np.int16), count) for question in survey.questions]
    return Responses(survey, np.stack(columns, axis=1))


@pytest.mark.parametrize(
    ("row", "column"), [("year", "drug"), ("drug", "sold"), ("debt", "distress"), ("distress", "drug")]
)
def test_cells_and_margins_are_the_estimates_and_add_up(row: str, column: str) -> None:
    survey = mixed_survey()
    responses = random_responses(survey, 300, seed=5)
    table = crosstab(responses, row, column)
    assert sum(cell.estimate for cell in table.cells.values()) == pytest.approx(1, abs=1e-12)
    for (row_value, column_value), cell in table.cells.items():
        event = event_of(survey, parse_condition(survey, f"{row} = {row_value} and {column} = {column_value}"))
        expected = estimate(responses, event)
        assert cell.n == expected.n
        assert cell.estimate == pytest.approx(expected.estimate, abs=1e-12)
        assert cell.standard_error == pytest.approx(expected.standard_error, abs=1e-12)
        assert cell.interval == pytest.approx(expected.interval, abs=1e-12)
    for value, margin in table.rows.items():
        expected = estimate(responses, event_of(survey, parse_condition(survey, f"{row} = {value}")))
        assert margin.interval == pytest.approx(expected.interval, abs=1e-12)
        assert margin.estimate == pytest.approx(sum(table.cells[value, other].estimate for other in table.columns))


def test_it_adds_up_to_one_even_where_szucs_coding_leaves_a_value_alone() -> None:
    survey = survey_of((CHOICE + '\ncoding = "szucs"', "a", 'truth = "4/5"'), (WIDE, "b", 'truth = "3/4"'))
    assert any(survey.questions[0].coding.value_of(code) is None for code in survey.questions[0].codes)
    table = crosstab(random_responses(survey, 200, seed=5), "q0", "q1")
    assert sum(cell.estimate for cell in table.cells.values()) == pytest.approx(1, abs=1e-12)
    assert sum(share or 0 for share in table.likeliest.values()) == pytest.approx(1, abs=1e-9)


def test_it_is_a_frame_and_json() -> None:
    table = crosstab(random_responses(mixed_survey(), 50, seed=5), "year", "distress")
    frame = table.frame
    assert list(frame.index.names) == ["year", "distress"]
    assert list(frame.index)[:3] == [("first", "yes"), ("first", "no"), ("second", "yes")]
    printed = json.loads(json.dumps(table.as_json))
    first = printed["cells"][0]
    assert (first["row"], first["column"]) == ("first", "yes")
    assert first["estimate"] == frame.loc[("first", "yes"), "estimate"]
    assert first["maximum_likelihood"] == frame.loc[("first", "yes"), "maximum_likelihood"]
    assert first["interval"] == list(frame.loc[("first", "yes"), ["lower", "upper"]])
    assert [margin["value"] for margin in printed["columns"]] == ["yes", "no"]
    assert set(printed["independence"]) == {"statistic", "degrees_of_freedom", "p_value"}


def test_a_question_with_itself_is_refused() -> None:
    with pytest.raises(QueryError, match="a question is named twice"):
        crosstab(random_responses(mixed_survey(), 5, seed=5), "year", "year")


def test_one_response_has_no_test() -> None:
    assert crosstab(random_responses(mixed_survey(), 1, seed=5), "year", "debt").independence is None


# --- independence ---------------------------------------------------------------------------------------------------

NURSERY = ("parents", "has_nurs", "form", "children", "housing", "finance", "social", "health", "advice")
TABLES = {
    "votes": lambda: congressional_votes().answers[["crime", "party"]],
    "adult": lambda: adult(3000).answers[["relationship", "income"]],
    "nursery": lambda: read_rows("nursery.data", NURSERY)[["social", "advice"]],
}


@pytest.mark.usefixtures("datasets")
@pytest.mark.parametrize("channel", ["complement", "uniform"])
@pytest.mark.parametrize("name", sorted(TABLES))
def test_at_truth_1_cells_and_chi_square_are_those_of_statsmodels_and_scipy(name: str, channel: str) -> None:
    answers = TABLES[name]()
    lines = ['name = "s"', 'title = "S"', 'languages = ["en"]']
    for column in answers:
        values = json.dumps(sorted(set(answers[column])))
        lines += ["[[questions]]", f'name = "{column}"', 'label = "?"', 'kind = "choice"', f"values = {values}"]
        lines.append('group = "g"')
    lines += ["[groups]", f'g = {{ truth = "1", channel = "{channel}" }}']
    survey = parse_survey("\n".join(lines))
    sent = simulate(survey, value_indices(survey, answers), np.random.default_rng(1))
    found = crosstab(sent, *answers.columns)
    theirs = sm.stats.Table.from_data(answers, shift_zeros=False)
    counts = theirs.table
    shares = found.frame["estimate"].to_numpy().reshape(counts.shape)
    assert shares == pytest.approx(counts / counts.sum(), abs=1e-12)
    assert found.frame["maximum_likelihood"].to_numpy().reshape(counts.shape) == pytest.approx(shares, abs=1e-6)
    association = theirs.test_nominal_association()
    assert found.independence is not None
    assert found.independence.statistic == pytest.approx(association.statistic, rel=1e-9)
    assert found.independence.degrees_of_freedom == association.df
    assert found.independence.statistic == pytest.approx(chi2_contingency(counts, correction=False)[0], rel=1e-9)
    assert found.independence.p_value == pytest.approx(association.pvalue, abs=1e-12)


@pytest.mark.statistical
@pytest.mark.parametrize("how", ['truth = "3/4"', 'truth = "1/2", channel = "uniform"'])
@pytest.mark.parametrize("groups", ["gg", "gh"])
def test_independent_answers_are_called_dependent_one_time_in_twenty(how: str, groups: str) -> None:
    # Seeded. 150 surveys at level .05 (or 100): more once in 1,000, none once in 2,200 (or 170). 4 designs.
    survey = survey_of((CHOICE, groups[0], how), ('kind = "yes_no"', groups[1], how))
    rng = np.random.default_rng(8)
    wrong, surveys = 0, part_of(150, 100)
    for _ in range(surveys):
        values = np.stack([rng.choice(3, 400, p=[0.5, 0.4, 0.1]), rng.choice(2, 400, p=[0.3, 0.7])], axis=1)
        test = crosstab(simulate(survey, values.astype(np.int16), rng), "q0", "q1").independence
        assert test is not None
        wrong += test.p_value < 0.05
    assert 1 <= wrong <= likely(surveys, 0.05)[1]


def test_the_codes_of_one_group_go_together_and_the_test_is_not_fooled() -> None:
    # One coin for both complements both: the codes as sent look dependent whatever the answers.
    survey = survey_of(('kind = "yes_no"', "g", 'truth = "3/4"'), ('kind = "yes_no"', "g", 'truth = "3/4"'))
    rng = np.random.default_rng(2)
    values = (rng.random((4000, 2)) < 0.8).astype(np.int16)
    sent = simulate(survey, values, rng)
    naive = chi2_contingency(np.histogram2d(*sent.codes.T, bins=2)[0], correction=False)
    found = crosstab(sent, "q0", "q1").independence
    assert found is not None
    assert naive.pvalue < 1e-6
    assert found.p_value > 0.01


@pytest.mark.parametrize(
    ("p_value", "told"),
    [(1.0, "1.0000"), (0.03125, "0.0312"), (1e-4, "0.0001"), (9e-5, "below 0.0001"), (0.0, "below 0.0001")],
)
def test_no_p_value_is_told_as_0(p_value: float, told: str) -> None:
    assert p_value_text(p_value) == told
