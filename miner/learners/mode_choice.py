"""Choice of the mode from the responses: combine the forecast and the measured gain by inverse variance.

How much more often is the latent mode right than the robust one? The responses are dealt into folds, and for each fold
twins learn from the others. Two witnesses are then heard on the fold.

    forecast   the twins are tried on soft copies of its responses. That has hardly any noise, but believes the
               mixture: it is off by as much as the mixture is wrong
    measured   the twins are tried on the signed copies of its responses (DESIGN section 5). That believes nothing,
               and under much disguise it is all noise

So the forecast is the prior, give or take `FORECAST_ERROR`, and what was measured counts by its precision. The mixture
is fitted once, to all responses: what it knows of the fold from the fold is one response in very many.
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
MOST_HEARD = 60_000  # responses that are dealt into folds, of more so many drawn at random: enough to tell
FORECAST_ERROR = 0.02  # of the forecast, as one standard deviation: assumed (docs/results/papers.md)


class Twins(Protocol):
    """Fits models like the one to be fitted, in one of two modes."""

    def robust(self, responses: Responses) -> Labels:
        """What a model predicts that learnt from these responses."""

    def latent(self, copies: SoftCopies, people: int) -> Labels:
        """What a model predicts that learnt from these rows, which stand for so many people."""


class _Fold(NamedTuple):
    """The gain summed over the soft copies of a fold; the terms of its mean over signed copies (`gain_terms`)."""

    forecast: float
    terms: NDArray[np.float64]
    counts: NDArray[np.float64]
    size: float


@dataclass(frozen=True, eq=False)
class Trial:
    """The hearing of the two witnesses.

    Attributes:
        twins: Fits the models that are compared.
        responses: Disguised; they judge.
        copies: Soft copies of the responses, and below them of plain rows if there are any, by a mixture.
        target: Name of the class question.
    """

    twins: Twins
    responses: Responses
    copies: SoftCopies
    target: str

    def choice(self, rng: np.random.Generator) -> Choice:
        """Latent, unless robust is expected to be right more often.

        Args:
            rng: Deals folds, and draws signed copies where there are too many.
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
        """The gain of latent over robust: as the mixture forecasts it, and as it was measured."""
        dealt = rng.permutation(len(self.responses))[:MOST_HEARD]
        folds = [self._judged(np.sort(dealt[fold::FOLDS]), np.sort(dealt), rng) for fold in range(FOLDS)]
        terms, counts = (
            np.concatenate(each) for each in zip(*((fold.terms, fold.counts) for fold in folds), strict=True)
        )
        size = max(fold.size for fold in folds)
        forecast = sum(fold.forecast for fold in folds) / len(dealt)
        return forecast, mean_estimate(terms, (-size, size), counts)

    def _judged(self, judges: NDArray[np.intp], heard: NDArray[np.intp], rng: np.random.Generator) -> _Fold:
        """What some responses say of twins that learnt from the others that are heard, and from all plain rows."""
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


def foregone(responses: Responses) -> Choice | None:
    """The choice where there is nothing to choose; else None."""
    if responses.survey.sampling is not None:
        return Choice(LATENT, "not everybody was asked every question, and the other modes count whole responses")
    if (problem := uncountable(responses.survey)) is not None:
        return Choice(LATENT, f"{problem}, and the other modes count values")
    if len(responses) < FEWEST_RESPONSES:
        return Choice(ROBUST, f"fewer than {FEWEST_RESPONSES} responses")
    if not any(may_lie(group) for group in responses.survey.groups):
        return Choice(ROBUST, "nothing is disguised")
    return None


def may_lie(group: Group) -> bool:
    """Whether a response need not tell the truth, or its complement, of a group."""
    return group.channel.coin.fixed not in {0, 1}


def expected_gain(measured: float, error: float, forecast: float) -> float:
    """The gain to expect: what was measured and what was forecast, each weighed by its precision.

    Args:
        measured: On responses kept out.
        error: Its standard error, 0 or more.
        forecast: By the mixture.
    """
    trust = FORECAST_ERROR**2 / (FORECAST_ERROR**2 + error**2)
    return trust * measured + (1 - trust) * forecast
