"""The central epsilon of surveys: against all that few respondents may send, and in words."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import exp, inf, isfinite, log, prod
from pathlib import Path

import pytest

from collector.errors import QueryError
from collector.planning.shuffled import AGAINST, DELTA, WORTH, central_privacy, factor, rounded_up
from collector.shuffling.clones import clones_epsilon
from collector.survey.survey import Survey
from collector.survey_file.survey_file import read_survey_file
from counted_calls import calls_of
from orderless_responses import orderless, response_rows, worst_delta
from said import figures
from split_surveys import question, survey_of_tables

UNIFORM = 'channel = "uniform"'
SURVEYS: dict[str, tuple[Survey, int]] = {
    "yes or no": (survey_of_tables([question("a", 2, "g")], 'g = { truth = "4/5" }'), 6),
    "yes or no, uniform": (survey_of_tables([question("a", 2, "g")], f'g = {{ truth = "1/2", {UNIFORM} }}'), 6),
    "three values": (survey_of_tables([question("a", 3, "g")], f'g = {{ truth = "1/2", {UNIFORM} }}'), 5),
    "five values": (survey_of_tables([question("a", 5, "g")], f'g = {{ truth = "2/5", {UNIFORM} }}'), 4),
    "codes that values share": (
        survey_of_tables([question("a", 4, "g", 'coding = "subsets-2"')], "g = { epsilon = 1 }"),
        3,
    ),
    "thresholds": (
        survey_of_tables(
            [question("a", 3, "g", 'coding = "thresholds"').replace("choice", "scale")], "g = { epsilon = 1 }"
        ),
        4,
    ),
    "uneven replacement": (
        survey_of_tables([question("a", 2, "g", 'replacement = { a0 = "2/3", a1 = "1/3" }')], "g = { epsilon = 1 }"),
        5,
    ),
    "two questions, one coin": (survey_of_tables([question(each, 2, "g") for each in "ab"], "g = { epsilon = 2 }"), 4),
    "two coins": (
        survey_of_tables(
            [question("a", 2, "g"), question("b", 3, "h")],
            f'g = {{ truth = "2/3" }}\nh = {{ truth = "1/4", {UNIFORM} }}',
        ),
        3,
    ),
    "three coins": (
        survey_of_tables(
            [question(each, 2, each) for each in "abc"], "\n".join(f'{each} = {{ truth = "3/5" }}' for each in "abc")
        ),
        3,
    ),
    "four coins": (
        survey_of_tables(
            [question(each, 2, each) for each in "abcd"], "\n".join(f'{each} = {{ truth = "3/5" }}' for each in "abcd")
        ),
        2,
    ),
    "split": (
        survey_of_tables([question(each, 2, "g") for each in "abc"], "g = { epsilon = 1 }", "[sampling]\nask = 2\n"),
        2,
    ),
}


@pytest.mark.parametrize("name", SURVEYS)
def test_no_answers_of_few_respondents_pass_what_is_stated_of_a_design(name: str) -> None:
    survey, most = SURVEYS[name]
    rows = response_rows(survey.design)
    assert all(sum(row) == pytest.approx(1) for row in rows)
    for respondents in range(1, most + 1):
        for delta in (1e-3, 0.03, 0.2):
            stated = central_privacy(survey, respondents, delta)
            worst = worst_delta(rows, respondents, stated.epsilon)
            assert worst <= delta * (1 + 1e-6)
            if stated.exact and 0 < stated.epsilon < stated.local * 0.999:
                assert worst >= delta * 0.999


def test_one_respondent_has_the_local_epsilon_at_delta_zero() -> None:
    for survey, _ in SURVEYS.values():
        found = central_privacy(survey, 1, 0.0)
        assert found.epsilon == pytest.approx(found.local)


def test_a_design_whose_responses_leave_two_candidates_has_none_and_says_so() -> None:
    survey = survey_of_tables([question("a", 2, "g"), question("b", 2, "g")], 'g = { truth = "4/5" }')
    found = central_privacy(survey, 100_000)
    assert (found.epsilon, found.shares) == (inf, None)
    (line,) = found.lines
    assert "no central epsilon holds" in line
    rows = response_rows(survey.design)
    assert worst_delta(rows, 3, 50.0) > 0.1  # however large an epsilon
    assert found.as_json["epsilon"] is None


def test_the_statement_names_respondents_delta_and_against_whom_it_does_not_hold() -> None:
    survey = SURVEYS["yes or no"][0]
    sentence, limits = central_privacy(survey, 4_000).lines
    assert figures(sentence) == [4_000, 0.0881, 1e-6, 1.10]
    assert limits == AGAINST
    assert "run the server" in limits
    assert "log" in limits


def test_questions_sent_as_they_are_make_the_respondents_those_who_answered_them_alike() -> None:
    survey = survey_of_tables([question("a", 2, "g"), question("b", 2, None)], 'g = { truth = "4/5" }')
    found = central_privacy(survey, 1_000)
    assert found.alike == ("b",)
    assert "1,000 respondents" in found.line
    assert "same answers to b, " in found.line
    assert found.epsilon == central_privacy(SURVEYS["yes or no"][0], 1_000).epsilon


def test_many_coins_have_the_local_epsilon_for_tables_and_a_smaller_one_for_shares_alone() -> None:
    names = [f"q{number}" for number in range(20)]
    groups = "\n".join(f'{name} = {{ truth = "4/5" }}' for name in names)
    survey = survey_of_tables([question(name, 2, name) for name in names], groups)
    found = central_privacy(survey, 10_000)
    assert found.epsilon == pytest.approx(found.local) == pytest.approx(20 * log(4))
    assert not found.is_smaller
    assert "(27.726)" in found.line
    single = central_privacy(SURVEYS["yes or no"][0], 10_000, 1e-6 / 20).epsilon
    assert found.shares == pytest.approx(20 * single, rel=1e-6)
    assert "shares of single questions" in found.lines[1]
    assert found.lines[2] == AGAINST


def test_shares_alone_of_three_coins_are_not_told_apart_better_than_stated() -> None:
    """The collections of single groups are independent given all answers: their chances multiply."""
    survey, reached = SURVEYS["three coins"][0], 0.0
    for respondents, delta in ((2, 0.03), (4, 0.03), (6, 0.1)):
        stated = central_privacy(survey, respondents, delta)
        rows = response_rows(replace(survey, questions=survey.questions[:1], groups=survey.groups[:1]).design)
        for ones in range(respondents):
            others = [rows[0]] * ones + [rows[1]] * (respondents - 1 - ones)
            one, other = (orderless([*others, row]) for row in rows)
            pairs = [(one[key], other[key]) for key in one]
            excess = (
                prod(p for p, _ in each) - exp(stated.shares or 0) * prod(q for _, q in each)
                for each in product(pairs, repeat=3)
            )
            worst = sum(max(each, 0.0) for each in excess)
            assert worst <= delta
            reached = max(reached, worst / delta)
    assert reached > 0


def test_more_respondents_have_a_smaller_epsilon_in_every_design() -> None:
    for survey, _ in SURVEYS.values():
        found = [central_privacy(survey, each).epsilon for each in (1, 100, 2_000)]
        assert all(isfinite(each) for each in found)
        assert found == sorted(found, reverse=True)
        assert found[-1] < found[0]


def test_the_table_of_the_documentation_is_what_is_computed() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "epsilon.md").read_text(encoding="utf-8")
    lines = page.splitlines()
    head, figures = (next(line for line in lines if line.startswith(each)) for each in ("| respondents |", "| central"))
    people = [int(cell.replace(",", "")) for cell in head.split("|")[2:-1]]
    stated = [rounded_up(central_privacy(SURVEYS["yes or no"][0], each).epsilon) for each in people]
    assert [cell.strip() for cell in figures.split("|")[2:-1]] == stated


@pytest.mark.parametrize("name", ["audit_c", "staff_climate", "wellbeing", "wellbeing_split", "who5"])
def test_a_hundred_thousand_respondents_take_less_than_two_million_calls(name: str) -> None:
    survey = read_survey_file(Path(__file__).resolve().parents[3] / "examples" / f"{name}.toml")
    assert calls_of(lambda: central_privacy(survey, 100_000)) < 2_000_000


@pytest.mark.parametrize(
    ("epsilon", "text"), [(0.0878781, "0.0879"), (0.19, "0.190"), (1.3863, "1.39"), (48.001, "48.1"), (0.0, "0")]
)
def test_a_printed_epsilon_is_rounded_up(epsilon: float, text: str) -> None:
    assert rounded_up(epsilon) == text


@pytest.mark.parametrize(("respondents", "delta"), [(0, 1e-6), (10, 1.0), (10, -0.1)])
def test_numbers_out_of_range_are_refused(respondents: int, delta: float) -> None:
    with pytest.raises(QueryError):
        central_privacy(SURVEYS["yes or no"][0], respondents, delta)


def test_the_respondents_that_the_page_names_for_a_smaller_epsilon_are_those_that_it_takes() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "epsilon.md").read_text(encoding="utf-8")
    rows = {
        cells[0].strip(): [float(cell.replace(",", "")) for cell in cells[1:]]
        for line in page.splitlines()
        if line.startswith(("| local epsilon |", "| respondents for any", "| respondents for 1"))
        for cells in [line.strip("| ").split("|")]
    }
    locals_, *needed = rows.values()
    assert len(locals_) == len(needed[0]) == len(needed[1]) == 5
    for local, smaller, one in zip(locals_, *needed, strict=True):
        for most, respondents in ((WORTH * local, smaller), (1.0, one)):
            assert clones_epsilon(int(respondents), exp(local), DELTA) < most
            assert clones_epsilon(int(0.75 * respondents), exp(local), DELTA) > most


@pytest.mark.parametrize(
    ("epsilon", "stated"), [(0, "1.00"), (0.0881, "1.10"), (0.5969, "1.82"), (8, "2,981"), (737.0, "10^")]
)
def test_a_central_epsilon_is_stated_as_a_factor_however_large_it_is(epsilon: float, stated: str) -> None:
    assert factor(epsilon).startswith(stated)


def test_the_factor_stands_with_the_epsilon_of_shares_too() -> None:
    survey = read_survey_file(Path(__file__).resolve().parents[3] / "examples" / "who5.toml")
    found = central_privacy(survey, 4_000)
    assert "(9.730)" in found.line
    assert "--careless: epsilon 0.797" in found.lines[1]
    assert "2.22" in found.lines[1]
