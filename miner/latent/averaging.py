"""The logit under several priors, each weighed by how likely it makes responses held out.

How far the effects may go is not known beforehand: under much disguise hardly more can be learnt than the tables of
question and class, under little disguise much more. So the logit is fitted to most responses under priors from loose
to firm, the firm ones around naive Bayes, which is made of these tables; the other responses weigh them (pseudo-Bayes
factors: Geisser & Eddy 1979). Those that count are fitted to all responses, and their effects are averaged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from miner.latent.ascent import PACE, Pace, Prior, ascended
from miner.latent.chains import Source
from miner.latent.climb import logarithms
from miner.latent.kernels import Floats
from miner.latent.logit import Effects, Frame, Logit

LOOSE = 8.0, 0.7  # variances of a row's log odds by all main, and by all pair effects together; around nothing
FIRM = (1.0, 0.1), (0.1, 0.01)  # the same, around naive Bayes
TRIAL_STEPS = 120
LEAST_BATCH = 1_000  # chains moved in a step of a trial, where there are fewer responses
DRAWS = 20  # rows for each response held out
LEAST_WEIGHT = 0.02  # below which a prior does not count


class Starts(NamedTuple):
    """Two logits with main effects only, of the same tables of question and class.

    Attributes:
        tilted: As `miner.latent.tilt` has it: where the ascent under the loose prior begins.
        naive: Naive Bayes: where it begins under the firm ones, and what they are centred on.
    """

    tilted: Logit
    naive: Logit

    def under_priors(self) -> list[tuple[Logit, Prior]]:
        """Where to begin, and the prior."""
        nothing = Effects(*(np.zeros(each.shape) for each in self.tilted.effects))
        loose = self.tilted, Prior(nothing, *LOOSE)
        return [loose, *((self.naive, Prior(self.naive.effects, *each)) for each in FIRM)]


@dataclass(frozen=True, eq=False)
class Trial:
    """Most responses, and those held out.

    Attributes:
        learnt: Of the one kind.
        starts: Made from the same.
        judges: Of the other.
    """

    learnt: Source
    starts: Starts
    judges: Source

    def sums(self, rng: np.random.Generator) -> Floats:
        """Shape (priors,): ln of how likely the responses held out are under each, up to a common constant."""
        pace = Pace(TRIAL_STEPS, int(np.clip(len(self.learnt), LEAST_BATCH, PACE.batch)))
        logits = [ascended(self.learnt, *each, rng, pace) for each in self.starts.under_priors()]
        return np.asarray(log_gains(self.judges, logits, rng).sum(axis=1), np.float64)


def weights_of(sums: Floats) -> Floats:
    """Shape (priors,): how much each prior counts, from `Trial.sums`."""
    weights = np.exp(sums - sums.max())
    weights[weights < LEAST_WEIGHT * weights.sum()] = 0.0
    return np.asarray(weights / weights.sum(), np.float64)


def averaged(source: Source, starts: Starts, weights: Floats, rng: np.random.Generator) -> Logit:
    """The logits of all responses under the priors that count, their effects averaged.

    Args:
        source: The mixture and all responses.
        starts: Made from the same.
        weights: From `weights_of`.
        rng: Moves the chains.
    """
    pairs = zip(starts.under_priors(), weights.tolist(), strict=True)
    logits = [(ascended(source, *each, rng), weight) for each, weight in pairs if weight > 0]
    parts = zip(*(logit.effects for logit, _ in logits), strict=True)
    whole = [sum(part * weight for part, (_, weight) in zip(each, logits, strict=True)) for each in parts]
    return Logit(starts.naive.frame, Effects(*(np.asarray(each, np.float64) for each in whole)))


def log_gains(source: Source, logits: list[Logit], rng: np.random.Generator) -> Floats:
    """Shape (logits, responses): ln of how much likelier a response is with a logit in place of the mixture's classes.

    That is the mean of ``logit(y | x) / mixture(y | x)`` over rows of the mixture's posterior; the same for all. The
    logarithm of a mean of few draws is too low, by about its variance over twice its square, and the more so the larger
    the effects are: where little is known this leans to firm priors (docs/results/ldp.md says by how much).
    """
    rows = np.arange(len(source))
    sums = np.full((len(logits), len(rows)), -np.inf)
    for _ in range(DRAWS):
        values, logs = source.drawn(rows, rng)
        classes = values[:, source.target]
        fresh = np.stack([logit.log_probabilities(values)[rows, classes] for logit in logits])
        sums = np.logaddexp(sums, fresh - logs)
    return np.asarray(sums - np.log(DRAWS), np.float64)


def naive_bayes(frame: Frame, pairs: int, shares: Floats, table: Floats) -> Logit:
    """Naive Bayes as a logit: its main effects are the logarithms of P(value | class).

    Args:
        frame: Where effects stand.
        pairs: How many pair effects there are; they are 0.
        shares: Shape (classes,): of the classes.
        table: Shape (values of all questions, classes): P(value | class), above 0.
    """
    logs = logarithms(table)
    main = logs - logs.mean(axis=1, keepdims=True)
    main[frame.places[frame.target] : frame.places[frame.target + 1]] = 0.0
    return Logit(frame, Effects(logarithms(shares), main, np.zeros((pairs, len(shares)))))
