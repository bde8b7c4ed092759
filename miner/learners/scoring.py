"""Score a model on true answers, from disguised responses, for scikit-learn's ``scoring=``.

The scorers of scikit-learn predict from test rows and compare the predictions with test classes. In a survey, both the
test rows and the test classes are codes as they were sent. Models refuse to predict from codes, so that a score on
disguised answers is not taken for the model's score. `Scorer` estimates the score on the true answers
(`miner.evaluation`). The estimator must be a model of a survey, or a pipeline or a search that ends in such a model.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from collector.errors import QueryError
from miner.evaluation.evaluation import Evaluation
from miner.evaluation.measures import evaluate
from miner.figures.estimate import NOT_KNOWN, Amount, Estimate
from miner.learners.classifier import DisguisedClassifier, survey_target
from miner.responses.responses import Responses

Measure = Callable[[Evaluation], Amount | Estimate | None]
SCORES: dict[str, tuple[int, Measure]] = {
    "accuracy": (1, lambda found: found.accuracy),
    "roc_auc": (1, lambda found: found.auc),
    "roc_auc_ovr": (1, lambda found: found.auc),
    "neg_log_loss": (-1, lambda found: found.log_loss),
    "neg_brier_score": (-1, lambda found: found.brier),
}
"""By scikit-learn's names: the sign that makes larger better, and the measure."""
OTHER_MODEL = "it is no model of a survey, nor a pipeline or search that ends in one"


class Scorer:
    """Score on true answers, estimated from disguised test responses, for scikit-learn's ``scoring=``.

    Args:
        name: Name of the score, one of `SCORES`.

    Raises:
        QueryError: If the score does not exist.
    """

    def __init__(self, name: str) -> None:
        if name not in SCORES:
            raise QueryError("score", "the score does not exist", f"use one of: {', '.join(SCORES)}")
        self.name = name

    def __call__(
        self,
        estimator: Any,  # noqa: ANN401 - any estimator of scikit-learn
        X: pd.DataFrame | ArrayLike | Responses,  # noqa: N803 - scikit-learn's name
        y: ArrayLike | None = None,
    ) -> float:
        """Return an unbiased estimate of the score, which may be outside the score's range.

        The arguments `X` and `y` are those of a model's `fit`.

        Raises:
            QueryError: If the score cannot be estimated from these responses, or the estimator is not a model of a
                survey.
        """
        model, table = _model_of(estimator, X)
        if model is None:
            raise QueryError("estimator", OTHER_MODEL, "use a score of scikit-learn")
        sign, measure = SCORES[self.name]
        found = measure(_evaluated(model, Responses(model.survey, model.full_codes(table, y))))
        if found is None:
            raise QueryError(self.name, "a class is estimated to have no member in these responses", "use larger folds")
        if found.model_based:
            raise QueryError(self.name, NOT_KNOWN, 'leave "scoring" out')
        return sign * found.estimate

    def __repr__(self) -> str:
        return f"Scorer({self.name!r})"


def _model_of(estimator: Any, table: Any) -> tuple[DisguisedClassifier | None, Any]:  # noqa: ANN401 - any estimator, any table
    """Return the model at the end of an estimator, and the table after the steps that precede the model."""
    while not isinstance(estimator, DisguisedClassifier):
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif hasattr(estimator, "steps") and isinstance(estimator[-1], DisguisedClassifier):
            table = estimator[:-1].transform(table) if len(estimator) > 1 else table
            estimator = estimator[-1]
        else:
            return None, table
    return estimator, table


def _evaluated(model: DisguisedClassifier, responses: Responses) -> Evaluation:
    rng, target = np.random.default_rng(0), survey_target(model.survey, model.target)
    return evaluate(responses, model, target, rng=rng)
