"""Margins and predictions: as statsmodels computes them undisguised, and around the truth behind coins."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy.special import expit

from benchmarks.data.regression_people import MIDDLES, PAY, RATING, THRESHOLDS, VISITS, people, survey_with
from collector.errors import QueryError
from miner.estimates.regress import regress
from miner.estimates.regression import Regression
from miner.figures.sample import Sample
from miner.figures.sample_design import SampleDesign
from miner.responses.responses import Responses
from miner.simulation.simulation import simulate

BOTH = {"sex": "4/5", "rating": "4/5", "visits": "4/5", "pay": "4/5"}


@pytest.fixture(scope="module")
def plain() -> Responses:
    return simulate(survey_with({}), people(2000, np.random.default_rng(1))[0], np.random.default_rng(2))


def row_of(found: pd.DataFrame, question: str, value: str, outcome: str | None) -> pd.Series:
    same = found["outcome_value"].isna() if outcome is None else found["outcome_value"] == outcome
    return found[(found["question"] == question) & (found["value"] == value) & same].iloc[0]


def test_undisguised_a_contrast_is_the_average_effect_of_statsmodels(plain: Responses) -> None:
    values, x = people(2000, np.random.default_rng(1))
    better = (values[:, 2] >= 2).astype(float)
    fit = sm.Logit(better, sm.add_constant(x)).fit(disp=0, tol=1e-12)
    theirs = fit.get_margeff(at="overall", dummy=True)
    found = row_of(regress(plain, "(rating in (good, fine)) ~ sex + age").margins(), "sex", "yes", "yes")
    assert found["contrast"] == pytest.approx(theirs.margeff[0], abs=1e-6)
    woman, man = (fit.predict(sm.add_constant(np.column_stack([np.full(2000, sex), x[:, 1]]), has_constant="add"))
                  for sex in (1.0, 0.0))  # fmt: skip
    assert found["estimate"] == pytest.approx(woman.mean(), abs=1e-6)
    mix = (woman - man).var() / 2000  # people are a sample: statsmodels takes them for all there are
    assert found["contrast_error"] ** 2 == pytest.approx(theirs.margeff_se[0] ** 2 + mix, rel=1e-5)


@pytest.mark.parametrize("family", ["normal", "poisson"])
def test_a_prediction_and_its_error_are_those_of_statsmodels(plain: Responses, family: str) -> None:
    values, x = people(2000, np.random.default_rng(1))
    rows = pd.DataFrame({"sex": ["yes", "no"], "age": [25, ">=60"]}, index=[7, 8])
    if family == "poisson":
        found = regress(plain, "visits ~ sex + age", family="poisson").predict(rows)
        fit = sm.GLM(values[:, 3], sm.add_constant(x), family=sm.families.Poisson()).fit(tol=1e-13)
        theirs = fit.get_prediction(np.array([[1, 1, 30], [1, 0, 70]])).summary_frame()
        assert found["estimate"].to_numpy() == pytest.approx(theirs["mean"].to_numpy(), rel=2e-3)  # 12 and more is open
        assert found["standard_error"].to_numpy() == pytest.approx(theirs["mean_se"].to_numpy(), rel=1e-2)
        assert found["lower"].to_numpy() == pytest.approx(theirs["mean_ci_lower"].to_numpy(), rel=2e-3)
    else:
        fitted = regress(plain, "pay ~ sex + age", family="normal")
        found, at = fitted.predict(rows), np.array([[1, 1, 30], [1, 0, 70]])
        assert found["estimate"].to_numpy() == pytest.approx(at @ [each.coefficient for each in fitted.terms])
        expected = np.sqrt(np.diag(at @ fitted.covariance.to_numpy() @ at.T))
        assert found["standard_error"].to_numpy() == pytest.approx(expected)
    assert found["row"].tolist() == [7, 8]


@pytest.mark.parametrize("family", ["logit", "ordinal"])
def test_chances_and_margins_of_an_outcome_add_up_to_1(plain: Responses, family: str) -> None:
    found: Regression = regress(plain, "rating ~ sex * C(age)", family=family)  # type: ignore[arg-type] # a family
    rows = found.predict(pd.DataFrame({"sex": ["yes", "no"], "age": [25, 70]}))
    assert rows.groupby("row")["estimate"].sum().to_numpy() == pytest.approx([1, 1])
    margins = found.margins()
    assert margins.groupby(["question", "value"])["estimate"].sum().to_numpy() == pytest.approx(np.ones(6))
    assert ((margins["lower"] > 0) & (margins["upper"] < 1)).all()
    assert margins.groupby(["question", "value"])["contrast"].sum().abs().max() < 1e-12


@pytest.mark.parametrize("truth", ["1", "4/5"])
def test_the_errors_of_margins_are_the_slopes_along_all_that_is_estimated(truth: str) -> None:
    """A saturated logit of one disguised predictor: its margin is the odds, and knows of no mix of people."""
    rng = np.random.default_rng(3)
    sent = simulate(survey_with({"sex": truth, "rating": truth}), people(3000, rng)[0], rng)
    found = regress(sent, "(rating = fine) ~ sex")
    margin = row_of(found.margins(), "sex", "yes", "yes")
    design = np.array([1.0, 1.0])
    score = design @ [each.coefficient for each in found.terms]
    error = np.sqrt(design @ found.covariance.to_numpy() @ design)
    assert margin["estimate"] == pytest.approx(expit(score))
    assert margin["standard_error"] == pytest.approx(error * expit(score) * expit(-score))
    assert margin["lower"] == pytest.approx(expit(score - 1.959963984540054 * error))


@pytest.mark.statistical
def test_margins_come_back_through_the_disguise() -> None:
    # Seeded. Each of 3 contrasts within 4 standard errors: a fresh seed fails once in 5,000.
    rng = np.random.default_rng(11)
    sent = simulate(survey_with(BOTH), people(5000, rng)[0], rng)
    ends = [0.0, *expit(np.subtract.outer(THRESHOLDS, RATING[0] + RATING[1] * MIDDLES)).mean(axis=1), 1.0]
    found = regress(sent, "rating ~ sex + age", family="ordinal").margins()
    for outcome, (low, high) in zip(("poor", "fair", "good", "fine"), pairwise(ends), strict=True):
        margin = row_of(found, "sex", "yes", outcome)
        assert abs(margin["estimate"] - (high - low)) < 4 * margin["standard_error"]
    visits = row_of(regress(sent, "visits ~ sex + age", family="poisson").margins(), "sex", "yes", None)
    truth = np.exp(VISITS[0] + VISITS[2] * MIDDLES).mean() * (np.exp(VISITS[1]) - 1)
    assert abs(visits["contrast"] - truth) < 4 * visits["contrast_error"]
    pay = row_of(regress(sent, "pay ~ sex + age", family="normal").margins(), "sex", "yes", None)
    assert abs(pay["contrast"] - PAY[1]) < 4 * pay["contrast_error"]


def test_with_sampling_weights_there_are_predictions_and_no_margins(plain: Responses) -> None:
    sample = Sample(plain, SampleDesign({"sex": {"yes": 1, "no": 2}}))
    found = regress(sample, "rating ~ sex + age", family="ordinal", among="pay >= 1000")
    assert len(found.predict(pd.DataFrame({"sex": ["yes"], "age": [25]}))) == 4
    with pytest.raises(QueryError, match="sampling weights"):
        found.margins()


def test_the_frame_has_the_names_of_broom_and_the_covariance_is_there(plain: Responses) -> None:
    found = regress(plain, "rating ~ sex", family="ordinal")
    frame = found.to_frame()
    names = ["term", "estimate", "std.error", "statistic", "p.value", "conf.low", "conf.high"]
    assert list(frame.columns) == ["term", "coef.type", *names[1:]]
    assert list(regress(plain, "rating ~ sex").to_frame().columns) == ["y.level", *names]
    assert frame["term"].tolist() == ["poor|fair", "fair|good", "good|fine", "sex = yes"]
    assert np.sqrt(np.diag(found.covariance)) == pytest.approx(frame["std.error"].to_numpy())
    assert list(found.covariance.columns) == frame["term"].tolist()
