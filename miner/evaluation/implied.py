"""The accuracy of a classifier that a model of the test responses implies: one assumption more, and a small variance.

The unbiased accuracy (`miner.evaluation.accuracy`) weighs each response by an inverse for each coin. Behind many coins
its interval holds all numbers from 0 to 1. Here the answers x behind a test response are drawn from a mixture
(`miner.behind.rows.drawn_rows`). The class follows from the prediction f, calibrated to the codes sent for the class:

    P(y | x)  ~  exp( slope ln f_y(x) + intercept_y + lead [f predicts y for x] )

Slope, intercepts and lead maximise the likelihood of the test responses. The implied accuracy is the mean posterior
probability that the predicted class is the true one. At the top of the likelihood the lead makes it the accuracy which
agrees with the codes that were sent, whatever the shape of f.

The standard error is that of an M-estimator (Huber 1967), which includes the sampling of people and the calibration,
times `MIXTURE` for the error of the mixture: so much larger were errors in eight made-up populations (`python -m
benchmarks.calibration.implied`). A score test (Rao 1948) asks whether the codes sent for the class fit: whether a lead
for each predicted class, and one that grows with the predicted probability, would raise the likelihood. If it rejects,
there is no figure.
"""

from collections.abc import Callable
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

MOST = 20_000  # test responses that are looked at; more would hardly shorten the interval
FEWEST = 100  # test responses; fewer hardly say more than the model assumes
WIDE = 0.05  # standard error of the unbiased accuracy beyond which the implied one is computed, too
LEVEL = 0.01  # of the test: one right model in a hundred is rejected
FIRMNESS = 0.2  # of the prior of slope, intercepts and lead: twice its nats for a number that is 1 off
MIXTURE = 1.2  # times the standard error, for the error of the mixture, as measured on made-up populations
STEP = 1e-4  # of numeric derivatives
LEAST = 1e-4  # of a predicted probability
FLAT = 1e-9  # share of the largest variance, below which a direction of the test has none


