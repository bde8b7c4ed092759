"""Possible combinations of answers, as arrays (`collector.survey.routing`)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from collector.survey.routing import is_possible
from collector.survey.survey import Survey
from miner.arrays import Flags, Floats
from miner.responses.responses import Values


def predictors(survey: Survey, target: str) -> tuple[int, ...]:
    """The questions that can predict one, as positions: all but itself and those that only some of its answers bring.

    A question that is asked if the target has some value tells the value by being asked: for a new person it is known
    only once the target is.
    """
    return tuple(
        place
        for place, question in enumerate(survey.questions)
        if question.name != target and target not in survey.routes.depends_on(question.name)
    )


def possible(survey: Survey, columns: Sequence[int], values: NDArray[np.integer]) -> Flags:
    """Whether some answers to all other questions make answers to these possible.

    Args:
        survey: Their survey.
        columns: Positions of the questions that they are to.
        values: Shape (..., columns): value indices, -1 where an answer is not known.

    Returns:
        Shape (...).
    """
    found = np.ones(values.shape[:-1], np.bool_)
    outside = False
    for rule in survey.rules:
        if rule.keys() <= set(columns):
            holds = np.zeros_like(found)
            for each, wanted in rule.items():
                answers = values[..., columns.index(each)]
                holds |= (answers < 0) | np.isin(answers, list(wanted))
            found &= holds
        else:
            outside = outside or any(each in columns for each in rule)
    if outside:
        left, which = np.unique(values[found], axis=0, return_inverse=True)
        found[found] = np.array([_completed(survey, columns, row) for row in left.tolist()], np.bool_)[which.ravel()]
    return found


def _completed(survey: Survey, columns: Sequence[int], row: Sequence[int]) -> bool:
    """Whether the answers of one row go together with some answers to the questions that are not among them."""
    sets = [frozenset(range(len(question.values))) for question in survey.questions]
    for column, value in zip(columns, row, strict=True):
        if value >= 0:
            sets[column] = frozenset({value})
    return is_possible(survey.rules, tuple(sets))


def possible_classes(survey: Survey, target: int, values: NDArray[np.integer]) -> Flags | None:
    """Whether answers to all questions do not contradict each class; None if all classes are always possible.

    Args:
        survey: Their survey.
        target: Position of the class question.
        values: Shape (rows, questions): value indices; those of the class are not read.

    Returns:
        Shape (rows, classes).
    """
    if not any(target in rule for rule in survey.rules):
        return None
    classes = np.arange(len(survey.questions[target].values))
    rows = np.repeat(values[:, None], len(classes), axis=1)
    rows[:, :, target] = classes
    return possible(survey, range(len(survey.questions)), rows)


def among_possible(survey: Survey, target: int, values: NDArray[np.integer], shares: Floats) -> Floats:
    """Class probabilities, shape (rows, classes), with 0 for classes that contradict the answers.

    Rows that contradict every class, as those that contradict themselves do, are as they were.
    """
    sound = possible_classes(survey, target, values)
    if sound is None:
        return shares
    left = shares * sound
    sums = left.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(left, sums, out=shares.copy(), where=sums > 0))


def with_unasked(survey: Survey, values: Values) -> Values:
    """Value indices, shape (..., questions), with ``not_applicable`` where drawn answers stand for it."""
    found = values
    for number, question in enumerate(survey.questions):
        if question.coding.routed and (found[..., number] >= 0).any():
            found = found.copy() if found is values else found
            for parent, wanted in survey.routes.conditions(question.name).items():
                unmet = ~np.isin(found[..., survey.column(parent)], list(wanted))
                found[..., number][unmet] = len(question.values) - 1
    return found
