"""Fit regressions to disguised responses: logistic, ordinal, normal and Poisson, with intervals.

A *logit* with two outcome values is ordinary logistic regression. A *logit* with more outcome values has coefficients
for each value except the reference value. An *ordinal* regression has proportional odds: a coefficient is the increase
of the log odds of a higher value. The answer to a number question is known only as an interval. A *normal* regression
models a number that is known as an interval, and a *poisson* regression models a count.

The estimates are maximum likelihood estimates through the channel (`miner.effects.regressions`). Standard errors of
coefficients come from the observed information, and intervals are normal.
"""

from dataclasses import dataclass, fields
from itertools import pairwise
from math import erfc, exp, inf, isinf, nan, sqrt
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit, stdtr  # type: ignore[import-untyped] # scipy brings no types
from scipy.special import logit as log_odds

from collector.disclosure.precision import NORMAL_975
from collector.errors import QueryError
from collector.survey.question import NOT_APPLICABLE
from miner.arrays import Floats
from miner.drawing.notebook_table import TableResult
from miner.effects.formula import categories
from miner.effects.links import Normal
from miner.effects.margins import margins, predictions
from miner.effects.regressions import EndlessError, RegressionFit, fit_regression
from miner.estimates.design import RARE, Design, Family
from miner.figures.estimate import Range
from miner.figures.score import student
from miner.json_values import JsonResult, json_values
from miner.responses.responses import value_indices

INTERCEPT = "intercept"
LEAST = 1e-9  # smallest probability whose log odds are computed


@dataclass(frozen=True)
class Term:
    """Coefficient of a regression, for the log odds, the log mean or the mean of the outcome.

    Attributes:
        outcome_value: Outcome value whose odds the coefficient belongs to in a logit; otherwise None.
        question: Name of the predictor, ``a:b`` for an interaction, or None for the intercept and for thresholds.
        value: Value of the predictor, ``yes:poor`` for an interaction, the values on both sides of a threshold, or None
            for the intercept, a number or a condition.
        coefficient: Coefficient of the outcome's log odds, or of its mean (normal) or log mean (poisson).
        standard_error: Standard error of the coefficient.
        freedom: Degrees of freedom of the standard error, infinite without sampling weights.
        ratio: Meaning of the exponential of the coefficient: ``odds_ratio``, ``rate_ratio``, or None.
    """

    outcome_value: str | None
    question: str | None
    value: str | None
    coefficient: float
    standard_error: float
    freedom: float = inf
    ratio: str | None = "odds_ratio"

    @property
    def name(self) -> str:
        """Name of the coefficient, for tables."""
        if self.question is None:
            return INTERCEPT if self.value is None else self.value
        return self.question if self.value is None else f"{self.question} = {self.value}"

    @property
    def interval(self) -> Range:
        """95 % interval of the coefficient, by Student's t if the degrees of freedom are finite."""
        reach = (NORMAL_975 if isinf(self.freedom) else student(self.freedom)) * self.standard_error
        return self.coefficient - reach, self.coefficient + reach

    @property
    def odds_ratio(self) -> float:
        """Exponential of the coefficient: an odds ratio, or a rate ratio of a poisson regression."""
        return exp(self.coefficient)

    @property
    def p_value(self) -> float:
        """P value of the Wald test that the coefficient is 0."""
        distance = abs(self.coefficient / self.standard_error)
        return erfc(distance / sqrt(2)) if isinf(self.freedom) else 2 * float(stdtr(self.freedom, -distance))

    @property
    def as_json(self) -> dict[str, Any]:
        """The coefficient as plain JSON values."""
        ratios: dict[str, Any] = {}
        if self.ratio is not None:
            ratios = {self.ratio: self.odds_ratio, f"{self.ratio}_interval": [exp(end) for end in self.interval]}
        return {
            "outcome_value": self.outcome_value,
            "question": self.question,
            "value": self.value,
            "coefficient": self.coefficient,
            "standard_error": self.standard_error,
            "interval": list(self.interval),
            **ratios,
            "p_value": self.p_value,
        }


