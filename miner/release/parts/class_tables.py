"""Read the tables of a released model, which have a number for each value of a question and each class."""

import numpy as np

from collector.errors import ModelError
from collector.survey.fields import Fields
from collector.survey.survey import Survey
from miner.learnt import numbers, numbers_of
from miner.release.family import features_of
from miner.release.noise import Counts


def read_tables(
    learnt: object, names: tuple[str, str], survey: Survey, target: str
) -> tuple[Counts, tuple[Counts, ...]]:
    """Read one number for each class, and one table (values by classes) for each predictor question.

    Args:
        learnt: JSON content of a model file, which is not trusted.
        names: Key of the numbers for the classes, and key of the tables, in the JSON content.
        survey: Survey that the tables are about.
        target: Name of the class question.

    Raises:
        DeniableError: If a table is missing, or does not fit the survey and the class question.
    """
    classes = len(survey.question(target).values)
    given = Fields(learnt, "learnt")
    tables, features = given.take_list(names[1], list), features_of(survey, target)
    if len(tables) != len(features):
        raise ModelError("learnt", "the tables of the release do not fit the survey", "release the model again")
    shapes = [(len(survey.questions[each].values), classes) for each in features]
    return numbers(given, names[0], (classes,), np.int64), tuple(
        numbers_of(table, f"learnt, {names[1]}", shape, np.int64) for table, shape in zip(tables, shapes, strict=True)
    )
