"""Logistic regression with sampling weights: the digits of R's svyglm, and what coins add."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from api_schools import POPULATION, pupils, schools
from collector.errors import QueryError
from miner.arrays import Floats
from miner.estimates.estimate import estimate
from miner.estimates.regress import regress, sandwich
from miner.figures.sample import Sample
from miner.figures.sample_design import SampleDesign
from miner.figures.units import Units
from miner.responses.responses import Responses
from miner.simulation.simulation import simulate
from small_surveys import survey_of
from split_surveys import split_survey

REGION = 'kind = "choice"\nsensitive = false\nvalues = ["north", "south"]'
SCHOOL = 'kind = "choice"\nsensitive = false\nvalues = ["s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8"]'
YES_NO = 'kind = "yes_no"'


def logit(outcome: Floats, predictors: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Coefficients, information and slopes of a weighted logistic regression, by Newton's method."""
    beta = np.zeros(predictors.shape[1])
    for _ in range(30):
        fitted = 1 / (1 + np.exp(-predictors @ beta))
        slopes = predictors * (weights * (outcome - fitted))[:, None]
        information = (predictors * (weights * fitted * (1 - fitted))[:, None]).T @ predictors
        beta = beta + np.linalg.solve(information, slopes.sum(axis=0))
    return beta, information, slopes


def districts(table: pd.DataFrame) -> Units:
    """The districts of schools, of 757."""
    district = np.unique(table["dnum"], return_inverse=True)[1]
    return Units(np.ones(len(table)), np.zeros(len(table), np.intp), district, np.array([757.0]))


def people(n: int, seed: int, how: str) -> Responses:
    """Region and school, sent as they are; an outcome that a predictor, both disguised, makes commoner."""
    survey = survey_of((REGION, "", ""), (SCHOOL, "", ""), (YES_NO, "g", how), (YES_NO, "h", how))
    rng = np.random.default_rng(seed)
    predictor = rng.random(n) < 0.4
    outcome = rng.random(n) < np.where(predictor, 0.6, 0.3)
    values = np.stack([rng.integers(0, 2, n), rng.integers(0, 8, n), ~outcome, ~predictor], axis=1)
    return simulate(survey, values.astype(np.int16), rng)


def test_the_sandwich_by_clusters_has_the_digits_of_r(apiclus1: pd.DataFrame) -> None:
    predictors = np.column_stack([np.ones(len(apiclus1)), apiclus1["ell"], apiclus1["meals"]]).astype(float)
    outcome = (apiclus1["sch.wide"] == "Yes").to_numpy(float)
    beta, information, slopes = logit(outcome, predictors, apiclus1["pw"].to_numpy())
    errors = np.sqrt(np.diag(sandwich(information, slopes, districts(apiclus1))))
    assert beta.round(6).tolist() == [1.899557, 0.039925, -0.019115]
    assert errors.round(6).tolist() == [0.509915, 0.012443, 0.008825]


def test_a_logistic_regression_on_numbers_has_the_digits_of_r(apiclus1: pd.DataFrame) -> None:
    sample = Sample(pupils(apiclus1), SampleDesign(clusters="dnum", sizes=757.0))
    terms = regress(sample, "sch_wide ~ ell + meals").terms
    assert [round(each.coefficient, 6) for each in terms] == [1.899557, 0.039925, -0.019115]
    assert [round(each.standard_error, 6) for each in terms] == [0.509915, 0.012443, 0.008825]


@pytest.mark.parametrize("raked", [False, True])
def test_undisguised_schools_are_fitted_as_by_hand(apiclus1: pd.DataFrame, *, raked: bool) -> None:
    margins = {"stype": POPULATION["stype"]} if raked else {}
    sample = Sample(schools(apiclus1)[0], SampleDesign(clusters="dnum", sizes=757.0, margins=margins))
    kind = apiclus1["stype"].to_numpy()
    dummies = np.column_stack([kind == each for each in "EHM"]).astype(float)
    weights = np.ones(len(kind))
    if raked:
        totals = np.array([POPULATION["stype"][each] for each in "EHM"])
        weights = dummies @ (totals / dummies.sum(axis=0))
        weights *= len(weights) / weights.sum()
    predictors = np.column_stack([np.ones(len(kind)), dummies[:, 1:]])
    outcome = (apiclus1["sch.wide"] == "Yes").to_numpy(float)
    beta, information, slopes = logit(outcome, predictors, weights)
    if raked:  # the only margin: slopes less their means for each kind of school
        alone = slopes / weights[:, None]
        slopes = weights[:, None] * (alone - dummies @ ((dummies.T @ alone) / dummies.sum(axis=0)[:, None]))
    errors = np.sqrt(np.diag(sandwich(information, slopes, districts(apiclus1))))
    terms = regress(sample, "sch_wide ~ stype", {"sch_wide": "No"}).terms
    assert [each.name for each in terms] == ["intercept", "stype = H", "stype = M"]
    assert [each.coefficient for each in terms] == pytest.approx(beta.tolist(), abs=1e-7)
    assert [each.standard_error for each in terms] == pytest.approx(errors.tolist(), rel=1e-6)
    assert [each.freedom for each in terms] == pytest.approx([15 - 1 - 3 + 1] * 3)


