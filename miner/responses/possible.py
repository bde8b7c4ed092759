"""Find which combinations of answers are possible, given the conditions for asking questions."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from collector.survey.routing import is_possible
from collector.survey.survey import Survey
from miner.arrays import Flags, Floats
from miner.responses.responses import Values


def predictors(survey: Survey, target: str) -> tuple[int, ...]:
    """Return the positions of the questions that can predict a class question.

    Questions that are asked only for some values of the class question cannot predict the class, because they reveal
    it.
    """
    return tuple(
        place
        for place, question in enumerate(survey.questions)
        if question.name != target and target not in survey.routes.depends_on(question.name)
    )


def possible(survey: Survey, columns: Sequence[int], values: NDArray[np.integer]) -> Flags:
    """Return whether answers to some questions are possible together with any answers to the other questions.

    Args:
        survey: Survey of the answers.
        columns: Positions of the answered questions.
        values: Value indices, or -1 for an unknown answer, shape (..., columns).

    Returns:
        Flags of the combinations of answers that are possible, shape (...).
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
    """Return whether one combination of answers is possible together with any answers to the other questions."""
    sets = [frozenset(range(len(question.values))) for question in survey.questions]
    for column, value in zip(columns, row, strict=True):
        if value >= 0:
            sets[column] = frozenset({value})
    return is_possible(survey.rules, tuple(sets))


def possible_classes(survey: Survey, target: int, values: NDArray[np.integer]) -> Flags | None:
    """Return whether each class is possible with the other answers, or None if every class is always possible.

    Args:
        survey: Survey of the answers.
        target: Position of the class question.
        values: Value indices, shape (rows, questions).

    Returns:
        Flags of the possible classes, shape (rows, classes).
    """
    if not any(target in rule for rule in survey.rules):
        return None
    classes = np.arange(len(survey.questions[target].values))
    rows = np.repeat(values[:, None], len(classes), axis=1)
    rows[:, :, target] = classes
    return possible(survey, range(len(survey.questions)), rows)


def among_possible(survey: Survey, target: int, values: NDArray[np.integer], shares: Floats) -> Floats:
    """Return class probabilities, shape (rows, classes), with 0 for classes that contradict the answers.

    If the answers of a row contradict every class, the probabilities of the row are unchanged.
    """
    sound = possible_classes(survey, target, values)
    if sound is None:
        return shares
    left = shares * sound
    sums = left.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(left, sums, out=shares.copy(), where=sums > 0))


def with_unasked(survey: Survey, values: Values) -> Values:
    """Return value indices with ``not_applicable`` for questions that are not asked, shape (..., questions)."""
    found = values
    for number, question in enumerate(survey.questions):
        if question.coding.routed and (found[..., number] >= 0).any():
            found = found.copy() if found is values else found
            for parent, wanted in survey.routes.conditions(question.name).items():
                unmet = ~np.isin(found[..., survey.column(parent)], list(wanted))
                found[..., number][unmet] = len(question.values) - 1
    return found
