"""Impute several completed tables, and combine the figures that are computed from each table (Rubin 1987).

An interval from imputed tables is correct only if the tables vary in the parameters of the imputation model, too. Each
table is imputed from a separate mixture of latent classes, fitted by maximum likelihood to a bootstrap sample of the
responses. With many responses, fits to bootstrap samples vary like draws from the posterior under a flat prior (Little
& Rubin 2019, section 10.2.3; Honaker & King 2010).

A mixture for imputation has many latent classes and a very weak prior. With few classes, a mixture is biased towards
independence of the questions.

Imputed answers contain only associations of the imputation model (Meng 1994), so a mixture makes associations weaker
than they are. For the coefficients of a regression, answers are imputed from the regression itself (``model="distress ~
debt * year"``). The parameters of the regression are drawn by the Bayesian bootstrap (Rubin 1981): the likelihood is
maximised with random weights of the responses.
"""

import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from math import asin, inf, isqrt, pi, sin, sqrt
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import stdtrit  # type: ignore[import-untyped] # scipy brings no types

from collector.errors import ModelError, QueryError
from miner.behind.candidates import asked_patterns, patterns_of
from miner.behind.mixture.fit import ENOUGH, RARE_COUNT
from miner.behind.mixture.mixture import Mixture
from miner.behind.mixture.model import FEWEST_RESPONSES, LatentModel
from miner.behind.mixture.model import impute as drawn_tables
from miner.behind.patterns import Patterns
from miner.effects.formula import read_formula
from miner.effects.regressions import RegressionData, RegressionFit, fit_regression
from miner.estimates.design import design_of, questions_of
from miner.responses.responses import Responses

WEAKENED = (
    "tables imputed without model= weaken associations: of 1,500 responses to ten questions, coefficients of a logit "
    'came out 8 to 26 % too near 0; for a regression name it, as in model="distress ~ debt * year"'
)
FEWEST_CLASSES, MOST_CLASSES = 6, 24
STEPS = 600  # largest number of EM steps
SPREAD = 0.5  # shape of the gamma noise of the starting tables; small, so that classes are far apart
MOST_TRIALS = 5  # largest number of draws of weights until the likelihood has a maximum
FEWEST_TABLES = 2  # smallest number of tables that can differ
CONFIDENCE = 0.95


def impute(responses: Responses, draws: int, rng: np.random.Generator, model: str | None = None) -> list[pd.DataFrame]:
    """Return plain tables, each of which is one random draw of the answers behind the responses.

    Compute a figure from each table as if the table held true answers, and `combine` the figures. The differences
    between the tables show the uncertainty due to the disguise and to unasked questions. Without `model`, answers are
    drawn from a mixture of latent classes, which makes associations weaker than they are (`UserWarning`). Use a mixture
    for shares, also within subgroups. To estimate the coefficients of a regression, pass the regression as `model`.

    Args:
        responses: Disguised responses, at least two.
        draws: Number of tables; use 10 to 20 for an interval.
        rng: Random generator; a seeded one makes the result reproducible.
        model: Regression from which the answers are imputed, such as ``"distress ~ debt * year"``. A regression for
            imputation must name all terms of your analysis.

    Returns:
        Frames with a column for each question and a row for each response. With `model`, the frames have only columns
        of questions that the model names, and no rows of people who were asked no question of the model.

    Raises:
        ModelError: If there are fewer than two responses.
        QueryError: If no table is requested, or the model cannot be fitted.
    """
    if draws < 1:
        raise QueryError(
            "impute", "the number of tables is below 1", "impute at least one table, or ten for an interval"
        )
    if len(responses) < FEWEST_RESPONSES:
        raise ModelError("impute", "there are fewer than two responses", "wait for more responses")
    if model is not None:
        return _modelled(responses, draws, rng, model)
    warnings.warn(WEAKENED, UserWarning, stacklevel=2)
    mixtures = LatentModel(tuple(refitted(responses, rng) for _ in range(draws)), np.zeros(0))
    questions = responses.survey.questions
    words = [pd.Series(question.values).array for question in questions]
    return [
        pd.DataFrame({each.name: words[column].take(table[:, column]) for column, each in enumerate(questions)})
        for table in drawn_tables(responses, mixtures, draws, rng)
    ]


def _modelled(responses: Responses, draws: int, rng: np.random.Generator, model: str) -> list[pd.DataFrame]:
    """Return tables of imputed answers to the questions of a regression."""
    formula = read_formula(responses.survey, model)
    if formula.outcome.is_condition:
        raise QueryError(
            "model", "the outcome is a condition, not a question", "name the question instead of a condition"
        )
    design = design_of(responses, formula).data
    fit_regression(design)  # says why, if it cannot be
    columns = [responses.survey.column(each.name) for each in questions_of(responses.survey, formula)]
    pattern = patterns_of(responses, columns, asked_patterns(responses, columns)[0])
    asked = np.flatnonzero(pattern >= 0)
    questions = [responses.survey.question(name) for name in formula.names]
    tables = []
    order = np.argsort(formula.outcome.classes)
    first, ends = (each[pattern[asked]] * len(order) for each in (design.rows.first, design.rows.ends))
    for _ in range(draws):
        summed = np.append(0.0, np.cumsum(_reweighted(design, rng).posterior))
        uniform = summed[first] + rng.random(len(asked)) * (summed[ends] - summed[first])
        row, outcome = divmod(np.clip(np.searchsorted(summed, uniform, side="right") - 1, first, ends - 1), len(order))
        values = design.rows.values[row][:, columns]
        values[:, 0] = order[outcome]
        words = {each.name: np.array(each.values)[answers] for each, answers in zip(questions, values.T, strict=False)}
        tables.append(pd.DataFrame(words, index=asked))
    return tables


