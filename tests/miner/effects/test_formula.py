"""Formulas as R and Python write them: operators, categories, numbers, and conditions in brackets."""

from __future__ import annotations

from functools import reduce
from itertools import combinations, product

import numpy as np
import pandas as pd
import patsy
import pytest

from benchmarks.data.regression_people import people, survey_with
from collector.errors import QueryError
from collector.survey.survey import Survey
from collector.survey_file.survey_file import parse_survey
from miner.effects.formula import Formula, read_formula
from miner.estimates.design import model_matrix
from miner.estimates.regress import regress
from miner.simulation.simulation import simulate
from said import figures
from small_surveys import HEAD, survey_of

NUMBER = 'kind = "number"\nsensitive = false\ncuts = '


@pytest.fixture(scope="module")
def survey() -> Survey:
    return survey_with({"rating": "4/5"}, extra="decline = true")


def terms(formula: Formula) -> list[str]:
    return [":".join(factor.name for factor in term) for term in formula.terms]


def columns(survey: Survey, text: str) -> list[tuple[str | None, str | None]]:
    formula = read_formula(survey, text)
    return model_matrix(formula, np.zeros((1, len(formula.predictors)), np.int16))[1]


@pytest.mark.parametrize(
    ("right", "expected"),
    [
        ("age + visits", ["age", "visits"]),
        ("age * visits", ["age", "visits", "age:visits"]),
        ("age:visits + age", ["age", "age:visits"]),
        ("(age + visits + pay)**2", ["age", "visits", "pay", "age:visits", "age:pay", "visits:pay"]),
        ("age / pay", ["age", "age:pay"]),
        ("age * pay - pay", ["age", "age:pay"]),
        ('age * C(rating, ref="good")', ["age", "rating", "age:rating"]),
        ("age * (rating = good)", ["age", "rating = good", "age:rating = good"]),
        ("((rating = good) + age) * (pay >= 1500)", ["rating = good", "age", "pay >= 1500"]),
        ("(rating = good and not (age >= 20 or pay < 1000))", ["rating = good and not (age >= 20 or pay < 1000)"]),
        ('(rating in (good, "fine"))', ['rating in (good, "fine")']),
    ],
)
def test_operators_mean_what_they_mean_in_r(survey: Survey, right: str, expected: list[str]) -> None:
    assert terms(read_formula(survey, f"sex ~ {right}"))[: len(expected)] == expected


def test_a_question_enters_by_its_values_and_a_number_by_its_size(survey: Survey) -> None:
    extras = [("rating", "fair"), ("rating", "good"), ("rating", "fine"), ("rating", "prefer_not_to_say")]
    assert columns(survey, "sex ~ age + rating") == [(None, None), ("age", None), *extras]
    assert columns(survey, "sex ~ C(age)")[1:] == [("age", "20..40"), ("age", "40..60"), ("age", ">=60")]
    assert columns(survey, 'sex ~ C(rating, ref="good")')[1:3] == [("rating", "poor"), ("rating", "fair")]
    assert columns(survey, "sex ~ age + age:(rating = good)")[2:] == [("age:rating = good", None)]
    both = [("age:rating = good", "no"), ("age:rating = good", "yes")]
    assert columns(survey, "sex ~ age:(rating = good)")[1:] == both


def test_a_number_of_whole_numbers_counts_by_their_midpoints() -> None:
    kind = 'kind = "number"\nwhole = true\ncuts = [1, 2, 4]\nminimum = 0\nmaximum = 9'
    survey = survey_of((kind, "g", 'truth = "4/5"'), ('kind = "yes_no"', "h", 'truth = "4/5"'))
    ((counted,),) = read_formula(survey, "q1 ~ q0").terms
    assert counted.table[:, 0].tolist() == [0, 1, 2.5, 6.5]
    assert counted.remark is not None
    assert counted.remark.startswith('"q0" ')
    assert figures(counted.remark.partition(" ")[2]) == [0, 1, 2.5, 6.5]


def test_a_number_counts_by_midpoints_and_a_guessed_end_is_said(survey: Survey) -> None:
    formula = read_formula(survey, "sex ~ age + pay")
    assert formula.terms[0][0].table[:, 0].tolist() == [10, 30, 50, 70]
    assert formula.terms[1][0].table[:, 0].tolist() == [750, 1250, 1750, 2500, 3500]
    age, pay = formula.remarks
    assert age.startswith('"age" ')
    assert figures(age) == [10, 30, 50, 70]
    assert pay.startswith('"pay" ')
    assert figures(pay)[:5] == [750, 1250, 1750, 2500, 3500]
    assert '"<1000" and ">=3000"' in pay


