"""Tables of a number for each value of a question and each class, read from a model file."""

from typing import Any

import numpy as np

from collector.errors import ModelError
from collector.survey.survey import Survey
from miner.release.family import features_of
from miner.release.noise import Counts


def read_tables(learnt: Any, names: tuple[str, str], survey: Survey, target: str) -> tuple[Counts, tuple[Counts, ...]]:  # noqa: ANN401 - whatever JSON held
    """One number for each class, and for each question but the target a row for each value and a column for each class.

    Args:
        learnt: What a model file holds; nothing is taken for granted.
        names: The keys of the numbers and of the tables.
        survey: That they are about.
        target: Name of the class question.

    Raises:
        ModelError: If they are not there, or do not fit the survey and the target.
    """
    classes = len(survey.question(target).values)
    try:
        first = np.array(learnt[names[0]], np.int64)
        tables = tuple(np.array(each, np.int64) for each in learnt[names[1]])
    except (KeyError, TypeError, ValueError, OverflowError):
        raise ModelError("learnt", "it does not hold tables of whole numbers", "release the model again") from None
    shapes = [(len(survey.questions[each].values), classes) for each in features_of(survey, target)]
    if first.shape != (classes,) or [each.shape for each in tables] != shapes:
        raise ModelError("learnt", "its tables do not fit the survey", "release the model again")
    return first, tables