@dataclass(frozen=True)
class ImpliedAccuracy:
    """The accuracy that a fitted model of the test responses implies.

    Attributes:
        estimate: Share of respondents whose class is predicted; None if the test rejects the model.
        standard_error: Of the estimate; None likewise.
        interval: By the log odds; it holds in 90 % of cases, as measured (docs/learners.md). None likewise.
        n: Number of test responses that were looked at.
        p_value: Of the test that the model fits the codes sent for the class.
    """

    estimate: float | None
    standard_error: float | None
    interval: tuple[float, float] | None
    n: int
    p_value: float

    @property
    def as_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self)

    @property
    def line(self) -> str:
        """The figures in words."""
        if self.estimate is None or self.interval is None:
            return f"not known: the codes that were sent contradict the fitted model (p = {self.p_value:.1g})"
        low, high = self.interval
        ends = f"standard error {self.standard_error:.4f}, 90 % interval {low:.4f} to {high:.4f}"
        return (
            f"{self.estimate:.4f} ({ends}; assumes the fitted model, which the codes sent fit: p = {self.p_value:.2g})"
        )

    @classmethod
    def from_fields(cls, fields: Fields) -> Self:
        """Read `as_json` back.

        Raises:
            DeniableError: If it is not what `as_json` wrote; naming the place.
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
            raise ModelError(fields.place, "its figures contradict each other", "compute it again")
        return found


def implied_accuracy(
    responses: Responses, predict: Callable[[Values], Floats], target: str, rng: np.random.Generator
) -> ImpliedAccuracy | None:
    """The accuracy that a model of test responses implies for a classifier.

    Args:
        responses: Disguised test responses; of more than `MOST` a random sample is looked at.
        predict: From value indices, shape (rows, questions), to class probabilities, shape (rows, classes).
        target: Name of the class question.
        rng: Draws the answers behind the responses.

    Returns:
        None if there are fewer than `FEWEST` responses of people who were asked the target, or if each response shows
        for certain whether the prediction is right.
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
    """A calibration of predictions to the codes that were sent for the class.

    Attributes:
        rows: Behind the responses.
        predicted: Shape (rows, classes): class probabilities.
    """

    rows: Rows
    predicted: Floats

    @cached_property
    def lead(self) -> Floats:
        """Shape (rows, classes): 1 at the class that is predicted."""
        return np.asarray(np.eye(self.predicted.shape[1])[self.predicted.argmax(axis=1)])

    @cached_property
    def features(self) -> Floats:
        """Shape (numbers, rows, classes): what each number of the calibration is multiplied by."""
        logs, classes = np.log(np.maximum(self.predicted, LEAST)), self.predicted.shape[1]
        levels = [np.broadcast_to(each, logs.shape) for each in np.eye(classes)]
        return np.stack([logs, *levels, self.lead])

    @cached_property
    def further(self) -> Floats:
        """Shape (further numbers, rows, classes): those that the test looks for."""
        sure = np.log(np.maximum(self.predicted.max(axis=1, keepdims=True), LEAST)) * self.lead
        return np.stack([sure, *(self.lead * each for each in np.eye(self.predicted.shape[1])[1:])])

    def person_slopes(self, features: Floats, point: Floats) -> Floats:
        """Shape (responses, numbers): slopes of the log-likelihood at a point along features."""
        slopes = self.rows.slopes(np.tensordot(point, self.features, 1))[1]
        along = np.einsum("prc,rc->rp", features, slopes)
        return np.asarray(np.add.reduceat(along, self.rows.first))

    @cached_property
    def top(self) -> Floats:
        """Shape (numbers,): the most probable calibration."""
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
        """The prediction as it is."""
        return np.append(1.0, np.zeros(len(self.features) - 1))

    def terms(self, point: Floats) -> Floats:
        """Shape (responses,): posterior probability that the predicted class is the true one."""
        shares = softmax(np.tensordot(point, self.features, 1))
        return np.asarray(np.add.reduceat((self.rows.posterior(shares)[1] * self.lead).sum(axis=1), self.rows.first))

    def _changes(self, of: Callable[[Floats], Floats]) -> Floats:
        """Numeric derivatives at the top along each number, in rows."""
        steps = STEP * np.eye(len(self.top))
        return np.stack([(of(self.top + step) - of(self.top - step)) / (2 * STEP) for step in steps])

    @cached_property
    def information(self) -> Floats:
        """Shape (numbers, numbers + further): how slopes fall along the numbers; with the prior."""
        every = np.concatenate([self.features, self.further])
        falls = -self._changes(lambda point: self.person_slopes(every, point).sum(axis=0))
        count = len(self.top)
        falls[:, :count] += FIRMNESS * np.eye(count)
        return falls

    @cached_property
    def p_value(self) -> float:
        """P value of the score test for the further numbers."""
        from scipy.special import chdtrc  # type: ignore[import-untyped] # noqa: PLC0415 - likewise

        count = len(self.top)
        own, further = (self.person_slopes(each, self.top) for each in (self.features, self.further))
        net = further - own @ np.linalg.solve(self.information[:, :count], self.information[:, count:])
        variances, directions = np.linalg.eigh(net.T @ net)
        some = variances > FLAT * variances.max()
        if not some.any():
            return 1.0
        along = (net.sum(axis=0) @ directions)[some]
        return float(chdtrc(some.sum(), float((along**2 / variances[some]).sum())))

    @cached_property
    def mean(self) -> float:
        """Mean posterior probability that the predicted class is the true one."""
        return float(self.terms(self.top).mean())

    @property
    def accuracy(self) -> ImpliedAccuracy:
        """The implied accuracy, unless the test rejects."""
        terms, count, n = self.terms(self.top), len(self.top), len(self.rows.first)
        if self.p_value < LEVEL:
            return ImpliedAccuracy(None, None, None, n, self.p_value)
        mean = self.mean
        along = self._changes(lambda point: self.terms(point).mean(keepdims=True))[:, 0]
        moved = self.person_slopes(self.features, self.top) @ np.linalg.solve(self.information[:, :count], along)
        error = MIXTURE * sqrt(float((((terms - mean) / n + moved) ** 2).sum()))
        middle, reach = log(mean / (1 - mean)), NORMAL_975 * error / (mean * (1 - mean))
        low, high = (1 / (1 + exp(-(middle + side * reach))) for side in (-1, 1))
        return ImpliedAccuracy(mean, error, (low, high), n, self.p_value)