def test_a_condition_is_1_where_it_holds_whatever_questions_it_joins(survey: Survey) -> None:
    (factor,) = read_formula(survey, "sex ~ (rating = poor or age >= 60)").terms[0]
    assert [question.name for question in factor.questions] == ["rating", "age"]
    expected = np.zeros((5, 4))
    expected[0], expected[:, 3] = 1, 1
    assert (factor.table[..., 0] == expected).all()


@pytest.mark.parametrize("text", ["(rating = good) ~ age", "rating = good ~ age", "(not rating != good) ~ age"])
def test_a_condition_may_be_the_outcome(survey: Survey, text: str) -> None:
    outcome = read_formula(survey, text).outcome
    assert outcome.values == ("no", "yes")
    assert outcome.classes.tolist() == [0, 0, 1, 0, 0]
    assert outcome.is_condition


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("sex", "formula, character 1: "),
        ("sex ~ age ~ pay", "formula, character 11: "),
        ("sex ~ age +", "formula, character 11: "),
        ("sex ~ 1", "formula: the formula has no predictor"),
        ("sex ~ ", "formula: the formula has no predictor"),
        ("sex ~ i.age", "formula, character 7: "),
        ("sex ~ age + factor(rating)", "write C(rating)"),
        ('sex ~ C(rating, Treatment("good"))', "formula, character 7: "),
        ("sex ~ I(age**2)", "formula, character 7: "),
        ("sex ~ visits + age**2", "formula, character 16: "),
        ("sex ~ poly(age, 2)", "formula, character 7: "),
        ("sex ~ age | pay", "formula, character 11: "),
        ("sex ~ age + visits = 2", "formula, character 20: "),
        ("sex ~ age + ", "formula, character 11: "),
        ("log(pay) ~ age", "formula, character 1: "),
        ("sex ~ rating + C(rating)", "a question is named twice"),
        ("sex ~ (age", "formula, character 7: "),
        ("sex ~ age)", "formula, character 10: "),
        ("sex ~ age pay", "formula, character 9: "),
        ("sex ~ 2 * age", "formula, character 7: "),
        ("sex ~ .", "formula, character 7: "),
        ("sex ~ log(age)", "formula, character 7: "),
        ("sex ~ {age + 1}", "formula, character 7: "),
        ("sex ~ `age`.__class__", "formula, character 7: "),
        ("sex ~ C(rating, ref=good)", "formula, character 7: "),
        ('sex ~ C(rating, base="good")', "formula, character 7: "),
        ("sex ~ age - 1", "the formula has no intercept"),
        ("sex ~ 0 + age", "the formula has no intercept"),
        ("sex ~ sex + age", "a question is named twice"),
        ("(sex = yes) ~ age + (sex = no)", "a question is named twice"),
        ("sex ~ height", 'there is no question "height"'),
        ("sex ~ (height > 3)", 'there is no question "height"'),
        ("sex ~ (rating = bad)", 'has no value "bad"'),
        ("sex ~ (rating > )", "condition, character"),
        ('sex ~ C(rating, ref="bad")', "there is no such value"),
    ],
)
def test_what_is_no_formula_is_refused_in_one_line(survey: Survey, text: str, line: str) -> None:
    with pytest.raises(QueryError) as raised:
        read_formula(survey, text)
    assert line in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("name", ["class", "from", "has", "intercept", "not", "or", "true"])
def test_a_question_may_have_a_name_that_programs_reserve(name: str) -> None:
    plain = _named(y='kind = "yes_no"', **{name: 'kind = "choice"\nvalues = ["low", "high", "top"]'})
    for written in (name, f"C({name})", f'C({name}, ref="low")'):
        assert columns(plain, f"y ~ {written}")[1:] == [(name, "high"), (name, "top")]


def _named(**kinds: str) -> Survey:
    parts = (f'[[questions]]\nname = "{name}"\nlabel = "Q"\n{kind}\nsensitive = false' for name, kind in kinds.items())
    return parse_survey("\n".join([HEAD, *parts]))


ORDERS = [list(subset) for size in (1, 2, 3) for subset in combinations("abcx", size)]


