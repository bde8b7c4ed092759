"""Scikit-learn manners for models of disguised responses: what to fit on, what to predict from, what a score is.

Fitting and scoring take *disguised codes*; predicting takes *true values*, in words, of people who volunteer them.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError

from collector.errors import QueryError, ResponseError
from collector.survey import Survey
from miner.counts import Level
from miner.criteria import Criterion, Faithful, Robust
from miner.grow import grow
from miner.paths import right_weights
from miner.responses import Codes, Responses, Values, code_matrix, value_indices

CRITERIA: dict[str, type[Criterion]] = {"faithful": Faithful, "robust": Robust}


def survey_target(survey: Survey, target: str | None) -> str:
    """The class question: the one named, or the survey's own.

    Raises:
        QueryError: If there is none.
    """
    name = survey.target if target is None else target
    if name is None:
        raise QueryError(f'survey "{survey.name}"', "it names no target", "say which question is the class")
    return survey.question(name).name


class DisguisedClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc] # scikit-learn has no types
    """What all models here share.

    Args:
        survey: The published design the responses were collected under.
        target: Name of the class question; the survey's own if None.

    Attributes:
        classes_: The values of the target, in the survey's order, whether they were seen or not.
        feature_names_in_: Names of the other questions, in the survey's order.
        n_features_in_: How many those are.
    """

    def __init__(self, survey: Survey, target: str | None = None) -> None:
        self.survey = survey
        self.target = target

    def fit(self, X: pd.DataFrame | ArrayLike, y: ArrayLike | None = None) -> Self:  # noqa: N803 - scikit-learn's name
        """Fit on disguised codes.

        Args:
            X: A frame of codes with a column for each question but the target, in any order; or an array of codes,
                columns in the survey's order.
            y: Codes of the target; None if `X` is a frame that holds them.

        Raises:
            ResponseError: If a column is missing, or a code is not one of its question's; naming row and column.
            QueryError: If there is no target.
        """
        target = survey_target(self.survey, self.target)
        codes = self.full_codes(X, y)
        if not len(codes):
            raise ResponseError("responses", "there are none", "collect some first")
        self.classes_ = np.array(self.survey.question(target).values)
        self.feature_names_in_ = np.array([question.name for question in self._features], dtype=object)
        self.n_features_in_ = len(self._features)
        self._fit_codes(codes, target)
        return self

    def _fit_codes(self, codes: Codes, target: str) -> None:
        """Learn from checked codes, columns in the survey's order."""
        raise NotImplementedError

    def _probabilities(self, values: Values) -> NDArray[np.float64]:
        """Class probabilities for value indices, columns in the survey's order."""
        raise NotImplementedError

    def predict_proba(self, X: pd.DataFrame | ArrayLike) -> NDArray[np.float64]:  # noqa: N803 - scikit-learn's name
        """Class probabilities, in the order of `classes_`, for true values.

        Args:
            X: A frame of values in words (numbers for number questions) with a column for each question but the
                target, in any order; or an array of them, columns in the survey's order.

        Raises:
            ResponseError: If a column is missing or a value unknown; naming row and column, never the value.
        """
        if not hasattr(self, "classes_"):
            raise NotFittedError(f"This {type(self).__name__} is not fitted yet: call fit first.")
        return self._probabilities(self.full_values(X))

    def predict(self, X: pd.DataFrame | ArrayLike) -> NDArray[Any]:  # noqa: N803 - scikit-learn's name
        """The most probable class of each row of true values, in words; `X` as for `predict_proba`."""
        probabilities = self.predict_proba(X)
        predicted: NDArray[Any] = self.classes_[probabilities.argmax(axis=1)]
        return predicted

    @property
    def _features(self) -> list[Any]:
        target = survey_target(self.survey, self.target)
        return [question for question in self.survey.questions if question.name != target]

    def full_codes(self, X: pd.DataFrame | ArrayLike, y: ArrayLike | None) -> Codes:  # noqa: N803 - scikit-learn's name
        """Checked codes of all questions, columns in the survey's order; `X` and `y` as for `fit`."""
        frame = self._frame(X)
        if y is not None:
            frame = frame.assign(**{survey_target(self.survey, self.target): np.asarray(y)})
        return code_matrix(self.survey.questions, frame)

    def full_values(self, X: pd.DataFrame | ArrayLike) -> Values:  # noqa: N803 - scikit-learn's name
        """Value indices of all questions, columns in the survey's order, -1 for the target; as for `predict_proba`."""
        frame, features = self._frame(X), self._features
        values = np.full((len(frame), len(self.survey.questions)), -1, np.int16)
        columns = [self.survey.questions.index(question) for question in features]
        values[:, columns] = value_indices(self.survey, frame, [question.name for question in features])
        return values

    def _frame(self, table: pd.DataFrame | ArrayLike) -> pd.DataFrame:
        if isinstance(table, pd.DataFrame):
            return table
        array, features = np.asarray(table), self._features
        if array.ndim != 2 or array.shape[1] != len(features):  # noqa: PLR2004 - rows and columns
            raise ResponseError("table", "it has not one column per question", f"give {len(features)} columns")
        return pd.DataFrame(array, columns=[question.name for question in features])


class ID3Classifier(DisguisedClassifier):
    """Du & Zhan's MRR ID3 (2003, section 4): a greedy tree on estimated counts, split by every value of a question.

    Args:
        survey: The published design the responses were collected under.
        target: Name of the class question; the survey's own if None.
        mode: ``faithful`` (the paper's rules) or ``robust`` (splits that stand out from the noise).
        max_depth: The most questions asked on a path; None for as many as there are.

    Attributes:
        tree_: The `miner.tree.Tree`.
    """

    def __init__(
        self, survey: Survey, target: str | None = None, *, mode: str = "robust", max_depth: int | None = None
    ) -> None:
        super().__init__(survey, target)
        self.mode = mode
        self.max_depth = max_depth

    def _fit_codes(self, codes: Codes, target: str) -> None:
        if self.mode not in CRITERIA:
            raise QueryError("mode", "there is no such mode", f"use one of: {', '.join(CRITERIA)}")
        self.tree_ = grow(Level.at_root(self.survey, codes, target), CRITERIA[self.mode](), self.max_depth)

    def _probabilities(self, values: Values) -> NDArray[np.float64]:
        return self.tree_.predict_proba(values)

    def score(self, X: pd.DataFrame | ArrayLike, y: ArrayLike | None = None) -> float:  # noqa: N803 - scikit-learn's
        """Accuracy estimated from disguised test responses (Du & Zhan's Eq. 15); `X` and `y` as for `fit`."""
        responses = Responses(self.survey, self.full_codes(X, y))
        return float(right_weights(responses, self.tree_, survey_target(self.survey, self.target)).mean())
