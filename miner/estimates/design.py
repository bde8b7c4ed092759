"""Prepare the data of regressions: candidate rows behind responses, model matrix, and membership in a subgroup.

A column with numbers other than 0 and 1 is centred and scaled for the fit. If disguised answers decide who belongs to a
subgroup, the data also contain people outside the subgroup.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from itertools import product
from typing import Literal, NamedTuple

import numpy as np

from collector.errors import QueryError
from collector.survey.question import Question
from collector.survey.survey import Survey
from miner.arrays import Flags, Floats, Indices
from miner.behind.rows import Rows, listed_rows
from miner.effects.formula import Formula, FormulaOutcome, holds
from miner.effects.links import Logit, Normal, Ordinal, Poisson, RegressionLink
from miner.effects.midpoints import FEWEST_CUTS
from miner.effects.regressions import RegressionData
from miner.responses.condition import boxes_of
from miner.responses.responses import Responses, Values
from miner.weights.events import with_conditions

MOST_PREDICTOR_CELLS = 400  # largest number of combinations of disguised predictors, whose frequencies are free
RESPONSES_PER_CELL = 10  # number of responses per combination of predictors if a predictor is disguised
FEWEST_CLASSES = 2  # smallest number of classes of an outcome
RARE = 1.0  # number of people with a value below which the value has no coefficient
Family = Literal["logit", "ordinal", "normal", "poisson"]
Column = tuple[str | None, str | None]
"""A question and its value, of an interaction both joined by colons; None and None for the intercept."""


class Design(NamedTuple):
    """Data of a regression, with a description of the model matrix's columns.

    Attributes:
        data: Data that the regression is fitted to.
        formula: Formula of the regression, without outcome values that nobody can have.
        family: Distribution of the outcome.
        responses: Positions of the responses of `data` among the distinct responses that `asked_patterns` counts, shape
            (responses of `data`,).
        survey: Published survey.
        questions: Questions that the candidate rows have answers to.
        columns: Meaning of each column of the model matrix.
        units: Matrix that converts coefficients of centred and scaled columns into coefficients of the original
            columns, shape (columns, columns).
        values: Value indices of each combination of predictors, shape (combinations, predictors).
        kept: Whether each column of the formula has a coefficient, shape (columns of the formula,).
        remarks: Sentences about what the regression assumes or leaves out.
    """

    data: RegressionData
    formula: Formula
    family: Family
    responses: Indices
    survey: Survey
    questions: list[Question]
    columns: list[Column]
    units: Floats
    values: Values
    kept: Flags
    remarks: tuple[str, ...]

    def table(self, values: Values) -> Floats:
        """Return the model matrix with centred and scaled columns, shape (combinations, columns)."""
        return np.asarray(model_matrix(self.formula, values)[0][:, self.kept] @ self.units)


def model_matrix(formula: Formula, values: Values) -> tuple[Floats, list[Column]]:
    """Return the model matrix, with the intercept first, and the meaning of each of its columns.

    Args:
        formula: Formula of the regression.
        values: Value indices of the predictors, shape (combinations, predictors).
    """
    names = [question.name for question in formula.predictors]
    tables, columns = [np.ones((len(values), 1))], list[Column]([(None, None)])
    for term in formula.terms:
        parts = [
            factor.table[tuple(values[:, names.index(question.name)] for question in factor.questions)]
            for factor in term
        ]
        tables.append(reduce(lambda one, other: (one[:, :, None] * other[:, None]).reshape(len(values), -1), parts))
        name = ":".join(factor.name for factor in term)
        for labels in product(*(factor.labels for factor in term)):
            columns.append((name, ":".join(label for label in labels if label is not None) or None))
    return np.hstack(tables), columns


def design_of(
    responses: Responses,
    formula: Formula,
    family: Family = "logit",
    among: str | None = None,
    others: Sequence[Responses] = (),
) -> Design:
    """Prepare the data of a regression on disguised responses.

    Because people who are not asked a question may send drawn codes, the estimated distribution of predictors also
    covers the questions of `ask_if` conditions.

    Raises:
        QueryError: If there are too few responses for the number of predictors, or too many possible combinations of
            answers.
    """
    survey, outcome = responses.survey, formula.outcome
    boxes = ({},) if among is None else boxes_of(survey, among)
    questions = questions_of(survey, formula, [name for box in boxes for name in box])
    rows, people = _rows_of([responses, *others], questions), sum(map(len, [responses, *others]))
    surveys, first = [each.survey for each in (responses, *others)], len(outcome.questions)
    rows = rows.by_class(first, [len(question.values) for question in questions])
    cells, cell = np.unique(rows.values[:, first:], axis=0, return_inverse=True)
    part = [question for question in questions if any(question.name in box for box in boxes)]
    member = _members(questions, cells, holds(part, boxes), part) & (outcome.classes.ravel() >= 0)
    numeric = family in {"normal", "poisson"}
    if numeric and (member.any(axis=1) & ~member[:, outcome.classes >= 0].all(axis=1)).any():
        remedy = "name other questions there, or choose another family"
        raise QueryError("--among", f'it chooses by the outcome "{outcome.name}", which is a number here', remedy)
    rows, cell, cells, inside, chosen = _subgroup(rows, cell.ravel(), cells, member)
    mixed = not inside.all()
    hidden = mixed or any(_is_unsure(each, question.name) for each in surveys for question in questions[first:])
    unsure = any(_is_unsure(each, question.name) for each in surveys for question in outcome.questions)
    if hidden:
        _check_size("the predictors have", len(cells), people)
    if unsure and outcome.is_condition:
        free = outcome.classes.size - len(outcome.values)
        _check_size("the outcome's values and the predictors have", len(cells) * free, people)
    rows, classes, outcome = _classed(rows, outcome, inside[cell], unsure=unsure, whole=numeric)
    gone = [each for each in formula.outcome.values if each not in outcome.values]
    formula = replace(formula, outcome=outcome)
    values = cells[:, : len(formula.predictors)]
    table, columns = model_matrix(formula, values)
    link = _link(formula, family)
    data = RegressionData(rows, cell, table, inside, classes, hidden, link)
    kept, remarks = _there(data, columns)
    same = kept & (np.ptp(table[inside], axis=0) == 0)
    if same[1:].any():
        name, value = columns[1 + int(same[1:].argmax())]
        what = name if value is None else f"{name} = {value}"
        raise QueryError("formula", f'"{what}" is the same for everybody', "leave out the term, or choose other people")
    units = _units(table[inside][:, kept])
    data = replace(data, table=table[:, kept] @ units)
    columns = [column for column, keep in zip(columns, kept, strict=True) if keep]
    rows = rows.widened(survey, [survey.column(question.name) for question in questions])
    remarks += [f'nobody can have answered "{outcome.name} = {each}"; it is left out' for each in gone]
    data = replace(data, rows=rows)
    every = (*formula.remarks, *remarks)
    return Design(data, formula, family, chosen, survey, questions, columns, units, values, kept, every)


def _rows_of(sources: Sequence[Responses], questions: Sequence[Question]) -> Rows:
    """Return the candidate rows behind the responses to one or more versions of a survey."""
    parts = []
    for source in sources:
        for question in questions:
            if source.survey.question(question.name).values != question.values:
                problem = "its values differ between the versions"
                raise QueryError(f'question "{question.name}"', problem, "fit each version by itself")
        part = listed_rows(source, [question.name for question in questions])
        if part is None:
            raise QueryError(
                "formula", "the predictors have too many possible combinations of answers", "leave out a predictor"
            )
        parts.append(part)
    return Rows.joined(parts)


def _is_unsure(survey: Survey, name: str) -> bool:
    """Return whether a response may leave the answer to a question uncertain."""
    return survey.question(name).sensitive or survey.may_miss(name)


def questions_of(survey: Survey, formula: Formula, others: Sequence[str] = ()) -> list[Question]:
    """Return the questions of a formula, other named questions, and the `ask_if` questions of predictors."""
    names = list(dict.fromkeys([*formula.names, *others]))
    conditions = with_conditions(survey, names[len(formula.outcome.questions) :])
    return [survey.question(name) for name in dict.fromkeys([*names, *conditions])]


def _members(questions: Sequence[Question], cells: Values, holding: Floats, part: Sequence[Question]) -> Flags:
    """Return whether each combination of predictors and outcome meets a condition, shape (cells, outcome values)."""
    sizes = [len(question.values) for question in questions[: len(questions) - cells.shape[1]]]
    outcomes = np.unravel_index(np.arange(int(np.prod(sizes))), sizes)
    every = [each[None, :] for each in outcomes] + [column[:, None] for column in cells.T]
    places = np.broadcast_arrays(*every)
    return np.asarray(holding[tuple(places[questions.index(question)] for question in part)] > 0) & np.ones(
        places[0].shape, np.bool_
    )


def _subgroup(rows: Rows, cell: Indices, cells: Values, member: Flags) -> tuple[Rows, Indices, Values, Flags, Indices]:
    """Return the candidate rows of a subgroup and, if membership is uncertain, the rows outside the subgroup.

    Returns:
        Five values: candidate rows, the combination of predictors (cell) of each row, the answers of each cell, whether
        each cell is in the subgroup, and the positions of the remaining responses.
    """
    inner, outer = rows.chances * member[cell], rows.chances * ~member[cell]
    within = np.logical_or.reduceat(inner.any(axis=1), rows.first)
    if not within.any():
        raise QueryError(
            "--among", "no combination of answers meets the condition", "choose a condition that some answers meet"
        )
    if not (within & np.logical_or.reduceat(outer.any(axis=1), rows.first)).any():
        chosen = np.flatnonzero(within)
        rows, cell = replace(rows, chances=inner).take(chosen), cell[rows.positions(chosen)]
        kept, cell = np.unique(cell, return_inverse=True)
        return rows, cell.ravel(), cells[kept], np.ones(len(kept), np.bool_), chosen
    at, value = np.nonzero(outer)
    alone = np.zeros((len(at), rows.chances.shape[1]))
    alone[:, 0] = outer[at, value]
    others, place = np.unique(cell[at] * outer.shape[1] + value, return_inverse=True)
    some = np.flatnonzero(inner.any(axis=1))
    kept, inside = np.unique(cell[some], return_inverse=True)
    response = np.concatenate([rows.response[some], rows.response[at]])
    order = np.argsort(response, kind="stable")
    found = Rows(
        np.concatenate([rows.values[some], rows.values[at]])[order],
        np.concatenate([inner[some], alone])[order],
        np.searchsorted(response[order], np.arange(len(rows.first))),
        rows.counts,
    )
    where = np.concatenate([inside.ravel(), len(kept) + place.ravel()])[order]
    answers = np.concatenate([cells[kept], cells[others // outer.shape[1]]])
    return found, where, answers, np.arange(len(answers)) < len(kept), np.arange(len(rows.first))


def _classed(
    rows: Rows, outcome: FormulaOutcome, inside: Flags, *, unsure: bool, whole: bool
) -> tuple[Rows, Indices, FormulaOutcome]:
    """Sort the probabilities of rows by outcome class, and drop outcome values that nobody can have.

    Args:
        rows: Candidate rows with a column of probabilities for each value of the outcome.
        outcome: Outcome of the regression.
        inside: Whether each row is in the subgroup, shape (rows,).
        unsure: Whether a response may leave several values of the outcome possible.
        whole: Whether to keep outcome values that nobody can have.

    Returns:
        Candidate rows, the class of each of their columns, and the outcome with the remaining classes.
    """
    classes = outcome.classes.ravel()
    some = (classes >= 0) & (whole | rows.chances[inside].any(axis=0))
    left, numbers = np.unique(classes[some], return_inverse=True)
    order = np.argsort(numbers, kind="stable")
    chances, numbers = rows.chances[:, np.flatnonzero(some)[order]], numbers[order]
    if len(left) < FEWEST_CLASSES:
        raise QueryError("regression", f'everybody has the same outcome "{outcome.name}"', "choose another outcome")
    if not unsure:
        chances, numbers = chances @ np.eye(len(left))[numbers], np.arange(len(left))
    return (
        replace(rows, chances=chances),
        numbers,
        replace(outcome, values=tuple(outcome.values[each] for each in left)),
    )


def _link(formula: Formula, family: Family) -> RegressionLink:
    outcome = formula.outcome
    if family == "logit":
        return Logit(len(outcome.values))
    if family == "ordinal":
        return Ordinal(len(outcome.values))
    (question,) = outcome.questions
    if question.kind != "number":
        raise QueryError("family", f'"{question.name}" is no number', 'give a number question, or choose "ordinal"')
    if family == "normal":
        if len(question.cuts) < FEWEST_CUTS:
            problem = f'with one cut, "{question.name}" does not show its standard deviation'
            raise QueryError("family", problem, 'choose "logit" or "ordinal"')
        return Normal(question.cuts)
    if question.cuts[0] <= 0 or (question.minimum is not None and question.minimum < 0):
        raise QueryError("family", f'"{question.name}" may be below 0, so it is no count', 'choose "normal"')
    return Poisson(question.cuts)


def _there(data: RegressionData, columns: Sequence[Column]) -> tuple[Flags, list[str]]:
    """Return which columns apply to anybody, and remarks about columns that apply to nobody."""
    people = data.first_shares() * data.inside * data.rows.counts.sum()
    with_column = people @ (data.table != 0)
    kept = with_column >= (RARE if data.hidden else 0.5)
    left = [f"{name} = {value}" if value else str(name) for name, value in np.array(columns, object)[~kept]]
    return kept, [
        f'"{each}" has no coefficient: hardly anybody is estimated to answer so, and it counts as the reference'
        for each in left
    ]


def _units(table: Floats) -> Floats:
    """Return the matrix that centres and scales columns with numbers other than 0 and 1."""
    low, high = table.min(axis=0), table.max(axis=0)
    numbers = ~np.isin(table, (0.0, 1.0)).all(axis=0) & (high > low)
    units = np.diag(np.where(numbers, 2 / np.where(numbers, high - low, 1.0), 1.0))
    units[0, numbers] = -((low + high) / np.where(numbers, high - low, 1.0))[numbers]
    return units


def _check_size(what: str, count: int, responses: int) -> None:
    """Raise an error if there are too few responses to estimate the frequency of each combination of answers."""
    problem = f"{what} {count} combinations, and some are disguised"
    if count > MOST_PREDICTOR_CELLS:
        remedy = (
            f"leave out predictors until they have {MOST_PREDICTOR_CELLS} or fewer, however many responses there are"
        )
        raise QueryError("formula", problem, remedy)
    if count * RESPONSES_PER_CELL > responses:
        raise QueryError("formula", problem, f"leave out predictors until {RESPONSES_PER_CELL} responses come to each")
