"""Logistic regression on disguised responses: odds ratios with intervals.

Two outcome values give the ordinary logistic regression, more give one set of coefficients for each value against the
reference. Every predictor enters by its values, each against the reference: ``no`` of a yes-or-no question, else the
first, unless another is asked for. The estimate is of maximum likelihood through the channel
(`miner.effects.fit`); standard errors are those of the observed information, and intervals normal.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import erfc, exp, inf, isinf, sqrt
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtr  # type: ignore[import-untyped] # scipy brings no types

from collector.disclosure.precision import NORMAL_975
from collector.errors import QueryError
from collector.survey.question import Question
from collector.survey.survey import Survey
from miner.behind.rows import listed_rows
from miner.drawing.notebook_table import TableResult
from miner.effects.fit import EndlessError, RegressionData, RegressionFit, fit_regression
from miner.effects.terms import Terms
from miner.estimates.estimate import Range
from miner.estimates.formula import Formula, read_formula
from miner.estimates.score import student
from miner.json_values import JsonResult
from miner.responses.responses import Responses
from miner.weights.events import with_conditions

MOST_PREDICTOR_CELLS = 400  # of disguised predictors, whose every combination has a free frequency
RESPONSES_PER_CELL = 10  # that a combination of predictors needs, where one is disguised
Column = tuple[str | None, str | None]
"""A question and its value, of an interaction both joined by colons; None and None for the intercept."""


@dataclass(frozen=True)
class Term:
    """One coefficient: by how much the log odds of an outcome value, against the reference, go up.

    Attributes:
        outcome_value: Value of the outcome.
        question: Name of the predictor, of an interaction ``a:b``; None for the intercept.
        value: Value of the predictor, against its reference; of an interaction ``yes:poor``; None for the intercept.
        coefficient: On the scale of log odds.
        standard_error: From the observed information; with sampling weights from strata and clusters.
        freedom: Degrees of freedom of the standard error: infinite without sampling weights.
    """

    outcome_value: str
    question: str | None
    value: str | None
    coefficient: float
    standard_error: float
    freedom: float = inf

    @property
    def name(self) -> str:
        """Name of the term, for tables."""
        return "intercept" if self.question is None else f"{self.question} = {self.value}"

    @property
    def interval(self) -> Range:
        """95 %: normal; with degrees of freedom Student's."""
        reach = (NORMAL_975 if isinf(self.freedom) else student(self.freedom)) * self.standard_error
        return self.coefficient - reach, self.coefficient + reach

    @property
    def odds_ratio(self) -> float:
        """Factor of the odds."""
        return exp(self.coefficient)

    @property
    def p_value(self) -> float:
        """The chance of a coefficient as far from 0, if it were 0 (Wald)."""
        distance = abs(self.coefficient / self.standard_error)
        return erfc(distance / sqrt(2)) if isinf(self.freedom) else 2 * float(stdtr(self.freedom, -distance))

    @property
    def as_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "outcome_value": self.outcome_value,
            "question": self.question,
            "value": self.value,
            "coefficient": self.coefficient,
            "standard_error": self.standard_error,
            "interval": list(self.interval),
            "odds_ratio": self.odds_ratio,
            "odds_ratio_interval": [exp(end) for end in self.interval],
            "p_value": self.p_value,
        }


@dataclass(frozen=True, repr=False)
class Regression(JsonResult, TableResult):
    """A fitted regression.

    Attributes:
        outcome: Name of the question.
        reference: The value that the others' odds are against.
        n: Responses; where questions are sampled, of those who were asked at least one that is named.
        log_likelihood: Log likelihood of the responses; of outcomes given predictors where no predictor is disguised.
        terms: The intercept and every predictor's values, for each other value of the outcome.
    """

    outcome: str
    reference: str
    n: int
    log_likelihood: float
    terms: tuple[Term, ...]

    @property
    def frame(self) -> pd.DataFrame:
        """One row per term, indexed by outcome value and term."""
        rows = [
            (each.coefficient, each.standard_error, *each.interval, each.odds_ratio, each.p_value)
            for each in self.terms
        ]
        names = [(each.outcome_value, each.name) for each in self.terms]
        index = pd.MultiIndex.from_tuples(names, names=[self.outcome, "term"])
        columns = ["coefficient", "standard_error", "lower", "upper", "odds_ratio", "p_value"]
        return pd.DataFrame(rows, index=index, columns=columns)


def regress(responses: Responses, formula: str, references: Mapping[str, str] | None = None) -> Regression:
    """Fit a logistic regression.

    Args:
        responses: Disguised.
        formula: ``outcome ~ predictor + predictor ...``, names of questions; ``a * b`` for two and their interaction.
        references: For some of its questions the value that the others are against; ``no`` or the first unless said.

    Raises:
        QueryError: If the formula does not fit the survey, there are too few responses for so many predictors, or the
            likelihood has no top that can be found.
    """
    read = read_formula(responses.survey, formula, references)
    design, columns = design_of(responses, read)
    return regression_of(read, columns, fitted(design, columns, read), design.rows.people)


