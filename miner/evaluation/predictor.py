"""Predict classes from value indices, by classifiers of this project or any other."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
import pandas as pd

from collector.errors import ModelError
from collector.survey.survey import Survey
from miner.arrays import Floats
from miner.responses.responses import Values
from miner.trees.tree import Tree

Predict = Callable[[Values], Floats]
"""From value indices, shape (rows, questions of the survey), -1 where not asked, to class probabilities in the order of
the target's values, shape (rows, classes)."""


@runtime_checkable
class Classifier(Protocol):
    """Fitted classifier with scikit-learn's interface.

    Class probabilities come from the classifier's method `predict_proba`, if it has one.
    """

    classes_: Any

    def predict(self, X: Any, /) -> Any:  # noqa: ANN401, N803 - scikit-learn's name, and any table
        """Return the predicted class of each row."""


@runtime_checkable
class IndexClassifier(Protocol):
    """Classifier of this project, which predicts from value indices without conversion to words."""

    def probabilities(self, values: Values) -> Floats:
        """Return class probabilities, shape (rows, classes).

        The value indices have shape (rows, questions of the survey).
        """


def tree_of(classifier: object) -> Tree | None:
    """Return the tree of a classifier, which may be a tree itself."""
    tree = getattr(classifier, "tree_", classifier)
    return tree if isinstance(tree, Tree) else None


def used_names(classifier: object) -> Sequence[str] | None:
    """Return the names of the questions that a classifier uses, or None if it does not name them.

    A classifier of this project names its questions in `used_`. Other classifiers name their columns in
    `feature_names_in_`.
    """
    used: Sequence[str] | None = getattr(classifier, "used_", None)
    return getattr(classifier, "feature_names_in_", None) if used is None else used


def predictor(
    classifier: Classifier | IndexClassifier | Tree | Predict, survey: Survey, target: str, asked: Sequence[str]
) -> Predict:
    """Return a classifier as a function of value indices.

    Args:
        classifier: Classifier of this project; tree; function of value indices; or any other classifier whose input is
            a frame of values in words.
        survey: Published survey.
        target: Name of the class question.
        asked: Names of the questions that the classifier uses: the columns of the frame, in this order.

    Raises:
        ModelError: If the classifier knows a class that is not a value of the class question.
    """
    if isinstance(classifier, Tree):
        return classifier.predict_proba
    if isinstance(classifier, IndexClassifier):
        return classifier.probabilities
    if not isinstance(classifier, Classifier):
        return classifier
    values = list(survey.question(target).values)
    known = [str(each) for each in classifier.classes_]
    if not set(known) <= set(values):
        raise ModelError(
            "classifier",
            f'the classifier predicts something that is not a value of "{target}"',
            'fit the classifier on values as words, such as "yes"',
        )

    def predict(rows: Values) -> Floats:
        frame = words_of(survey, rows, asked)
        if hasattr(classifier, "predict_proba"):
            shares = np.asarray(classifier.predict_proba(frame), np.float64)
        else:
            shares = np.asarray(classifier.predict(frame)).astype(str)[:, None] == np.array(known)
        probabilities = np.zeros((len(rows), len(values)))
        probabilities[:, [values.index(each) for each in known]] = shares
        return probabilities

    return predict


def words_of(survey: Survey, rows: Values, names: Sequence[str]) -> pd.DataFrame:
    """Convert value indices to a frame of values in words, with a column for each named question.

    The array of value indices has shape (rows, questions of the survey).
    """
    columns = {name: survey.column(name) for name in names}
    return pd.DataFrame(
        {name: np.array(survey.questions[column].values, object)[rows[:, column]] for name, column in columns.items()}
    )