def _reweighted(design: RegressionData, rng: np.random.Generator) -> RegressionFit:
    """Return a regression fitted with random weights of the responses (one draw of its parameters)."""
    counts = design.rows.counts
    for _ in range(MOST_TRIALS):
        weights = rng.gamma(counts)
        weights *= counts.sum() / weights.sum()
        with suppress(QueryError):  # a few of these samples have no largest likelihood
            return fit_regression(replace(design, rows=replace(design.rows, counts=weights)))
    problem = "the responses hardly tell its coefficients: their likelihood often has no top"
    raise QueryError("model", problem, "leave out a term, collect more responses, or disguise less")


def refitted(responses: Responses, rng: np.random.Generator) -> Mixture:
    """Return a mixture fitted to a bootstrap sample of the responses, from a random start."""
    count = len(responses)
    patterns = Patterns.of(responses.take(np.sort(rng.integers(count, size=count))))
    states, classes = patterns.layout.states, int(np.clip(isqrt(count) // 5, FEWEST_CLASSES, MOST_CLASSES))
    classes = -(-classes // len(states)) * len(states)
    values = states.shape[1]
    table = (rng.gamma(SPREAD, size=(values, classes)) + RARE_COUNT) * np.resize(states, (classes, values)).T
    start = Mixture.normalised(responses.survey, np.ones(classes), table)
    return start.climbed(patterns, np.full(values, RARE_COUNT), STEPS, ENOUGH * count)


class Combined(NamedTuple):
    """Estimate that is combined from several imputed tables.

    Attributes:
        estimate: Mean of the estimates from the tables.
        standard_error: Standard error, which includes sampling, the disguise, and the finite number of tables.
        interval: 95 % interval by Student's t distribution.
        degrees_of_freedom: Rubin's degrees of freedom, infinite if all tables agree.
    """

    estimate: float
    standard_error: float
    interval: tuple[float, float]
    degrees_of_freedom: float


def combine(estimates: Sequence[float], variances: Sequence[float], *, share: bool = False) -> Combined:
    """Combine estimates of one figure from several imputed tables, by Rubin's rules.

    For m tables with mean variance W and variance B between the estimates, the total variance is ``T = W + (1 + 1/m)
    B``, with ``(m - 1) (T / ((1 + 1/m) B))^2`` degrees of freedom (Rubin 1987, section 3.3).

    Rubin's rules assume normal estimates. If an estimated share is too small by chance, its estimated standard error is
    too small as well. The interval of a share p is computed for arcsin(sqrt(p)), whose standard error does not depend
    on p (Anscombe 1948).

    Args:
        estimates: One estimate from each table, computed as if the table held true answers.
        variances: Squared standard error of each estimate; for a share p of n rows, ``p (1 - p) / n``.
        share: Whether the estimates are shares, between 0 and 1.

    Raises:
        QueryError: If there are fewer than two tables, if the numbers of variances and estimates differ, or if the
            share is 0 or 1 in all tables.
    """
    tables = len(estimates)
    if tables < FEWEST_TABLES:
        raise QueryError("combine", "an interval needs at least two tables", "impute two tables or more, better ten")
    if len(variances) != tables:
        raise QueryError(
            "combine",
            "the numbers of estimates and variances differ",
            "give one estimate and one variance for each table",
        )
    mean, within = float(np.mean(estimates)), float(np.mean(variances))
    between = (1 + 1 / tables) * float(np.var(estimates, ddof=1))
    total = within + between
    degrees = (tables - 1) * (total / between) ** 2 if between > 0 else inf
    reach = float(stdtrit(degrees, (1 + CONFIDENCE) / 2)) * sqrt(total)
    return Combined(mean, sqrt(total), _between(mean, reach) if share else (mean - reach, mean + reach), degrees)


def _between(share: float, reach: float) -> tuple[float, float]:
    """Return the interval of a share from its half-width on the scale of arcsin(sqrt(p))."""
    if not 0 < share < 1:
        problem = f"a share of {share:g} over all tables has no interval"
        raise QueryError("combine", problem, "join rare values with others")
    middle, reach = asin(sqrt(share)), reach / (2 * sqrt(share * (1 - share)))
    return sin(max(0.0, middle - reach)) ** 2, sin(min(pi / 2, middle + reach)) ** 2
