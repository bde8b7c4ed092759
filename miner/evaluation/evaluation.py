"""Compute all measures of a classifier from its predictions for signed copies of test responses.

Estimates are not clipped: an estimated share may be below 0. A ratio is None if its estimated denominator is not above
0. Intervals are computed by `miner.estimates.estimate` and `miner.figures.means`. The coverage of the intervals is
measured by `python -m benchmarks.calibration.coverage`.
"""

from dataclasses import asdict, dataclass, field
from functools import cached_property
from math import inf, nan
from typing import Any, Self

import numpy as np

from collector.survey.survey import Survey
from miner.arrays import Flags, Floats, Indices
from miner.evaluation.accuracy import stretched, term_range
from miner.evaluation.auc import auc
from miner.evaluation.copies import Amounts, Copies
from miner.evaluation.copy_sums import CopySums
from miner.evaluation.curves import CalibrationBin, RocPoint
from miner.figures.estimate import Amount, Estimate, Range
from miner.figures.means import mean_estimate, ratio
from miner.json_values import json_values
from miner.responses.responses import Responses

BINS = 10
POINTS = 20
ROUNDING = 1e-9
LEAST = float(np.finfo(np.float64).eps)  # smallest probability in a log loss, as in scikit-learn; 0 would give infinity


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """Measures of a classifier on disguised test responses.

    Attributes:
        survey: Published survey.
        target: Name of the class question.
        copies: Signed copies of the test responses.
        probabilities: Predicted class probabilities for the copies' rows, shape (places, classes). The predicted class
            is the most probable class, or the first of equally probable classes.
        sums: Exact sums over all copies, and the predictions for the rows of these sums, shape (places, classes). Exact
            sums are used for all measures but the area under the curve, if `copies` are drawn and the sums are not too
            costly.
    """

    survey: Survey
    target: str
    copies: Copies
    probabilities: Floats
    sums: tuple[CopySums, Floats] | None = field(default=None, kw_only=True)

    def __repr__(self) -> str:
        return f"<Evaluation of {self.target}: accuracy {self.accuracy.line}>"

    @property
    def classes(self) -> tuple[str, ...]:
        """Return the values of the class question."""
        return self.survey.question(self.target).values

    @property
    def contrasts(self) -> range:
        """Return the classes that are compared with all others: the first of two classes, or each of more than two."""
        return range(1 if len(self.classes) == 2 else len(self.classes))

    @cached_property
    def accuracy(self) -> Estimate:
        """Return the share of respondents whose class is predicted correctly."""
        return self._share(
            np.einsum("rkk->r", self._cells), self.sums and self.sums[0].ends(self._right(self._predicted))
        )

    @cached_property
    def confusion(self) -> dict[tuple[str, str], Estimate]:
        """Return the share of respondents for each pair (true class, predicted class).

        The shares of all pairs add up to 1.
        """
        return {
            (true, predicted): self._share(self._cells[:, row, column])
            for row, true in enumerate(self.classes)
            for column, predicted in enumerate(self.classes)
        }

    @cached_property
    def precision(self) -> dict[str, Estimate | None]:
        """Return the share of correct predictions for each predicted class.

        The share is None for a class that is estimated to be never predicted.
        """
        return self._ratios(self._cells.sum(axis=1))

    @cached_property
    def recall(self) -> dict[str, Estimate | None]:
        """Return the share of each class's members who are predicted correctly, or None if a class has no members."""
        return self._ratios(self._cells.sum(axis=2))

    @cached_property
    def auc(self) -> Estimate | None:
        """Return the area under the ROC curve.

        For more than two classes, the area is a mean over classes, each against the rest.

        The area is None if a class is estimated to have no members.
        """
        return auc(self.copies, self.probabilities, self.contrasts)

    @cached_property
    def log_loss(self) -> Amount:
        """Return the mean of -ln(probability predicted for the true class).

        A predicted probability of 0 is treated as 2.2e-16.
        """
        return self._loss(lambda predicted: -np.log(np.maximum(predicted, LEAST)))

    @cached_property
    def impossible(self) -> Estimate:
        """Return the share of respondents whose true class has a predicted probability of 0.

        The log loss is arbitrary for respondents whose true class has a predicted probability of 0.
        """
        return self._share(self._weighed(lambda predicted: (predicted <= 0).astype(np.float64)))

    @cached_property
    def brier(self) -> Amount:
        """Return the mean squared error of the predicted probability, for the first of two classes.

        For more than two classes, the mean squared errors of all classes are summed.
        """
        times = 0.5 if len(self.classes) == 2 else 1.0
        return self._loss(lambda each: times * ((each**2).sum(axis=1, keepdims=True) + 1 - 2 * each))

    def roc(self, positive: str, points: int = POINTS) -> list[RocPoint]:
        """Return the ROC curve of one class against the rest, from high thresholds to low.

        Args:
            positive: Name of the class.
            points: Largest number of points. The thresholds of the points have equally spaced ranks among the distinct
                scores.
        """
        label, counts = self._label(positive), self._judged.counts
        has = np.arange(len(self.classes)) == label
        levels = np.unique(self._predicted[:, label])[::-1]
        chosen = np.unique(np.linspace(0, len(levels) - 1, min(points, len(levels))).round().astype(int))

        def above(level: float, wanted: Flags) -> Floats:
            return self._weighed(lambda each: np.asarray((each[:, [label]] >= level) * wanted, np.float64))

        positives, negatives = above(-inf, has), above(-inf, ~has)
        return [
            RocPoint(level, ratio(above(level, has), positives, counts), ratio(above(level, ~has), negatives, counts))
            for level in levels[chosen].tolist()
        ]

    def calibration(self, positive: str, bins: int = BINS) -> list[CalibrationBin]:
        """Return the observed frequency of a class in bins of its predicted probability.

        Args:
            positive: Name of the class.
            bins: Number of bins of equal width. Bins of predicted probability that contain no prediction are left out.
        """
        label, counts = self._label(positive), self._judged.counts
        has, every = (np.arange(len(self.classes)) == label).astype(np.float64), np.ones(len(self.classes))

        def home(probability: Floats) -> Indices:
            return np.minimum((probability * bins).astype(np.intp), bins - 1)

        def inside(number: int, times: Amounts) -> Floats:
            return self._weighed(lambda each: (home(each[:, [label]]) == number) * times(each))

        found = []
        for number in np.unique(home(self._predicted[:, label])).tolist():
            mass = inside(number, lambda _: every)
            predicted = ratio(inside(number, lambda each: each[:, [label]] * every), mass, counts)
            observed = ratio(inside(number, lambda _: has), mass, counts)
            bounds = number / bins, (number + 1) / bins
            found.append(CalibrationBin(*bounds, self._share(mass), predicted, observed))
        return found

    @property
    def basis(self) -> str:
        """Return ``all`` if the measures use all signed copies, or ``drawn`` if they use a random part."""
        return "all" if self._judged.exact else "drawn"

    @cached_property
    def drawing_error(self) -> float:
        """Return the part of the standard error of the accuracy that comes from drawing copies.

        If all copies are listed, the part of the standard error that comes from drawing is 0.
        """
        part = 0.0 if self.sums else self.copies.drawing_error(self._right, self.probabilities)
        return min(part, self.accuracy.standard_error or nan)

    @property
    def as_json(self) -> dict[str, Any]:
        """Return all measures with intervals, but without the curves, as plain JSON values."""
        return {
            "accuracy": self.accuracy.as_json,
            "auc": json_values(self.auc),
            "log_loss": self.log_loss.as_json,
            "impossible": self.impossible.as_json,
            "brier": self.brier.as_json,
            "confusion": [
                {"true": true, "predicted": predicted, **share.as_json}
                for (true, predicted), share in self.confusion.items()
            ],
            "precision": json_values(self.precision),
            "recall": json_values(self.recall),
            "copies": self.basis,
        } | ({"drawing_error": self.drawing_error} if self.basis == "drawn" else {})

    def _label(self, value: str) -> int:
        return self.survey.question(self.target).value_index(value)

    @property
    def _judged(self) -> Copies | CopySums:
        """Return the signed copies or exact sums that give all measures but the area under the curve."""
        return self.sums[0] if self.sums else self.copies

    @property
    def _predicted(self) -> Floats:
        """Return the predictions for the rows of answers behind copies or sums."""
        return self.sums[1] if self.sums else self.probabilities

    def _weighed(self, amounts: Amounts) -> Floats:
        """Return each response's signed sum over its copies of numbers that depend on predictions, shape (rows,)."""
        if self.sums:
            return self.sums[0].weighed(amounts(self.sums[1]))
        return self.copies.weighed_by(amounts, self.probabilities)

    @staticmethod
    def _right(predicted: Floats) -> Floats:
        """Return 1 for each predicted class and 0 for other classes, shape (places, classes)."""
        return np.asarray(np.eye(predicted.shape[1])[predicted.argmax(axis=1)])

    @cached_property
    def _cells(self) -> Floats:
        """Return each response's term of the confusion matrix, shape (rows, classes, predicted classes)."""
        classes = len(self.classes)
        if not self.sums:
            return self.copies.confusion(self._predicted.argmax(axis=1), classes)
        right, columns = self._right(self._predicted), []
        has = np.zeros_like(right)
        for true in range(classes):
            for predicted in range(classes):
                has[:, true] = right[:, predicted]
                columns.append(self._judged.weighed(has))
            has[:, true] = 0.0
        return np.stack(columns, axis=1).reshape(-1, classes, classes)

    def _ratios(self, whole: Floats) -> dict[str, Estimate | None]:
        """Return the diagonal of the confusion matrix divided by the sums of its rows or columns."""
        return {
            value: ratio(self._cells[:, number, number], whole[:, number], self._judged.counts)
            for number, value in enumerate(self.classes)
        }

    def _share(self, terms: Floats, ends: Range | None = None) -> Estimate:
        counts = self._judged.counts
        ends, mean = ends or term_range(self._judged.size), float(counts @ terms / counts.sum())
        return mean_estimate(terms, stretched(ends, mean, self._judged.times), counts)

    def _loss(self, losses: Amounts) -> Amount:
        """Return the mean of losses that depend on the predictions.

        The interval of the mean loss uses the smallest and the largest observed term of a response. The smallest and
        largest possible terms are sums of large losses and would make the interval far too wide. The smallest and
        largest possible losses of a response bound the interval only if all observed losses are equal.
        """
        terms = self._weighed(losses)
        extremes = float(terms.min()), float(terms.max())
        if extremes[1] - extremes[0] <= ROUNDING:
            every = losses(self._predicted)
            least, most = float(every.min()), float(every.max())
            middle, reach = (least + most) / 2, self._judged.size * (most - least) / 2
            extremes = middle - reach, middle + reach
        return Amount(**asdict(mean_estimate(terms, extremes, self._judged.counts)))