@pytest.mark.parametrize("formula", ["q2 ~ q0", "q2 ~ q3", "q2 ~ q3 * q0", "q0 ~ q2"])
def test_a_simple_sample_has_the_errors_of_the_likelihood_but_for_the_model(formula: str) -> None:
    sent = people(20_000, 1, 'truth = "4/5"')
    ours, theirs = regress(Sample(sent, SampleDesign()), formula), regress(sent, formula)
    for one, other in zip(ours.terms, theirs.terms, strict=True):
        assert one.coefficient == pytest.approx(other.coefficient, abs=1e-6)
        assert one.standard_error == pytest.approx(other.standard_error, rel=0.02)


def test_a_sampling_weight_of_three_counts_as_three_responses() -> None:
    sent = people(2000, 2, 'truth = "4/5"')
    design = SampleDesign({"q0": {"north": 1.0, "south": 3.0}})
    tripled = sent.take(np.repeat(np.arange(len(sent)), 1 + 2 * (sent.codes[:, 0] == 1)))
    ours, theirs = regress(Sample(sent, design), "q2 ~ q3"), regress(tripled, "q2 ~ q3")
    for one, other in zip(ours.terms, theirs.terms, strict=True):
        assert one.coefficient == pytest.approx(other.coefficient, abs=1e-6)
        assert one.standard_error > 1.2 * other.standard_error  # which takes copies for people


def test_a_finite_population_corrects_the_errors_of_answers_that_are_not_disguised_alone() -> None:
    half = SampleDesign(strata="q0", sizes={"north": 2000.0, "south": 2000.0})
    for how, times in (('truth = "1"', np.sqrt(0.5)), ('truth = "4/5"', 1.0)):
        sent = people(2000, 3, how)
        north = int((sent.codes[:, 0] == 0).sum())
        design = replace(half, sizes={"north": 2.0 * north, "south": 2.0 * (2000 - north)})
        ours = regress(Sample(sent, design), "q2 ~ q3").terms
        free = regress(Sample(sent, replace(half, sizes=None)), "q2 ~ q3").terms
        for one, other in zip(ours, free, strict=True):
            assert one.standard_error == pytest.approx(times * other.standard_error)


def test_intervals_and_p_values_are_students() -> None:
    term = regress(Sample(people(2000, 4, 'truth = "4/5"'), SampleDesign(clusters="q1")), "q2 ~ q3").terms[1]
    assert term.freedom == pytest.approx(8 - 1 - 2 + 1)
    assert (term.interval[1] - term.coefficient) / term.standard_error == pytest.approx(2.4469, abs=1e-4)
    normal = replace(term, freedom=np.inf)
    assert normal.p_value < term.p_value


def test_a_split_questionnaire_has_shares_with_sampling_weights_and_no_regression() -> None:
    survey = split_survey()
    names = [question.name for question in survey.questions]
    values = np.zeros((400, len(names)), np.int16)
    values[:, names.index("sick")] = np.arange(400) % 2
    sent = simulate(survey, values, np.random.default_rng(6))
    share = estimate(Sample(sent, SampleDesign()), "sick = sick0")
    assert (share.estimate, share.n) == (pytest.approx(estimate(sent, "sick = sick0").estimate), 400)
    with pytest.raises(QueryError, match="some of its questions only"):
        regress(Sample(sent, SampleDesign()), f"sick ~ {next(each for each in names if each != 'sick')}")
    with pytest.raises(QueryError, match="finite population correction"):
        estimate(Sample(sent, SampleDesign(sizes=1000.0)), "sick = sick0")


def test_what_cannot_be_fitted_is_refused_with_a_remedy() -> None:
    sent = people(2000, 5, 'truth = "4/5"')
    for design, formula, problem in (
        (SampleDesign(margins={"q2": {"yes": 1.0, "no": 1.0}}), "q2 ~ q3", 'cannot rake by "q2"'),
        (SampleDesign(clusters="q0"), "q2 ~ q3", "too many for 1 degrees of freedom"),
        (SampleDesign({"q0": {"north": 1.0}}), "q2 ~ q3", "is missing"),
        (SampleDesign(strata="q3"), "q2 ~ q3", "that everybody answers undisguised"),
    ):
        with pytest.raises(QueryError, match=problem):
            regress(Sample(sent, design), formula)


def test_the_unit_of_sampling_weights_changes_nothing_not_even_the_likelihood() -> None:
    sent = people(1000, 7, 'truth = "4/5"')
    one, three = (
        regress(Sample(sent, SampleDesign({"q0": {"north": each, "south": 2 * each}})), "q2 ~ q3")
        for each in (1.0, 3.0)
    )
    assert three.log_likelihood == pytest.approx(one.log_likelihood, rel=1e-9)
    assert -2000 * np.log(2) < one.log_likelihood < 0  # of 1,000 people, whatever they stand for
    for first, second in zip(one.terms, three.terms, strict=True):
        assert first.standard_error == pytest.approx(second.standard_error, rel=1e-9)