@pytest.mark.parametrize("seed", range(6))
def test_columns_of_random_formulas_span_and_name_what_those_of_patsy_do(seed: int) -> None:
    rng, values = np.random.default_rng(seed), {"a": 2, "b": 3, "c": 2}
    kinds = {n: f'kind = "choice"\nvalues = {[f"{n}{place}" for place in range(v)]}' for n, v in values.items()}
    number = 'kind = "number"\nminimum = 0\nmaximum = 3\ncuts = [1, 2]'
    made = _named(**kinds, x=number, y='kind = "yes_no"')
    frame = pd.DataFrame([*product(*(range(v) for v in (*values.values(), 3)))], columns=[*"abcx"])
    theirs = frame.assign(x=frame["x"] + 0.5, **{n: [f"{n}{k}" for k in frame[n]] for n in values})
    for _ in range(50):
        text = _random_formula(rng)
        formula = read_formula(made, f"y ~ {text}")
        order = [question.name for question in formula.predictors]
        ours, names = model_matrix(formula, frame[order].to_numpy(np.int16))
        matrix = patsy.dmatrix(text, theirs, return_type="dataframe")
        both = np.hstack([ours, matrix.to_numpy()])
        rank = np.linalg.matrix_rank(both)
        assert rank == np.linalg.matrix_rank(ours) == np.linalg.matrix_rank(matrix.to_numpy()), text
        assert {_effect(*each) for each in names} == {_patsy_effect(each) for each in matrix.columns}, text


def _random_formula(rng: np.random.Generator) -> str:
    text = " + ".join(_random_term(rng) for _ in range(int(rng.integers(1, 4))))
    return f"{text} - {_random_term(rng, joined=':')} + x" if rng.random() < 0.3 else text


def _random_term(rng: np.random.Generator, joined: str | None = None) -> str:
    names = ORDERS[int(rng.integers(len(ORDERS)))]
    if joined is None and rng.random() < 0.2:
        return f"({' + '.join(names)})**2" if len(names) > 1 else names[0]
    return reduce(lambda one, other: f"{one}{joined or rng.choice([':', '*', '/'])}{other}", names)


def _effect(name: str | None, value: str | None) -> frozenset[str]:
    """Return the value of each category of a column, and the numbers, whatever their order."""
    labels = [] if value is None else value.split(":")
    return frozenset([*labels, *(each for each in (name or "").split(":") if each == "x")])


def _patsy_effect(column: str) -> frozenset[str]:
    parts = [] if column == "Intercept" else column.split(":")
    return frozenset(part if part == "x" else part.split("[")[1].removeprefix("T.").removesuffix("]") for part in parts)


def test_a_number_with_one_cut_and_open_ends_has_no_size() -> None:
    survey = survey_of((f"{NUMBER}[5]", "", ""), ('kind = "yes_no"\nsensitive = false', "", ""))
    with pytest.raises(QueryError, match=r"open intervals.* .*C\(q0\)"):
        read_formula(survey, "q1 ~ q0")
    assert read_formula(survey, "q1 ~ C(q0)").terms[0][0].labels == (">=5",)


def test_a_question_whose_name_begins_like_another_is_not_taken_for_it() -> None:
    plain = 'kind = "yes_no"\nsensitive = false'
    formula = read_formula(survey_of(*[(plain, "", "")] * 12), "q0 ~ q1 * q11 + q1:q10")
    assert terms(formula) == ["q1", "q11", "q1:q11", "q1:q10"]


def test_a_disguised_condition_as_outcome_needs_responses_for_each_of_its_values() -> None:
    few, many = (people(count, np.random.default_rng(1))[0] for count in (500, 2000))
    survey, rng, formula = (
        survey_with({"rating": "4/5"}),
        np.random.default_rng(2),
        "(rating in (good, fine)) ~ age * visits",
    )
    with pytest.raises(QueryError, match=r"have \d+ combinations"):
        regress(simulate(survey, few, rng), formula)
    assert len(regress(simulate(survey_with({}), few, rng), formula).terms) == 4
    # of many people too some combinations send no good or fine, which leaves it open how these would divide
    assert len(regress(simulate(survey, many, rng), formula).terms) == 4


