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

from miner.arrays import Floats
from miner.estimates.estimate import Estimate
from miner.estimates.ratios import Amount
from miner.evaluation.copies import Copies
from miner.evaluation.evaluation import Evaluation
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
    def auc(self) -> Estimate | None:
        """Not known."""
        return self.accuracy

    def _share(self, terms: Floats) -> Estimate:  # noqa: ARG002 - no term is known
        return Estimate(nan, None, None, self.n, model_based=True)

    def _ratios(self, whole: Floats) -> dict[str, Estimate | None]:  # noqa: ARG002 - likewise
        return dict.fromkeys(self.classes, self.accuracy)

    def _loss(self, losses: Floats) -> Amount:  # noqa: ARG002 - likewise
        return Amount(nan, None, None, self.n, model_based=True)
