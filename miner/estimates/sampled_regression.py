"""Fit regressions to disguised responses with sampling weights (`miner.effects.regressions`).

The coefficients maximise a pseudo-likelihood, in which each log-likelihood is multiplied by the response's sampling
weight (Binder 1983). The covariance of coefficients is a sandwich estimate, from the observed information and the
variance of people's slopes by strata and clusters (`miner.figures.units`). The degrees of freedom are those of the
people that the regression is about. If a question of the regression is
disguised, there is no finite population correction.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from collector.errors import QueryError
from miner.arrays import Floats
from miner.behind.candidates import asked_patterns, patterns_of
from miner.effects.formula import read_formula
from miner.effects.regressions import RegressionLikelihood
from miner.estimates.design import Family, design_of
from miner.estimates.regression import Regression, fitted, natural, regression_of
from miner.figures.cells import SampledRows
from miner.figures.raking import residuals
from miner.figures.sample_design import SampleDesign
from miner.figures.units import ROUNDING, Units
from miner.responses.responses import Data

PLACE = "regression"


def regress_sample(  # noqa: PLR0913 - one for each option of the command
    source: Data,
    sampled: SampleDesign,
    formula: str,
    references: Mapping[str, str] | None = None,
    *,
    family: Family = "logit",
    among: str | None = None,
) -> Regression:
    """Fit a regression to disguised responses with sampling weights.

    Args:
        source: Disguised responses, in memory or on disk.
        sampled: Sampling design of the respondents.
        formula: Formula of the regression (see `miner.estimates.regression.regress`).
        references: Reference value of each of some questions (see `miner.estimates.regression.regress`).
        family: Family of the regression (see `miner.estimates.regression.regress`).
        among: Condition that restricts the regression to a subgroup, or None for everybody.

    Raises:
        QueryError: If the regression cannot be fitted (`miner.estimates.regression.regress`), or the design does not
            fit the survey, rakes by a disguised question, or has too few clusters for the number of coefficients.
    """
    survey, responses = source.survey, source.in_memory()
    if survey.sampling is not None:
        problem = "the survey asks each person some of its questions only, and responses have sampling weights"
        raise QueryError(
            PLACE, problem, "fit the regression without a sample file, or estimate shares and differences instead"
        )
    for name in sampled.margins:
        if survey.is_disguised(name):
            problem = f'it cannot rake by "{name}", whose answers are not known'
            raise QueryError(PLACE, problem, "rake by questions that are sent as they are")
    design = design_of(responses, read_formula(survey, formula, references, ordered=family != "logit"), family, among)
    names = [question.name for question in design.questions]
    rows = SampledRows.of(responses, sampled, names)
    cells = rows.cells([[(1, [{}])]])
    weights = rows.weights * (cells.table @ cells.factors)
    masses = rows.found.counts * weights
    weights *= rows.found.people / masses.sum()
    places = [survey.column(name) for name in names]
    pattern = patterns_of(rows.found.responses, places, asked_patterns(responses, places)[0])
    counts = np.bincount(pattern, rows.found.counts * weights, int(pattern.max()) + 1).astype(np.float64)
    data = design.data
    data = replace(data, rows=replace(data.rows, counts=counts[design.responses]))
    fit = fitted(design._replace(data=data))
    model = RegressionLikelihood(data)
    along = model.person_slopes(fit.point)
    every = np.zeros((len(counts), along.shape[1]))
    every[design.responses] = along
    slopes = every[pattern]
    left = slopes
    if sampled.margins:
        left = residuals(rows.found.counts * rows.weights, slopes, cells.table @ cells.indicators)
    units = rows.units
    if any(survey.is_disguised(name) for name in names):
        units = replace(units, sizes=np.full(len(units.sizes), np.inf))
    inside = np.isin(pattern, design.responses)
    domain = units.freedom_in(inside)
    if domain < len(design.columns):
        problem = f"{len(design.columns)} coefficients are too many for {domain:g} degrees of freedom"
        raise QueryError(
            PLACE,
            problem,
            "leave out predictors or choose more people: there may be at most as many coefficients as clusters minus "
            "strata of the people that the regression is about",
        )
    terms, size = left * weights[:, None], len(fit.covariance)
    estimated = model.estimated(fit.point)
    covariance = sandwich(fit.information, terms, units)[:size, :size] * np.outer(estimated, estimated)
    influence = (terms @ np.linalg.inv(fit.information))[:, : fit.width] @ natural(design, fit)[1].T
    if (np.diag(covariance)[: fit.width] <= ROUNDING**2 * np.diag(np.linalg.inv(fit.information))[: fit.width]).any():
        problem = "the clusters do not differ, so a coefficient would have the standard error 0"
        raise QueryError(PLACE, problem, "leave out the predictor, or the sample file if everybody was asked")
    freedom = np.array([units.freedom_of(each, inside) for each in influence.T]) - len(design.columns) + 1
    return regression_of(design, replace(fit, covariance=covariance), rows.found.people, np.maximum(freedom, 1))


def sandwich(information: Floats, slopes: Floats, units: Units) -> Floats:
    """Return the sandwich covariance of coefficients that maximise a pseudo-likelihood.

    Args:
        information: Observed information with sampling weights, shape (coefficients, coefficients).
        slopes: Slopes of one response's log-likelihood times its sampling weight, shape (responses, coefficients).
        units: Strata and clusters of the responses.
    """
    inverse = np.linalg.inv(information)
    found: Floats = inverse @ units.covariance(slopes) @ inverse
    return found