@pytest.mark.parametrize("truths", [{}, {"rating": "4/5"}, {"rating": "4/5", "sex": "9/10"}])
def test_a_condition_is_the_dummy_that_a_category_would_be(truths: dict[str, str]) -> None:
    rng = np.random.default_rng(4)
    sent = simulate(survey_with(truths), people(3000, rng)[0], rng)
    merged = regress(sent, "rating ~ (sex = yes) * (age >= 40)").terms
    named = regress(sent, "rating ~ sex * (age >= 40)").terms
    assert [each.coefficient for each in merged] == pytest.approx([each.coefficient for each in named])


@pytest.mark.statistical
@pytest.mark.parametrize("channel", ["uniform", "complement"])
def test_a_disguised_outcome_may_be_a_condition_of_several_values(channel: str) -> None:
    # Seeded. Each of 3 coefficients within 4 standard errors: a fresh seed fails once in 5,000.
    rng = np.random.default_rng(5)
    values = people(6000, rng)[0]
    plain = regress(simulate(survey_with({}), values, rng), "(rating in (good, fine)) ~ sex + age").terms
    sent = simulate(survey_with({"rating": "4/5", "sex": "9/10"}, channel), values, rng)
    found = regress(sent, "(rating in (good, fine)) ~ sex + age").terms
    for one, other in zip(found, plain, strict=True):
        assert abs(one.coefficient - other.coefficient) < 4 * one.standard_error
        assert one.standard_error > other.standard_error


@pytest.mark.statistical
@pytest.mark.parametrize("among", ["pay >= 1500", "age >= 40", "rating != poor", "pay < 2000 or age < 20"])
def test_a_regression_among_some_is_that_of_their_answers(among: str) -> None:
    # Seeded. Each coefficient within 4 standard errors of that of the undisguised answers, which it is close to.
    rng = np.random.default_rng(6)
    values = people(6000, rng)[0]
    plain, sent = (
        simulate(survey_with(truths), values, rng) for truths in ({}, dict.fromkeys(["rating", "pay", "sex"], "4/5"))
    )
    expected, found = (regress(each, "rating ~ sex", family="ordinal", among=among) for each in (plain, sent))
    assert [each.name for each in found.terms] == [each.name for each in expected.terms]
    for one, other in zip(found.terms, expected.terms, strict=True):
        assert abs(one.coefficient - other.coefficient) < 4 * one.standard_error
    kept = {"age >= 40": values[:, 1] >= 2, "rating != poor": values[:, 2] > 0, "pay >= 1500": values[:, 4] >= 2}
    if among in kept:
        assert expected.n == kept[among].sum()
        some = simulate(survey_with({}), values[kept[among]], rng)
        alone = regress(some, "rating ~ sex", family="ordinal")
        assert [each.coefficient for each in alone.terms] == pytest.approx(
            [each.coefficient for each in expected.terms], abs=1e-6
        )


def test_a_value_that_nobody_gives_is_left_out_with_a_remark() -> None:
    rng = np.random.default_rng(8)
    values = people(2000, rng)[0]
    values[values[:, 2] == 3, 2] = 2
    for truths in ({}, {"rating": "1"}):
        found = regress(simulate(survey_with(truths), values, rng), "sex ~ rating")
        assert [each.value for each in found.terms] == [None, "fair", "good"]
        assert '"rating = fine"' in found.remarks[0]
    found = regress(simulate(survey_with({}), values, rng), "rating ~ sex")
    assert {each.outcome_value for each in found.terms} == {"fair", "good"}
    (remark,) = found.remarks
    assert '"rating = fine"' in remark
    assert "left out" in remark


def test_the_remedy_names_the_outcomes_value_where_that_is_rare() -> None:
    values = people(2000, np.random.default_rng(9))[0]
    values[:, 2] = np.where(values[:, 2] == 3, 2, values[:, 2])
    values[np.flatnonzero(values[:, 0] == 0)[:3], 2] = 3
    sent = simulate(survey_with({}), values, np.random.default_rng(1))
    with pytest.raises(QueryError, match='"fine"'):
        regress(sent, "rating ~ sex")


@pytest.mark.parametrize("truths", [{}, {"sex": "4/5", "rating": "4/5"}])
def test_a_predictor_that_is_the_same_for_everybody_is_named(truths: dict[str, str]) -> None:
    rng = np.random.default_rng(3)
    sent = simulate(survey_with(truths), people(1500, rng)[0], rng)
    with pytest.raises(QueryError, match='"rating = fair"'):
        regress(sent, "sex ~ age + rating", among="rating = fair")
