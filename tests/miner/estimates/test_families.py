"""Families of regressions: undisguised as others compute them, and through the disguise around the truth."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.optimize import minimize
from scipy.stats import norm
from statsmodels.miscmodels.ordinal_model import OrderedModel

from benchmarks.data.regression_people import PAY, PAY_SPREAD, RATING, THRESHOLDS, VISITS, people, survey_with
from collector.errors import QueryError
from miner.arrays import Floats
from miner.effects.formula import read_formula
from miner.effects.regressions import RegressionLikelihood, fit_regression
from miner.estimates.design import design_of
from miner.estimates.regress import regress
from miner.estimates.regression import Family, Regression
from miner.simulation.simulation import simulate
from small_surveys import survey_of

CUTS = np.array([-np.inf, 1000, 1500, 2000, 3000, np.inf])
ALL = dict.fromkeys(["sex", "rating", "visits", "pay"], "4/5")


def figures(found: Regression) -> tuple[list[float], list[float]]:
    return [term.coefficient for term in found.terms], [term.standard_error for term in found.terms]


@pytest.mark.parametrize("truths", [{}, dict.fromkeys(["sex", "rating"], "1")])
def test_undisguised_or_at_truth_1_proportional_odds_are_those_of_statsmodels(truths: dict[str, str]) -> None:
    values, x = people(2000, np.random.default_rng(1))
    sent = simulate(survey_with(truths), values, np.random.default_rng(2))
    found = regress(sent, "rating ~ sex + age", family="ordinal")
    coefficients, errors = figures(found)
    assert [term.name for term in found.terms] == ["poor|fair", "fair|good", "good|fine", "sex = yes", "age"]
    theirs = OrderedModel(values[:, 2], x, distr="logit")  # its likelihood at our point: its solver may not converge
    point = np.array([*coefficients[3:], coefficients[0], *np.log(np.diff(coefficients[:3]))])
    information = -theirs.hessian(point)
    assert np.linalg.solve(information, theirs.score(point)) == pytest.approx(np.zeros(5), abs=1e-6)
    assert errors[3:] == pytest.approx(np.sqrt(np.diag(np.linalg.inv(information))[:2]), rel=1e-5)
    if not truths:
        assert found.log_likelihood == pytest.approx(theirs.loglike(point), abs=1e-6)


@pytest.mark.parametrize("truths", [{}, dict.fromkeys(["sex", "visits"], "1")])
def test_undisguised_or_at_truth_1_a_poisson_regression_is_that_of_statsmodels(truths: dict[str, str]) -> None:
    values, x = people(2000, np.random.default_rng(1), most_visits=11)
    sent = simulate(survey_with(truths), values, np.random.default_rng(2))
    found = regress(sent, "visits ~ sex + age", family="poisson")
    theirs = sm.GLM(values[:, 3], sm.add_constant(x), family=sm.families.Poisson()).fit(tol=1e-13)
    coefficients, errors = figures(found)
    assert coefficients == pytest.approx(theirs.params, abs=1e-6)
    assert errors == pytest.approx(theirs.bse, rel=1e-6)


def test_a_number_that_may_be_below_0_is_no_count() -> None:
    number, plain = 'kind = "number"\nsensitive = false\ncuts = [0, 5]', 'kind = "yes_no"\nsensitive = false'
    values = np.random.default_rng(1).integers(0, 2, (60, 2)).astype(np.int16)
    sent = simulate(survey_of((number, "", ""), (plain, "", "")), values, np.random.default_rng(2))
    with pytest.raises(QueryError, match='"q0" may be below 0'):
        regress(sent, "q0 ~ q1", family="poisson")


def test_undisguised_a_normal_regression_maximises_the_likelihood_of_intervals() -> None:
    values, x = people(2000, np.random.default_rng(1))
    found = regress(simulate(survey_with({}), values, np.random.default_rng(2)), "pay ~ sex + age", family="normal")
    table, low, high = sm.add_constant(x / [1, 100]), CUTS[values[:, 4]] / 1000, CUTS[values[:, 4] + 1] / 1000

    def cost(point: Floats) -> float:
        mean, sigma = table @ point[:-1], np.exp(point[-1])
        return -float(np.log(norm.cdf((high - mean) / sigma) - norm.cdf((low - mean) / sigma)).sum())

    theirs = minimize(cost, np.array([1.5, 0, 0, 0]), method="BFGS", options={"gtol": 1e-7})
    expected = theirs.x[:3] * [1000, 1000, 10]
    coefficients, _ = figures(found)
    assert coefficients == pytest.approx(expected, rel=1e-4)
    assert found.sigma == pytest.approx(1000 * np.exp(theirs.x[3]), rel=1e-4)
    assert found.log_likelihood == pytest.approx(-theirs.fun, abs=1e-6)


@pytest.mark.parametrize(
    ("formula", "family", "among", "channel"),
    [
        ("rating ~ sex * age", "logit", None, "uniform"),
        ("rating ~ sex", "ordinal", "pay < 1500", "uniform"),
        ("visits ~ sex", "poisson", None, "complement"),
        ("pay ~ sex + age", "normal", None, "uniform"),
        ("(rating in (good, fine)) ~ sex", "logit", None, "complement"),
        ("(rating in (good, fine)) ~ sex", "logit", "rating != fine", "complement"),
    ],
)
def test_slopes_and_information_are_derivatives_of_the_log_likelihood(
    formula: str, family: Family, among: str | None, channel: str
) -> None:
    survey, rng = survey_with(ALL, channel), np.random.default_rng(3)
    sent = simulate(survey, people(500, rng)[0], rng)
    design = design_of(sent, read_formula(survey, formula, ordered=family != "logit"), family, among)
    model = RegressionLikelihood(design.data)
    point = fit_regression(design.data).point
    point = point + rng.normal(size=len(point)) / 20
    here, step = model.at(point), 1e-4
    units = np.eye(len(point)) * step
    kept = ~((here.information == np.eye(len(point))).all(axis=1))
    assert kept[: model.width].all()
    assert kept.sum() > model.width

    def slope(at: Floats) -> Floats:
        return np.array([(model.height(at + unit) - model.height(at - unit)) / (2 * step) for unit in units])[kept]

    assert here.slope[kept] == pytest.approx(slope(point), abs=1e-3)
    bent = np.array([model.at(point - unit).slope - model.at(point + unit).slope for unit in units[kept]]) / (2 * step)
    assert here.information[np.ix_(kept, kept)] == pytest.approx(bent[:, kept], abs=1e-2)


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("formula", "family", "truth"),
    [
        ("rating ~ sex + age", "ordinal", [*THRESHOLDS, *RATING]),
        ("visits ~ sex + age", "poisson", [*VISITS]),
        ("pay ~ sex + age", "normal", [*PAY]),
    ],
)
def test_coefficients_come_back_through_the_disguise_of_both_sides(
    formula: str, family: Family, truth: list[float]
) -> None:
    # Seeded. Each of at most 5 coefficients within 4 standard errors: a fresh seed fails once in 3,000.
    rng = np.random.default_rng(7)
    found = regress(simulate(survey_with(ALL), people(5000, rng)[0], rng), formula, family=family)
    coefficients, errors = map(np.array, figures(found))
    assert np.abs((coefficients - truth) / errors).max() < 4
    if family == "normal":
        assert found.sigma == pytest.approx(PAY_SPREAD, rel=0.1)


@pytest.mark.parametrize(
    ("formula", "family", "line"),
    [
        ("sex ~ age", "ordinal", 'the values of the outcome "sex" have no order; name a scale or a number'),
        ("(rating = poor) ~ age", "ordinal", 'the outcome "rating = poor" has no order'),
        ("rating ~ age", "poisson", '"rating" is no number'),
        ("rating ~ age", "probit", "there is no such family of regressions"),
        (
            'C(rating, ref="good") ~ age',
            "ordinal",
            "is ordered, so it has no reference value; remove the reference value",
        ),
    ],
)
def test_an_outcome_that_does_not_suit_its_family_is_refused(formula: str, family: Family, line: str) -> None:
    sent = simulate(survey_with({}), people(50, np.random.default_rng(1))[0], np.random.default_rng(2))
    with pytest.raises(QueryError, match=line):
        regress(sent, formula, family=family)