@dataclass(frozen=True, repr=False)
class Regression(JsonResult, TableResult):
    """Fitted regression.

    Attributes:
        outcome: Name of the outcome question, or the text of a condition.
        reference: Outcome value that a logit compares other outcome values with; otherwise None.
        n: Number of respondents who were asked at least one question of the formula.
        log_likelihood: Log-likelihood of the responses, or of the outcomes given the predictors if no predictor is
            disguised.
        terms: Coefficients of the intercept (in an ordinal regression, of the thresholds) and of each predictor.
        family: ``logit``, ``ordinal``, ``normal`` or ``poisson``.
        sigma: Residual standard deviation of a normal regression; otherwise None.
        remarks: Sentences about what the regression assumes or leaves out.
        covariance: Covariance matrix of the coefficients, in the order of `terms`.
        design: Data that the regression was fitted to.
        fit: Result of `fit_regression`.
    """

    outcome: str
    reference: str | None
    n: int
    log_likelihood: float
    terms: tuple[Term, ...]
    family: Family
    sigma: float | None
    remarks: tuple[str, ...]
    covariance: pd.DataFrame
    design: Design
    fit: RegressionFit

    @property
    def as_json(self) -> dict[str, Any]:
        """The regression as plain JSON values, without covariance, design and fit."""
        shown = [each.name for each in fields(self) if each.name not in {"covariance", "design", "fit"}]
        return {name: json_values(getattr(self, name)) for name in shown}

    @property
    def frame(self) -> pd.DataFrame:
        """Frame with one row for each coefficient."""
        ratio = next((each.ratio for each in self.terms if each.ratio), None)
        rows = [
            {
                "coefficient": each.coefficient,
                "standard_error": each.standard_error,
                "lower": each.interval[0],
                "upper": each.interval[1],
                **({} if ratio is None else {ratio: each.odds_ratio if each.ratio else np.nan}),
                "p_value": each.p_value,
            }
            for each in self.terms
        ]
        return pd.DataFrame(rows, index=self._index)

    def margins(self) -> pd.DataFrame:
        """Return mean predictions as if all people gave the same answer to a question, and contrasts of answers.

        Returns:
            Frame with a row for each value of each predictor question and each value of the outcome. The column
            `estimate` has the mean prediction: the share of people with the outcome value, or the mean of a number. The
            column `contrast` has the difference between the mean predictions for a value and for the question's first
            value.

        Raises:
            QueryError: If the responses have sampling weights.
        """
        if not isinf(self.terms[0].freedom):
            remedy = "leave out the sample file, or predict single rows"
            raise QueryError("margins", "margins cannot be computed with sampling weights", remedy)
        data, values = self.design.data, self.design.values
        people = self.fit.shares * data.inside * self.n
        outputs, found = self._outputs, []
        for column, question in enumerate(self.design.formula.predictors):
            order = range(len(question.values)) if question.kind == "number" else categories(question)
            some = [value for value in order if people[values[:, column] == value].sum() >= RARE]
            tables = []
            for value in some:
                then = values.copy()
                then[:, column] = value
                tables.append(self.design.table(then))
            means, covariance = margins(data, self.fit, tables)
            variances = np.diag(covariance).reshape(means.shape)
            first = np.arange(means.size) % len(outputs)
            apart = variances + variances[0] - 2 * covariance[np.arange(means.size), first].reshape(means.shape)
            for place, value in enumerate(some):
                for output, name in enumerate(outputs):
                    mean, error = float(means[place, output]), sqrt(max(float(variances[place, output]), 0.0))
                    contrast, spread = mean - float(means[0, output]), sqrt(max(float(apart[place, output]), 0.0))
                    low, high = (
                        (contrast - NORMAL_975 * spread, contrast + NORMAL_975 * spread) if place else (nan, nan)
                    )
                    found.append(
                        {
                            "question": question.name,
                            "value": question.values[value],
                            "outcome_value": name,
                            **self._predicted(mean, error),
                            "contrast": contrast if place else nan,
                            "contrast_error": spread if place else nan,
                            "contrast_lower": low,
                            "contrast_upper": high,
                        }
                    )
        return pd.DataFrame(found)

    def predict(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Predict the outcome of new rows.

        Args:
            rows: Answers as words or numbers, with a column for each predictor question.

        Returns:
            Probability of each outcome value for each row, or the mean of a number, with an interval.
        """
        names = [question.name for question in self.design.formula.predictors]
        table = self.design.table(value_indices(self.design.survey, rows, names))
        found = predictions(self.design.data.link, table, self.fit.coordinates)
        errors = np.sqrt(np.maximum(found.variances(self.fit), 0))
        return pd.DataFrame(
            {"row": row, "outcome_value": name, **self._predicted(float(mean), float(error))}
            for row, means, spreads in zip(rows.index, found.means, errors, strict=True)
            for name, mean, error in zip(self._outputs, means, spreads, strict=True)
        )

    @property
    def _outputs(self) -> list[str | None]:
        """Values of the outcome, or a single None if the outcome is a number."""
        return [None] if self.family in {"normal", "poisson"} else [*self.design.formula.outcome.values]

    def _predicted(self, mean: float, error: float) -> dict[str, float]:
        """Return a prediction with its interval."""
        freedom = self.terms[0].freedom
        reach = (NORMAL_975 if isinf(freedom) else student(freedom)) * error
        if self.family == "normal":
            low, high = mean - reach, mean + reach
        elif self.family == "poisson":
            low, high = mean * exp(-reach / mean), mean * exp(reach / mean)
        else:
            middle = min(max(mean, LEAST), 1 - LEAST)
            apart = reach / (middle * (1 - middle))
            low, high = (float(expit(log_odds(middle) + side)) for side in (-apart, apart))
        return {"estimate": mean, "standard_error": error, "lower": low, "upper": high}

    @property
    def _index(self) -> pd.Index:
        names = [each.name for each in self.terms]
        if self.family != "logit":
            return pd.Index(names, name="term")
        pairs = [(each.outcome_value, name) for each, name in zip(self.terms, names, strict=True)]
        return pd.MultiIndex.from_tuples(pairs, names=[self.outcome, "term"])

    def to_frame(self) -> pd.DataFrame:
        """Return the coefficients as a frame with the column names of R's package broom."""
        ordinal = self.family == "ordinal"
        rows = [
            {
                **({"y.level": each.outcome_value} if self.family == "logit" else {}),
                "term": each.name,
                **({"coef.type": "threshold" if each.question is None else "slope"} if ordinal else {}),
                "estimate": each.coefficient,
                "std.error": each.standard_error,
                "statistic": each.coefficient / each.standard_error,
                "p.value": each.p_value,
                "conf.low": each.interval[0],
                "conf.high": each.interval[1],
            }
            for each in self.terms
        ]
        return pd.DataFrame(rows)


def fitted(design: Design) -> RegressionFit:
    """Fit a regression to the prepared data of a design.

    Raises:
        QueryError: If no maximum of the likelihood is found.
    """
    try:
        return fit_regression(design.data)
    except EndlessError as error:
        raise _asked_of_some(design, error) or _endless(design, error) from None
    except QueryError as error:
        raise _asked_of_some(design, error) or error from None


def regression_of(design: Design, fit: RegressionFit, people: int, freedom: Floats | None = None) -> Regression:
    """Return a fitted regression with named coefficients.

    Args:
        design: Data that the regression was fitted to.
        fit: Result of `fit_regression`.
        people: Number of responses.
        freedom: Degrees of freedom of each standard error, shape (coefficients,), or None if infinite.
    """
    coefficients, turn = natural(design, fit)
    covariance = turn @ fit.covariance[: fit.width, : fit.width] @ turn.T
    errors = np.sqrt(np.diag(covariance)).tolist()
    degrees = [inf] * len(errors) if freedom is None else freedom.tolist()
    terms = tuple(
        Term(outcome, name, value, coefficient, error, left, ratio)
        for (outcome, name, value, ratio), coefficient, error, left in zip(
            _names(design), coefficients.tolist(), errors, degrees, strict=True
        )
    )
    names = [each.name if each.outcome_value is None else f"{each.outcome_value}: {each.name}" for each in terms]
    link, outcome = design.data.link, design.formula.outcome
    return Regression(
        outcome=outcome.name,
        reference=outcome.values[0] if design.family == "logit" else None,
        n=people,
        log_likelihood=fit.log_likelihood,
        terms=terms,
        family=design.family,
        sigma=link.spread / float(fit.coordinates[0]) if isinstance(link, Normal) else None,
        remarks=design.remarks,
        covariance=pd.DataFrame(covariance, names, names),
        design=design,
        fit=fit,
    )


def natural(design: Design, fit: RegressionFit) -> tuple[Floats, Floats]:
    """Return coefficients of the original columns, and their derivatives by the fit's coordinates."""
    units, point, link = design.units, fit.coordinates, design.data.link
    if isinstance(link, Normal):
        size = link.spread / point[0]
        found = size * (units @ point[1:])
        turn = np.column_stack([-found / point[0], size * units])
        found[0] += link.centre
    elif design.family == "ordinal":
        edges = fit.width - len(units) + 1
        turn = np.block(
            [
                [np.eye(edges), np.tile(-units[0, 1:], (edges, 1))],
                [np.zeros((len(units) - 1, edges)), units[1:, 1:]],
            ]
        )
        found = turn @ point
    else:
        turn = np.kron(np.eye(fit.width // len(units)), units)
        found = turn @ point
    return found, turn


def _names(design: Design) -> list[tuple[str | None, str | None, str | None, str | None]]:
    """Return the outcome value, question, value and kind of ratio of each coefficient."""
    values, columns = design.formula.outcome.values, design.columns
    if design.family == "logit":
        return [(value, *column, "odds_ratio") for value in values[1:] for column in columns]
    if design.family == "ordinal":
        edges = [(None, None, f"{low}|{high}", None) for low, high in pairwise(values)]
        return [*edges, *((None, *column, "odds_ratio") for column in columns[1:])]
    return [(None, *column, "rate_ratio" if design.family == "poisson" else None) for column in columns]


def _asked_of_some(design: Design, error: QueryError) -> QueryError | None:
    """Return the error for an outcome that not everybody is asked, if this is why there is no fit, or None."""
    survey, formula = design.survey, design.formula
    whole = formula.outcome.is_condition or NOT_APPLICABLE in formula.outcome.values
    for question in formula.outcome.questions if whole else ():
        gates = survey.routes.depends_on(question.name)
        deciding = [each.name for each in formula.predictors if each.name in gates]
        among = f'fit the people who are asked it, by --among "not {question.name} = {NOT_APPLICABLE}"'
        if deciding and isinstance(error, EndlessError):
            problem = (
                f'"{deciding[0]}" decides who is asked "{question.name}", so that some answers to it are impossible'
            )
            return QueryError(error.place, problem, f'leave out "{deciding[0]}", and {among}')
        if question.coding.routed and not isinstance(error, EndlessError):
            return QueryError(error.place, f'not everybody is asked "{question.name}", and {error.problem}', among)
    return None


def _endless(design: Design, error: EndlessError) -> QueryError:
    """Return the error for a coefficient that grows without limit, with the coefficient's name."""
    outcome, (name, label) = design.formula.outcome, design.columns[error.column]
    value = outcome.values[error.row]
    rest = [each for each in outcome.values if each != value]
    join = f'join "{value}" with another value of the outcome, as in ({outcome.name} in (...)) ~'
    if len(rest) == 1 or len(outcome.questions) > 1:
        join = "leave out a predictor"
    if name is None and error.share * design.data.rows.people >= RARE:
        problem = f'"{value}" seems impossible or certain for people with the reference answers'
        return QueryError("regression", problem, f"choose other reference answers (--reference), or {join}")
    if name is None:
        remedy = f"{join}, collect more responses, or disguise less"
        return QueryError("regression", f'hardly anybody is estimated to answer "{value}"', remedy)
    what = name if label is None else f"{name} = {label}"
    problem = f'"{what}" seems to decide the outcome "{value}", being rare or never given with it'
    other = f'join it with another value in a condition, leave out "{name}"'
    remedy = join if error.rare and len(rest) > 1 else other
    return QueryError("regression", problem, f"{remedy}, or collect more responses")