@dataclass(frozen=True, eq=False, repr=False)
class NotMeasured(Evaluation):
    """Result of an evaluation without figures, because too few respondents were asked all questions.

    Every measure of a classifier that could not be measured is NaN and marked as `Estimate.model_based`. In a split
    questionnaire, hardly anybody is asked all questions that a forest uses. If hardly anybody is asked all questions,
    the accuracy is not identified: populations with different accuracies send the same responses.

    A model that fills in answers to questions that were not asked must assume which interactions exist, and mostly
    assumes none. A model that filled in answers to questions that were not asked estimated accuracies of .69 and .74,
    with standard errors of .01, where the true accuracy was .905. If a model fills in answers to questions that were
    not asked, the interval of the accuracy does not contain the true accuracy (docs/results/learners.md).
    """

    n: int

    @classmethod
    def on(cls, responses: Responses, target: str) -> Self:
        """Return an evaluation without figures, for a classifier that uses questions that were not asked."""
        copies = Copies(np.zeros(0), np.zeros((0, 1), np.intp), np.ones((1, 1, 1)), 1.0, None)
        classes = len(responses.survey.question(target).values)
        return cls(responses.survey, target, copies, np.zeros((0, classes)), len(responses))

    @property
    def basis(self) -> str:
        """Return ``none``, because no measure could be computed from the responses."""
        return "none"

    @cached_property
    def auc(self) -> Estimate | None:
        """Return an estimate without a figure (NaN)."""
        return self.accuracy

    def _share(self, terms: Floats, ends: Range | None = None) -> Estimate:  # noqa: ARG002 - no term is known
        return Estimate(nan, None, None, self.n, model_based=True)

    def _ratios(self, whole: Floats) -> dict[str, Estimate | None]:  # noqa: ARG002 - likewise
        return dict.fromkeys(self.classes, self.accuracy)

    def _loss(self, losses: Amounts) -> Amount:  # noqa: ARG002 - likewise
        return Amount(nan, None, None, self.n, model_based=True)
