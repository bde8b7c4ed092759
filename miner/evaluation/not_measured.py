"""The result of an evaluation where too few respondents were asked all questions that a classifier uses: no figures.

In a split questionnaire hardly anybody is asked all questions of a forest. The joint distribution of its questions is
then not identified, and neither is its accuracy: populations in which it is higher and lower send the same responses. A
fitted model that fills in what was not asked supplies the missing interactions by assumption, mostly as absent, and so
underestimates the accuracy: .69 and .74 where the true one was .905 (nursery, four of nine questions, epsilon 4 in
all), with a standard error of .01. No interval from the model's own variation would cover (docs/learners.md).
"""

from dataclasses import dataclass
from functools import cached_property
from math import nan
from typing import Self

import numpy as np

from miner.estimates.estimate import Estimate
from miner.estimates.ratios import Amount
from miner.evaluation.copies import Copies
from miner.evaluation.evaluation import BINS, POINTS, CalibrationBin, Evaluation, RocPoint
from miner.responses.responses import Responses


@dataclass(frozen=True, eq=False, repr=False)
class NotMeasured(Evaluation):
    """Every measure of a classifier that cannot be measured: not a number, and marked `Estimate.model_based`."""

    n: int

    @classmethod
    def on(cls, responses: Responses, target: str) -> Self:
        """The measures of any classifier that uses more questions than these respondents were asked."""
        none = np.zeros((0, 1), np.int16)
        copies = Copies(np.zeros(0), none.astype(np.intp), none, np.ones((1, 1)), 1.0, exact=False)
        classes = len(responses.survey.question(target).values)
        return cls(responses.survey, target, copies, np.zeros((0, classes)), len(responses))

    @property
    def basis(self) -> str:
        """Nothing."""
        return "none"

    @cached_property
    def accuracy(self) -> Estimate:
        """Not known."""
        return Estimate(nan, None, None, self.n, model_based=True)

    @cached_property
    def auc(self) -> Estimate | None:
        """Not known."""
        return self.accuracy

    @cached_property
    def confusion(self) -> dict[tuple[str, str], Estimate]:
        """Not known."""
        return {(true, predicted): self.accuracy for true in self.classes for predicted in self.classes}

    @cached_property
    def precision(self) -> dict[str, Estimate | None]:
        """Not known."""
        return dict.fromkeys(self.classes, self.accuracy)

    @cached_property
    def recall(self) -> dict[str, Estimate | None]:
        """Not known."""
        return dict.fromkeys(self.classes, self.accuracy)

    @cached_property
    def log_loss(self) -> Amount:
        """Not known."""
        return Amount(nan, None, None, self.n, model_based=True)

    @cached_property
    def impossible(self) -> Estimate:
        """Not known."""
        return self.accuracy

    @cached_property
    def brier(self) -> Amount:
        """Not known."""
        return self.log_loss

    def roc(self, positive: str, points: int = POINTS) -> list[RocPoint]:  # noqa: ARG002 - as for any evaluation
        """No point is known."""
        return []

    def calibration(self, positive: str, bins: int = BINS) -> list[CalibrationBin]:  # noqa: ARG002 - likewise
        """No bin is known."""
        return []