def fitted(design: RegressionData, columns: Sequence[Column], formula: Formula) -> RegressionFit:
    """The fit of the data of a regression, as `design_of` makes them.

    Raises:
        QueryError: If the likelihood has no top that can be found.
    """
    try:
        return fit_regression(design)
    except EndlessError as error:
        value = formula.outcome.values[formula.order(formula.outcome)[1 + error.row]]
        raise _endless(value, columns[error.column]) from None


def regression_of(
    formula: Formula, columns: Sequence[Column], fit: RegressionFit, people: int, freedom: float = inf
) -> Regression:
    """The results of a fit, with the names of its coefficients.

    Args:
        formula: The formula.
        columns: What the coefficients belong to.
        fit: The fit.
        people: Number of responses.
        freedom: Degrees of freedom of the standard errors.
    """
    outcome = formula.outcome
    reference, *others = (outcome.values[number] for number in formula.order(outcome))
    return Regression(outcome.name, reference, people, fit.log_likelihood, _terms(others, columns, fit, freedom))


def _endless(value: str, column: Column) -> QueryError:
    """The error where one coefficient grows without limit, naming it."""
    if column[0] is None:
        remedy = "leave out the predictors that have rare values, collect more responses, or disguise less"
        return QueryError("regression", f'hardly anybody is estimated to answer "{value}"', remedy)
    problem = f'"{column[0]} = {column[1]}" seems to decide the outcome "{value}", being rare or never given with it'
    remedy = f'join it with another value in the next version, leave out "{column[0]}", or collect more responses'
    return QueryError("regression", problem, remedy)


def design_of(responses: Responses, formula: Formula) -> tuple[RegressionData, list[Column]]:
    """The data of a regression, and what its columns are.

    Whoever is not asked a question may send a drawn code, so that its codes alone do not say how many were asked. The
    questions of its conditions are then cells of p(x), too, without a coefficient.

    Raises:
        QueryError: If there are too few responses for so many predictors, or too many possible answers.
    """
    outcome, predictors = formula.outcome, formula.predictors
    questions = questions_of(responses.survey, formula)
    rows = listed_rows(responses, [question.name for question in questions])
    if rows is None:
        raise QueryError("formula", "too many answers are possible to write them all out", "leave out a predictor")
    rows = rows.by_class(0, [len(question.values) for question in questions])
    rows = replace(rows, chances=rows.chances[:, formula.order(outcome)])
    cells, cell = np.unique(rows.values[:, 1:], axis=0, return_inverse=True)
    hidden = any(question.sensitive or responses.survey.may_miss(question.name) for question in questions[1:])
    if hidden:
        _check_size(len(cells), len(responses))
    survey = responses.survey
    rows = rows.widened(survey, [survey.column(question.name) for question in questions])
    places = [tuple(survey.column(predictors[each].name) for each in term) for term in formula.terms]
    terms = Terms(survey, tuple(places), ())
    columns: list[Column] = [(None, None)]
    kept = []
    there = np.isin(np.arange(terms.starts[-1]), terms.places(rows.values))
    for term, start in zip(formula.terms, terms.starts[:-1].tolist(), strict=True):
        factors = [predictors[each] for each in term]
        sizes = [len(question.values) for question in factors]
        name = ":".join(question.name for question in factors)
        for values in product(*(formula.order(question)[1:] for question in factors)):
            effect = start + int(np.ravel_multi_index(values, sizes))
            if there[effect]:
                words = [question.values[value] for question, value in zip(factors, values, strict=True)]
                columns.append((name, ":".join(words)))
                kept.append(effect)
    return RegressionData(rows, terms, np.array(kept, np.intp), cell.ravel() if hidden else None), columns


def questions_of(survey: Survey, formula: Formula) -> list[Question]:
    """The questions of a formula, then those that decide who is asked a predictor of which others send drawn codes."""
    predictors = [question.name for question in formula.predictors]
    conditions = [name for name in with_conditions(survey, predictors) if name not in formula.names]
    return [survey.question(name) for name in (*formula.names, *conditions)]


def _check_size(cells: int, responses: int) -> None:
    """A distribution of disguised predictors that is free to be anything needs responses to tell it by."""
    problem = f"the predictors have {cells} combinations, and some are disguised"
    if cells > MOST_PREDICTOR_CELLS:
        remedy = (
            f"leave out predictors until they have {MOST_PREDICTOR_CELLS} or fewer, however many responses there are"
        )
        raise QueryError("formula", problem, remedy)
    if cells * RESPONSES_PER_CELL > responses:
        raise QueryError("formula", problem, f"leave out predictors until {RESPONSES_PER_CELL} responses come to each")


def _terms(values: Sequence[str], columns: Sequence[Column], fit: RegressionFit, freedom: float) -> tuple[Term, ...]:
    errors = np.sqrt(np.diag(fit.covariance)).reshape(fit.beta.shape)
    return tuple(
        Term(value, column[0], column[1], float(coefficient), float(error), freedom)
        for value, row, row_errors in zip(values, fit.beta, errors, strict=True)
        for column, coefficient, error in zip(columns, row, row_errors, strict=True)
    )
