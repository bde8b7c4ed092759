"""Estimate the accuracy of a classifier by a model of the test responses, with a small variance.

The unbiased accuracy (`miner.evaluation.accuracy`) weights each response by an inverse weight for each coin. With many
coins, the interval of the unbiased accuracy contains all numbers from 0 to 1. For the implied accuracy, a mixture draws
the other answers x that may be behind each test response (`miner.behind.rows.drawn_rows`). The probability of the class
follows from the prediction f, calibrated to the codes sent for the class:

    P(y | x)  ~  exp( slope ln f_y(x) + intercept_y + lead [f predicts y for x] )

The parameters slope, intercept_y and lead maximise the likelihood of the test responses. The implied accuracy is the
mean posterior probability that the predicted class is the true class. The parameter `lead` makes the implied accuracy
agree with the codes sent, even if the predictions are bad.

The standard error of the implied accuracy is that of an M-estimator (Huber 1967); it includes the sampling of people
and the calibration. The standard error is multiplied by `MIXTURE` because the mixture has errors. `MIXTURE` was
measured in eight simulated populations (`python -m benchmarks.calibration.implied`). A score test (Rao 1948) checks
that the model fits the codes sent for the class. The score test adds a lead for each predicted class, and a lead that
grows with the predicted probability. If the score test rejects the model, no accuracy is returned.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from math import exp, log, sqrt
from typing import Any, Self

import numpy as np

from collector.disclosure.precision import NORMAL_975
from collector.errors import ModelError
from collector.survey.fields import Fields
from miner.arrays import Floats
from miner.behind.kernels import softmax
from miner.behind.rows import Rows, drawn_rows
from miner.responses.responses import Responses, Values

MOST = 20_000  # largest number of test responses that are used; more would hardly shorten the interval
FEWEST = 100  # smallest number of test responses; fewer hardly say more than the model assumes
WIDE = 0.05  # standard error of the unbiased accuracy above which the implied accuracy is also computed
LEVEL = 0.01  # level of the score test: one correct model in a hundred is rejected
FIRMNESS = 0.2  # precision of the prior of slope, intercepts and lead
MIXTURE = 1.2  # factor of the standard error for the error of the mixture, measured in simulated populations
STEP = 1e-4  # step length of numeric derivatives
LEAST = 1e-4  # smallest predicted probability
FLAT = 1e-9  # share of the largest variance below which a direction of the test has no variance


@dataclass(frozen=True)
class ImpliedAccuracy:
    """Accuracy that a fitted model of the test responses implies.

    Attributes:
        estimate: Share of respondents whose class is predicted correctly, or None if the test rejects the model.
        standard_error: Standard error of the estimate, or None if the test rejects the model.
        interval: Interval that is symmetric in log odds and contains the accuracy in 90 % of measured cases
            (docs/learners.md). The interval is None if the test rejects the model.
        n: Number of test responses that were used.
        p_value: P value of the test that the model fits the codes sent for the class.
    """

    estimate: float | None
    standard_error: float | None
    interval: tuple[float, float] | None
    n: int
    p_value: float

    @property
    def as_json(self) -> dict[str, Any]:
        """Return the implied accuracy as plain JSON values."""
        return asdict(self)

    @property
    def line(self) -> str:
        """Return the implied accuracy, its standard error and its interval in words."""
        if self.estimate is None or self.interval is None:
            return f"not known: the codes that were sent contradict the fitted model (p = {self.p_value:.1g})"
        low, high = self.interval
        ends = f"standard error {self.standard_error:.4f}, 90 % interval {low:.4f} to {high:.4f}"
        return (
            f"{self.estimate:.4f} ({ends}; assumes the fitted model, which the codes sent fit: p = {self.p_value:.2g})"
        )

    @classmethod
    def from_fields(cls, fields: Fields) -> Self:
        """Return the accuracy that `as_json` wrote.

        Raises:
            DeniableError: If the fields are not those that `as_json` writes. The error message names the place of the
                defect.
        """
        mean, error = fields.take_number("estimate"), fields.take_number("standard_error")
        limits = fields.all_of("interval", fields.take_optional("interval", list) or [], float)
        found = cls(
            mean,
            error,
            (limits[0], limits[-1]) if limits else None,
            fields.take("n", int),
            fields.take("p_value", float),
        )
        fields.finish()
        figures = [mean, error, *limits]
        whole = (
            len(figures) == 4 and None not in figures and mean is not None and 0 < limits[0] <= mean <= limits[-1] < 1
        )
        if found.n < FEWEST or not 0 <= found.p_value <= 1 or not (whole or figures == [None, None]):
            raise ModelError(
                fields.place, "the figures of the estimate contradict each other", "compute the estimate again"
            )
        return found


def implied_accuracy(
    responses: Responses, predict: Callable[[Values], Floats], target: str, rng: np.random.Generator
) -> ImpliedAccuracy | None:
    """Estimate the accuracy of a classifier by a model of the test responses.

    Args:
        responses: Disguised test responses. Of more than `MOST` test responses, a random sample is used.
        predict: Function from value indices, shape (rows, questions), to class probabilities, shape (rows, classes).
        target: Name of the class question.
        rng: Random generator that draws the answers behind the responses.

    Returns:
        The implied accuracy. The accuracy is None if fewer than `FEWEST` respondents were asked the class question, or
        if every class is known for certain.
    """
    responses = responses.among_asked({target})
    if len(responses) < FEWEST:
        return None
    if len(responses) > MOST:
        responses = responses.take(np.sort(rng.permutation(len(responses))[:MOST]))
    rows = drawn_rows(responses, responses, target, rng)
    calibration = _Calibration(rows, predict(rows.values))
    return calibration.accuracy if 0 < calibration.mean < 1 else None


@dataclass(frozen=True, eq=False)
class _Calibration:
    """Calibration of predictions to the codes that were sent for the class.

    Attributes:
        rows: Candidate rows behind the responses.
        predicted: Predicted class probabilities, shape (rows, classes).
    """

    rows: Rows
    predicted: Floats

    @cached_property
    def lead(self) -> Floats:
        """Return 1 for the predicted class of each row and 0 for other classes, shape (rows, classes)."""
        return np.asarray(np.eye(self.predicted.shape[1])[self.predicted.argmax(axis=1)])

    @cached_property
    def features(self) -> Floats:
        """Return the features that the calibration's parameters multiply, shape (parameters, rows, classes)."""
        logs, classes = np.log(np.maximum(self.predicted, LEAST)), self.predicted.shape[1]
        levels = [np.broadcast_to(each, logs.shape) for each in np.eye(classes)]
        return np.stack([logs, *levels, self.lead])

    @cached_property
    def further(self) -> Floats:
        """Return the features of the parameters that the score test checks, shape (parameters, rows, classes)."""
        sure = np.log(np.maximum(self.predicted.max(axis=1, keepdims=True), LEAST)) * self.lead
        return np.stack([sure, *(self.lead * each for each in np.eye(self.predicted.shape[1])[1:])])

    def person_slopes(self, features: Sequence[Floats], point: Floats) -> Floats:
        """Return the derivatives of each person's log-likelihood by parameters, shape (responses, parameters)."""
        slopes = self.rows.slopes(np.tensordot(point, self.features, 1))[1]
        along = np.concatenate([np.einsum("prc,rc->rp", each, slopes) for each in features], axis=1)
        return np.asarray(np.add.reduceat(along, self.rows.first))

    @cached_property
    def top(self) -> Floats:
        """Return the most probable parameters of the calibration, shape (parameters,)."""
        from scipy.optimize import minimize  # type: ignore[import-untyped] # noqa: PLC0415 - it takes .2 s to import

        start = self._start

        def loss(point: Floats) -> tuple[float, Floats]:
            height, slopes = self.rows.slopes(np.tensordot(point, self.features, 1))
            away = point - start
            along = np.einsum("prc,rc->p", self.features, slopes)
            return FIRMNESS / 2 * float(away @ away) - height, FIRMNESS * away - along

        return np.asarray(minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 500}).x)

    @property
    def _start(self) -> Floats:
        """Return the parameters that leave the predictions unchanged, from which the fit starts."""
        return np.append(1.0, np.zeros(len(self.features) - 1))

    def terms(self, point: Floats) -> Floats:
        """Return the posterior probability that the predicted class is the true class, shape (responses,)."""
        shares = softmax(np.tensordot(point, self.features, 1))
        return np.asarray(np.add.reduceat((self.rows.posterior(shares)[1] * self.lead).sum(axis=1), self.rows.first))

    def _changes(self, of: Callable[[Floats], Floats]) -> Floats:
        """Return numeric derivatives of a function at the most probable parameters, one row for each parameter."""
        steps = STEP * np.eye(len(self.top))
        return np.stack([(of(self.top + step) - of(self.top - step)) / (2 * STEP) for step in steps])

    @cached_property
    def information(self) -> Floats:
        """Return the information matrix of the parameters and the tested parameters, prior included."""
        every = self.features, self.further
        falls = -self._changes(lambda point: self.person_slopes(every, point).sum(axis=0))
        count = len(self.top)
        falls[:, :count] += FIRMNESS * np.eye(count)
        return falls

    @cached_property
    def p_value(self) -> float:
        """Return the p value of the score test of the hypothesis that the calibration is right."""
        from scipy.special import chdtrc  # type: ignore[import-untyped] # noqa: PLC0415 - likewise

        count = len(self.top)
        own, further = (self.person_slopes([each], self.top) for each in (self.features, self.further))
        net = further - own @ np.linalg.solve(self.information[:, :count], self.information[:, count:])
        variances, directions = np.linalg.eigh(net.T @ net)
        some = variances > FLAT * variances.max()
        if not some.any():
            return 1.0
        along = (net.sum(axis=0) @ directions)[some]
        return float(chdtrc(some.sum(), float((along**2 / variances[some]).sum())))

    @cached_property
    def mean(self) -> float:
        """Return the mean posterior probability that the predicted class is the true class."""
        return float(self.terms(self.top).mean())

    @property
    def accuracy(self) -> ImpliedAccuracy:
        """Return the implied accuracy, without figures if the score test rejects the model."""
        terms, count, n = self.terms(self.top), len(self.top), len(self.rows.first)
        if self.p_value < LEVEL:
            return ImpliedAccuracy(None, None, None, n, self.p_value)
        mean = self.mean
        along = self._changes(lambda point: self.terms(point).mean(keepdims=True))[:, 0]
        moved = self.person_slopes([self.features], self.top) @ np.linalg.solve(self.information[:, :count], along)
        error = MIXTURE * sqrt(float((((terms - mean) / n + moved) ** 2).sum()))
        middle, reach = log(mean / (1 - mean)), NORMAL_975 * error / (mean * (1 - mean))
        low, high = (1 / (1 + exp(-(middle + side * reach))) for side in (-1, 1))
        return ImpliedAccuracy(mean, error, (low, high), n, self.p_value)
