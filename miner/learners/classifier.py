"""Define the base classes of the classifiers: fit, predict and score with the interface of scikit-learn.

`fit` and `score` take *disguised codes*. `predict` takes *true values* in words, from people who disclose them.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from inspect import signature
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError

from collector.errors import QueryError, ResponseError
from collector.survey.survey import Survey
from miner.evaluation.accuracy import copies_accuracy
from miner.responses.plain_rows import PlainRows
from miner.responses.possible import predictors
from miner.responses.responses import Codes, Data, Responses, Values, code_matrix, value_indices
from miner.responses.table_like import DISGUISED
from miner.threads import one_thread

WHOLE = {"ii", "iu", "ui", "uu"}  # data kinds of two arrays of whole numbers


def survey_target(survey: Survey, target: str | None) -> str:
    """Return the name of the class question: the given name, or the survey's class question.

    Raises:
        QueryError: If there is no class question.
    """
    name = survey.target if target is None else target
    if name is None:
        raise QueryError(f'survey "{survey.name}"', "the survey names no target", "name the question to predict")
    return survey.question(name).name


def _sent() -> ResponseError:
    return ResponseError(
        "table",
        "the table holds codes as they were sent, but predictions need true answers",
        'to measure predictions, use score, evaluate, or scoring=miner.Scorer("roc_auc")',
    )


def _frame(table: pd.DataFrame | ArrayLike, names: Sequence[str]) -> pd.DataFrame:
    if isinstance(table, pd.DataFrame):
        return table
    array = np.asarray(table)
    if array.ndim != 2 or array.shape[1] != len(names):  # rows and columns
        raise ResponseError(
            "table", "the table does not have one column for each question", f"give {len(names)} columns"
        )
    return pd.DataFrame(array, columns=list(names))


class SurveyPredictor(ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc] # scikit-learn has no types
    """Predictor of one question of a survey from true values of the other questions.

    Args:
        survey: Published survey.
        target: Name of the class question, or None for the survey's class question.

    Attributes:
        classes_: All values of the class question, in the survey's order.
        feature_names_in_: Names of the questions other than the class question, in the survey's order.
        n_features_in_: Number of questions other than the class question.
    """

    def __init__(self, survey: Survey, target: str | None = None) -> None:
        self.survey = survey
        self.target = target

    @property
    def used_(self) -> list[str]:
        """Return the names of the questions on which predictions depend."""
        return [str(name) for name in self.feature_names_in_]

    @abstractmethod
    def probabilities(self, values: Values) -> NDArray[np.float64]:
        """Return class probabilities for rows of value indices, with columns in the survey's order."""

    def predict_proba(self, X: pd.DataFrame | ArrayLike) -> NDArray[np.float64]:  # noqa: N803 - scikit-learn's name
        """Return class probabilities for true values, in the order of `classes_`.

        Args:
            X: Frame of values in words (numbers for number questions), with a column for each question but the class
                question, in any order. An array of values with columns in the survey's order is also accepted.

        Raises:
            ResponseError: If a column is missing or a value is unknown. The error message names the row and the column,
                never the value.
        """
        if not hasattr(self, "classes_"):
            raise NotFittedError(f"This {type(self).__name__} is not fitted yet: call fit first.")
        return self.probabilities(self.full_values(X))

    def predict(self, X: pd.DataFrame | ArrayLike) -> NDArray[Any]:  # noqa: N803 - scikit-learn's name
        """Return the most probable class of each row of true values, in words.

        For the argument `X`, see `predict_proba`.
        """
        probabilities = self.predict_proba(X)
        predicted: NDArray[Any] = self.classes_[probabilities.argmax(axis=1)]
        return predicted

    def _name_features(self, target: str) -> None:
        self.classes_ = np.array(self.survey.question(target).values)
        names = [self.survey.questions[place].name for place in predictors(self.survey, target)]
        self.feature_names_in_ = np.array(names, dtype=object)
        self.n_features_in_ = len(names)

    @property
    def _others(self) -> list[str]:
        target = survey_target(self.survey, self.target)
        return [question.name for question in self.survey.questions if question.name != target]

    def full_values(self, X: pd.DataFrame | ArrayLike) -> Values:  # noqa: N803 - scikit-learn's name
        """Return the value indices of all questions in order, with -1 for questions that do not predict.

        The argument `X` is described under `predict_proba`.
        """
        if isinstance(X, Responses) or getattr(X, "attrs", {}).get(DISGUISED):
            raise _sent()
        columns = predictors(self.survey, survey_target(self.survey, self.target))
        names = [self.survey.questions[place].name for place in columns]
        frame = _frame(X, names)
        values = np.full((len(frame), len(self.survey.questions)), -1, np.int16)
        try:
            values[:, columns] = value_indices(self.survey, frame, names)
        except ResponseError:
            if len(frame) and all(kind.kind in "iu" for kind in frame.dtypes):
                raise _sent() from None
            raise
        return values


