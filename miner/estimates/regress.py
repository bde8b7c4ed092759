"""Fit regressions to disguised responses, with or without sampling weights (`miner.effects.regressions`).

In a sample the coefficients maximise a pseudo-likelihood, in which each log-likelihood is multiplied by the response's
sampling weight (Binder 1983). The covariance of coefficients is a sandwich estimate, from the observed information and
the variance of people's slopes by strata and clusters (`miner.figures.units`). The degrees of freedom are those of the
people that the regression is about. If a question of the regression is disguised, there is no finite population
correction.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import get_args

import numpy as np

from collector.errors import QueryError, suggestion
from miner.arrays import Floats
from miner.behind.candidates import asked_patterns, patterns_of
from miner.effects.formula import read_formula
from miner.effects.regressions import RegressionLikelihood
from miner.estimates.design import Design, Family, design_of
from miner.estimates.regression import Regression, fitted, natural, regression_of
from miner.figures.partition import Partition
from miner.figures.raking import residuals
from miner.figures.sample import Sample, parts_of
from miner.figures.units import ROUNDING, Units
from miner.responses.responses import Data, Responses

FAMILIES: tuple[Family, ...] = get_args(Family)
PLACE = "regression"


def regress(  # noqa: PLR0913 - one for each option of the command
    responses: Data,
    formula: str,
    references: Mapping[str, str] | None = None,
    *,
    family: Family = "logit",
    among: str | None = None,
    others: Sequence[Responses] = (),
) -> Regression:
    """Fit a regression to disguised responses.

    Args:
        responses: Disguised responses, or a sample.
        formula: Formula ``outcome ~ predictor + predictor ...``. A term is the name of a question, ``C(name,
            ref="value")``, or a condition in brackets; ``a * b`` stands for two terms and their interaction.
        references: Reference value of a question, by its name. [default: ``no``, or the first value]
        family: Family of the regression: ``logit``, ``ordinal``, ``normal`` (for a number) or ``poisson`` (for a
            count).
        among: Condition that restricts the regression to a subgroup. The condition may name disguised questions.
        others: Responses of other people to other versions of the survey, which may be disguised differently or not at
            all.

    Raises:
        QueryError: If the formula does not fit the survey or the family, a question's values differ between versions,
            there are too few responses, no maximum of the likelihood is found, or the design of a sample does not fit
            the survey, rakes by a disguised question, or has too few clusters for the number of coefficients.
    """
    if family not in FAMILIES:
        raise QueryError("family", "there is no such family of regressions", suggestion(family, FAMILIES))
    if isinstance(responses, Sample):
        _check_sample(responses, others)
    read = read_formula(responses.survey, formula, references, ordered=family != "logit")
    design = design_of(parts_of(responses)[0].in_memory(), read, family, among, others)
    if isinstance(responses, Sample):
        return _of_sample(responses, design)
    return regression_of(design, fitted(design), design.data.rows.people)


def _check_sample(sample: Sample, others: Sequence[Responses]) -> None:
    """Raise an error for a sample whose regression has no formula."""
    if others:
        raise QueryError("sample", "a sample file describes one version", "leave out the other versions")
    if sample.survey.sampling is not None:
        problem = "the survey asks each person some of its questions only, and responses have sampling weights"
        raise QueryError(
            PLACE, problem, "fit the regression without a sample file, or estimate shares and differences instead"
        )
    for name in sample.design.margins:
        if sample.survey.is_disguised(name):
            problem = f'it cannot rake by "{name}", whose answers are not known'
            raise QueryError(PLACE, problem, "rake by questions that are sent as they are")


def _of_sample(sample: Sample, design: Design) -> Regression:
    """Fit a regression with sampling weights."""
    survey, responses = sample.survey, sample.responses.in_memory()
    names = [question.name for question in design.questions]
    cells = Partition.of(sample, names=names)
    weights = cells.weights * (cells.table @ cells.factors)
    masses = cells.found.counts * weights
    weights *= cells.found.people / masses.sum()
    places = [survey.column(name) for name in names]
    pattern = patterns_of(cells.found.responses, places, asked_patterns(responses, places)[0])
    counts = np.bincount(pattern, cells.found.counts * weights, int(pattern.max()) + 1).astype(np.float64)
    data = design.data
    data = replace(data, rows=replace(data.rows, counts=counts[design.responses]))
    fit = fitted(design._replace(data=data))
    model = RegressionLikelihood(data)
    along = model.person_slopes(fit.point)
    every = np.zeros((len(counts), along.shape[1]))
    every[design.responses] = along
    slopes = every[pattern]
    left = slopes
    if sample.design.margins:
        left = residuals(cells.found.counts * cells.weights, slopes, cells.table @ cells.indicators)
    units = cells.units
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
    return regression_of(design, replace(fit, covariance=covariance), cells.found.people, np.maximum(freedom, 1))


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
