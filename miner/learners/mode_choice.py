"""Choice of the mode from the responses: combine the forecast and the measured gain by inverse variance.

The gain is the accuracy of the latent mode minus that of the robust mode. The responses are divided into folds; for
each fold, a model in each of the two modes is fitted to the other folds. Its gain on the fold is estimated in two ways.

    forecast   on soft copies of the fold's responses. This has little variance, but has the bias of the mixture
    measured   on signed copies of the fold's responses (DESIGN section 5). This is unbiased, but has a large variance
    under a strong disguise

The two are combined by inverse variance; the standard error of the forecast is assumed to be `FORECAST_ERROR`. The
mixture is fitted once, to all responses: the influence of a single response on it is negligible.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from collector.survey.survey import Group
from miner.estimates.estimate import Estimate, mean_estimate
from miner.latent.model import SoftCopies
from miner.learners.modes import FEWEST_RESPONSES, LATENT, ROBUST, Choice, Labels, gain_terms
from miner.responses.responses import Responses
from miner.weights.layout import uncountable

FOLDS = 3
MOST_HEARD = 60_000  # largest number of responses in the folds; of more, a random sample
FORECAST_ERROR = 0.02  # of the forecast, as one standard deviation: assumed (docs/results/papers.md)


class Twins(Protocol):
    """Fits models with the parameters of the one to be fitted, in either of two modes."""

    def robust(self, responses: Responses) -> Labels:
        """The predictions of a robust model fitted to these responses."""

    def latent(self, copies: SoftCopies, people: int) -> Labels:
        """The predictions of a latent model fitted to these rows, which represent this number of people."""


class _Fold(NamedTuple):
    """The gain summed over the soft copies of a fold; the terms of its mean over signed copies (`gain_terms`)."""

    forecast: float
    terms: NDArray[np.float64]
    counts: NDArray[np.float64]
    size: float


@dataclass(frozen=True, eq=False)
class Trial:
    """Estimation of the gain of the latent mode over the robust mode.

    Attributes:
        twins: Fits the models that are compared.
        responses: The disguised responses.
        copies: Soft copies of the responses, followed by those of plain rows, by a mixture.
        target: Name of the class question.
    """

    twins: Twins
    responses: Responses
    copies: SoftCopies
    target: str

    def choice(self, rng: np.random.Generator) -> Choice:
        """Latent, unless robust is expected to be more accurate.

        Args:
            rng: Assigns folds, and draws signed copies if there are too many.
        """
        forecast, gain = self.gains(rng)
        error = gain.standard_error or 0.0
        expected = expected_gain(gain.estimate, error, forecast)
        heard = min(MOST_HEARD, len(self.responses))
        why = (
            f"on responses kept out in turn, {heard} in all, latent gains {gain.estimate:+.3f} in "
            f"accuracy over robust (standard error {error:.3f}); the mixture forecasts {forecast:+.3f}; "
            f"{expected:+.3f} is expected after all"
        )
        return Choice(LATENT if expected >= 0 else ROBUST, why, gain)

    def gains(self, rng: np.random.Generator) -> tuple[float, Estimate]:
        """The gain of latent over robust: forecast by the mixture, and measured."""
        dealt = rng.permutation(len(self.responses))[:MOST_HEARD]
        folds = [self._judged(np.sort(dealt[fold::FOLDS]), np.sort(dealt), rng) for fold in range(FOLDS)]
        terms, counts = (
            np.concatenate(each) for each in zip(*((fold.terms, fold.counts) for fold in folds), strict=True)
        )
        size = max(fold.size for fold in folds)
        forecast = sum(fold.forecast for fold in folds) / len(dealt)
        return forecast, mean_estimate(terms, (-size, size), counts)

    def _judged(self, judges: NDArray[np.intp], heard: NDArray[np.intp], rng: np.random.Generator) -> _Fold:
        """The gain on some responses, of models that are fitted to others and to all plain rows."""
        others, plain = np.setdiff1d(heard, judges), np.arange(len(self.responses), int(self.copies.origin[-1]) + 1)
        robust = self.twins.robust(self.responses.take(others))
        copies = self.copies.of(np.concatenate([others, plain]))
        copies = replace(copies, times=copies.times * len(self.responses) / len(heard))
        latent = self.twins.latent(copies, len(others) + len(plain))
        believed = self.copies.of(judges)
        truth = believed.values[:, [question.name for question in self.responses.survey.questions].index(self.target)]
        right = [(labels(believed.values) == truth) @ believed.weights for labels in (robust, latent)]
        measured = gain_terms(self.responses.take(judges), robust, latent, self.target, rng)
        return _Fold(float(right[1] - right[0]), *measured)


def forced_choice(responses: Responses) -> Choice | None:
    """The choice where only one mode is possible; otherwise None."""
    if responses.survey.sampling is not None:
        return Choice(LATENT, "not everybody was asked every question, and the other modes count whole responses")
    if (problem := uncountable(responses.survey)) is not None:
        return Choice(LATENT, f"{problem}, and the other modes count values")
    if len(responses) < FEWEST_RESPONSES:
        return Choice(ROBUST, f"fewer than {FEWEST_RESPONSES} responses")
    if not any(may_replace(group) for group in responses.survey.groups):
        return Choice(ROBUST, "nothing is disguised")
    return None


def may_replace(group: Group) -> bool:
    """Whether a response may contain something other than the truth, or its complement, of a group."""
    return group.channel.coin.fixed not in {0, 1}


def expected_gain(measured: float, error: float, forecast: float) -> float:
    """The expected gain: measured and forecast gain, weighted by their precisions.

    Args:
        measured: Gain measured on held-out responses, in [-1, 1].
        error: Its standard error, 0 or more.
        forecast: Gain forecast by the mixture.
    """
    trust = FORECAST_ERROR**2 / (FORECAST_ERROR**2 + error**2)
    return trust * measured + (1 - trust) * forecast
