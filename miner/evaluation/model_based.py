"""Measures of a classifier where no response answers all it looks at: what a model holds for the truth.

Under a split questionnaire hardly anybody, or nobody, is asked all questions of a forest. Then nothing unbiased can be
said of it: which of its answers go together was never seen. Here a latent model of the test responses alone
(`miner.latent.logit_model`), which has not seen those the classifier was trained on, fills in what was not asked and
undoes the disguise, and the classifier is tried on the rows it gives.

These measures are right as far as that model is. They are *model-based*, say so, and have no interval: none would cover
the model's being wrong. Seen once: .798 where .831 was true (Adult, five questions asked of 13, epsilon 3 for each).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from miner.estimates.estimate import Estimate
from miner.estimates.ratios import Amount
from miner.evaluation.copied_states import distinct
from miner.evaluation.copies import Copies
from miner.evaluation.evaluation import BINS, POINTS, CalibrationBin, Evaluation, RocPoint
from miner.evaluation.predictor import Predict
from miner.latent.logit_model import latent_copies
from miner.responses.responses import NOT_ASKED, Responses


@dataclass(frozen=True, eq=False)
class ModelBasedEvaluation(Evaluation):
    """How a classifier does on rows that a model holds for the truth behind disguised test responses."""

    @property
    def basis(self) -> str:
        """A model's rows."""
        return "mixture"

    @cached_property
    def accuracy(self) -> Estimate:
        """As `Evaluation`'s."""
        return _by_model(super().accuracy)

    @cached_property
    def auc(self) -> Estimate | None:
        """As `Evaluation`'s."""
        return _if_any(super().auc)

    @cached_property
    def confusion(self) -> dict[tuple[str, str], Estimate]:
        """As `Evaluation`'s."""
        return {pair: _by_model(found) for pair, found in super().confusion.items()}

    @cached_property
    def precision(self) -> dict[str, Estimate | None]:
        """As `Evaluation`'s."""
        return {value: _if_any(found) for value, found in super().precision.items()}

    @cached_property
    def recall(self) -> dict[str, Estimate | None]:
        """As `Evaluation`'s."""
        return {value: _if_any(found) for value, found in super().recall.items()}

    @cached_property
    def log_loss(self) -> Amount:
        """As `Evaluation`'s."""
        return replace(super().log_loss, interval=None, model_based=True)

    @cached_property
    def impossible(self) -> Estimate:
        """As `Evaluation`'s."""
        return _by_model(super().impossible)

    @cached_property
    def brier(self) -> Amount:
        """As `Evaluation`'s."""
        return replace(super().brier, interval=None, model_based=True)

    def roc(self, positive: str, points: int = POINTS) -> list[RocPoint]:
        """As `Evaluation`'s."""
        return [
            replace(
                point,
                true_positive_rate=_if_any(point.true_positive_rate),
                false_positive_rate=_if_any(point.false_positive_rate),
            )
            for point in super().roc(positive, points)
        ]

    def calibration(self, positive: str, bins: int = BINS) -> list[CalibrationBin]:
        """As `Evaluation`'s."""
        return [
            replace(
                each,
                share=_by_model(each.share),
                predicted=_if_any(each.predicted),
                observed=_if_any(each.observed),
            )
            for each in super().calibration(positive, bins)
        ]


def _by_model(found: Estimate) -> Estimate:
    return replace(found, interval=None, model_based=True)


def _if_any(found: Estimate | None) -> Estimate | None:
    return None if found is None else _by_model(found)


def evaluate_by_model(
    responses: Responses, predict: Predict, target: str, asked: Sequence[str], rng: np.random.Generator
) -> ModelBasedEvaluation:
    """Measure a classifier on what a model holds for the truth behind disguised test responses.

    Args:
        responses: Disguised test responses; a respondent need not be asked everything.
        predict: The classifier, as a function of value indices.
        target: Name of the class question.
        asked: Names of the questions it looks at.
        rng: Fits the model and draws rows.

    Raises:
        ModelError: If there are fewer than two responses.
    """
    rows, questions = latent_copies(responses, target, rng), responses.survey.questions
    names = [question.name for question in questions]
    seen = rows.values.copy()
    seen[:, [number for number, name in enumerate(names) if name not in asked]] = NOT_ASKED
    different, place = distinct(seen)
    classes = rows.values[:, names.index(target)]
    copies = Copies(rows.weights, place[:, None], classes[:, None], np.ones((1, 1)), 1.0, exact=False)
    return ModelBasedEvaluation(responses.survey, target, copies, predict(different))