class DisguisedClassifier(SurveyPredictor):
    """Base class of all classifiers for disguised responses.

    Arguments and attributes are those of `SurveyPredictor`.
    """

    LEAST: ClassVar[Mapping[str, int]] = {}
    """Of each parameter that is a whole number the least it may be; None where that is the default."""

    def _check_parameters(self) -> None:
        """Raise an error for a parameter that is not a whole number, or is too small."""
        for name, least in self.LEAST.items():
            value: object = getattr(self, name)
            if value is None and signature(type(self)).parameters[name].default is None:
                continue
            if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
                raise QueryError(
                    name,
                    f"the value is not a whole number of {least} or more",
                    f"give a whole number, such as {max(least, 1)}",
                )

    def fit(
        self,
        X: pd.DataFrame | ArrayLike | Data | PlainRows,  # noqa: N803 - scikit-learn's name
        y: ArrayLike | None = None,
        *,
        plain: PlainRows | None = None,
    ) -> Self:
        """Fit on disguised codes, on undisguised rows, or on both.

        Args:
            X: Responses, or a frame of codes with a column for each question but the class question, in any order. An
                array of codes with columns in the survey's order is also accepted, and so are undisguised rows alone.
                Responses that are not in memory are read part by part, if the learner does not need all at once.
            y: Codes of the class question, or None if `X` contains them.
            plain: Undisguised rows as a second stratum, whose weights sum to the number of people that it represents.
                Each disguised response represents one person (`miner.estimates.hybrid`).

        Raises:
            ResponseError: If a column is missing, or a number is not a code of its question. The error message names
                the row and the column of the wrong number.
            QueryError: If there is no class question, a parameter is invalid, or the plain rows belong to another
                survey.
        """
        self._check_parameters()
        target = survey_target(self.survey, self.target)
        plain = X if isinstance(X, PlainRows) else plain
        data = self._data(X, y)
        if not len(data) and plain is not X:
            raise ResponseError("responses", "there are no responses", "collect responses first")
        if plain is not None:
            plain.check(self.survey)
        self._name_features(target)
        with one_thread():
            self._fit(data, plain, target)
        return self

    @abstractmethod
    def _fit(self, data: Data, plain: PlainRows | None, target: str) -> None:
        """Fit on disguised responses and, if given, on plain rows; only on plain rows if there are no responses."""

    def fit_many(self, responses: Data) -> Self:
        """Fit on disguised responses that are read into memory part by part. Deprecated: `fit` takes them."""
        warnings.warn("fit_many goes with the next version: call fit", DeprecationWarning, stacklevel=2)
        return self.fit(responses)

    def score(self, X: pd.DataFrame | ArrayLike | Responses, y: ArrayLike | None = None) -> float:  # noqa: N803
        """Return the accuracy, estimated from disguised test responses (Du & Zhan's Eq. 15).

        For the arguments `X` and `y`, see `fit`.

        Raises:
            QueryError: If there are no responses.
        """
        responses = Responses(self.survey, self.full_codes(X, y))
        target = survey_target(self.survey, self.target)

        def labels(values: Values) -> NDArray[np.intp]:
            return np.asarray(self.probabilities(values).argmax(axis=1))

        return copies_accuracy(responses, labels, target, self.used_).estimate

    def fit_rows(self, values: Values, weights: NDArray[np.float64], responses: int) -> Self:
        """Fit on undisguised rows, such as a table of true answers. Deprecated: `fit` takes `PlainRows`.

        Args:
            values: Value indices, shape (rows, questions of the survey).
            weights: Weights of the rows, not negative and not all 0, shape (rows,).
            responses: Not used: the rows represent as many people as their weights add up to.

        Raises:
            QueryError: If there is no class question, or a parameter or the weights are invalid.
        """
        del responses
        warnings.warn("fit_rows goes with the next version: call fit with PlainRows", DeprecationWarning, stacklevel=2)
        return self.fit(PlainRows.of(self.survey, values[weights > 0], weights[weights > 0]))

    @property
    @abstractmethod
    def learnt(self) -> dict[str, Any]:
        """Return the fitted state as plain JSON values, which `restored` reads."""

    def restored(self, learnt: Any) -> Self:  # noqa: ANN401 - whatever JSON held
        """Set the fitted state from the values that `learnt` returned, and check all of it.

        Raises:
            DeniableError: If the state does not fit the survey and the class question.
        """
        target = survey_target(self.survey, self.target)
        self._name_features(target)
        self._restore(learnt, target)
        return self

    @abstractmethod
    def _restore(self, learnt: Any, target: str) -> None:  # noqa: ANN401 - whatever JSON held
        """Set the fitted state of the learner from JSON values."""

    @property
    @abstractmethod
    def text(self) -> str:
        """Return a description of the fitted model, as people read it."""

    def _data(self, X: pd.DataFrame | ArrayLike | Data | PlainRows, y: ArrayLike | None) -> Data:  # noqa: N803
        """Return the disguised responses that `fit` is given, none if it is given plain rows only."""
        if isinstance(X, PlainRows):
            return Responses(self.survey, np.empty((0, len(self.survey.questions)), np.int8))
        if isinstance(X, Data) and not isinstance(X, Responses):
            self._check_design(X)
            return X
        return Responses(self.survey, self.full_codes(X, y))

    def _check_design(self, responses: Data) -> None:
        if responses.survey.fingerprint != self.survey.fingerprint:
            raise ResponseError(
                "responses",
                "the responses belong to another survey than the model",
                "make a model for the survey of these responses",
            )

    def full_codes(self, X: pd.DataFrame | ArrayLike | Responses, y: ArrayLike | None) -> Codes:  # noqa: N803
        """Return checked codes of all questions, with columns in the survey's order.

        The arguments `X` and `y` are described under `fit`.
        """
        if isinstance(X, Responses):
            self._check_design(X)
            if y is None:
                return X.codes
            X = X.frame  # noqa: N806 - scikit-learn's name
        labels = None if y is None else np.asarray(y)
        table = X if isinstance(X, pd.DataFrame) else np.asarray(X)
        if labels is not None and isinstance(table, np.ndarray) and table.dtype.kind + labels.dtype.kind in WHOLE:
            return self._joined(table, labels)
        frame = _frame(table, self._others)
        if labels is not None:
            frame = frame.assign(**{survey_target(self.survey, self.target): labels})
        return code_matrix(self.survey, frame)

    def _joined(self, table: NDArray[np.integer], labels: NDArray[np.integer]) -> Codes:
        """Join the codes of the class and of all other questions to codes of all questions."""
        names = [question.name for question in self.survey.questions]
        target, features = names.index(survey_target(self.survey, self.target)), self._others
        if table.ndim != 2 or table.shape[1] != len(features):
            raise ResponseError(
                "table", "the table does not have one column for each question", f"give {len(features)} columns"
            )
        if labels.shape != table.shape[:1]:
            raise ResponseError("labels", "there is not one label for each row", f"give {len(table)} labels")
        codes = np.empty((len(table), len(names)), np.result_type(table, labels))
        codes[:, :target], codes[:, target], codes[:, target + 1 :] = table[:, :target], labels, table[:, target:]
        codes.flags.writeable = False
        return Responses(self.survey, codes).codes
