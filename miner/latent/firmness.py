"""How firmly the logit is held to naive Bayes: in each way that responses held out find plausible.

How far the effects may go is not known beforehand: under much disguise hardly more can be learnt than the tables of
question and class, which naive Bayes is made of; under little disguise much more. So the logit is fitted to most
responses under normal priors around naive Bayes, from firm to loose, and the other responses judge these and naive
Bayes itself. They can seldom tell which is best, and to choose is to gamble: all that they do not find clearly worse
are kept (a model confidence set: Hansen, Lunde & Nason 2011), and their probabilities averaged.

Trials climb as many steps as the logit that is kept: where little is known, more steps under a loose prior only lead
further astray, so that a shorter trial would flatter it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from miner.latent.ascent import PACE, Pace, Prior, ascended
from miner.latent.chains import Source
from miner.latent.climb import logarithms
from miner.latent.kernels import Floats
from miner.latent.logit import Effects, Frame, Logit

VARIANCES = (0.3, 0.03), (1.0, 0.1), (8.0, 0.7)
"""Of a row's log odds, by how far all main, and all pair effects together are from naive Bayes: from firm to loose."""
LEAST_BATCH = 1_000  # chains moved in a step of a trial, where there are fewer responses
DRAWS = 40  # rows for each response held out
CLEARLY = 2.0  # standard errors by which one is clearly worse


def priors(naive: Logit) -> list[Prior]:
    """From firm to loose, all around naive Bayes."""
    return [Prior(naive.effects, *each) for each in VARIANCES]


@dataclass(frozen=True, eq=False)
class Trial:
    """Most responses, and those held out.

    Attributes:
        learnt: Of the one kind.
        naive: Naive Bayes, made from the same.
        judges: Of the other.
    """

    learnt: Source
    naive: Logit
    judges: Source

    def gains(self, rng: np.random.Generator) -> Floats:
        """Shape (1 + priors, responses held out): `log_gains` of naive Bayes, and of the logit under each prior."""
        pace = Pace(PACE.steps, int(np.clip(len(self.learnt), LEAST_BATCH, PACE.batch)))
        every = range(1 + len(VARIANCES))
        return log_gains(self.judges, contenders(self.learnt, self.naive, every, rng, pace), rng)


def contenders(
    source: Source, naive: Logit, which: Iterable[int], rng: np.random.Generator, pace: Pace = PACE
) -> list[Logit]:
    """Naive Bayes, 0, and the logit under each prior, from firm to loose: those at these positions.

    Args:
        source: What they are fitted to.
        naive: Naive Bayes.
        which: Positions.
        rng: Makes the result reproducible.
        pace: How long to climb.
    """
    every = priors(naive)
    return [ascended(source, naive, every[each - 1], rng, pace) if each else naive for each in which]


def plausible(gains: Floats) -> list[int]:
    """Which contenders to keep: those whose gains do not fall clearly short of the best's.

    Args:
        gains: Shape (logits, responses held out). A logit is compared with the best one response by response, so that
            the error is that of their difference, and holds the luck of the draws.
    """
    short = gains[gains.mean(axis=1).argmax()] - gains
    error = short.std(axis=1) / np.sqrt(gains.shape[1])
    return np.flatnonzero(short.mean(axis=1) <= CLEARLY * error).tolist()


def log_gains(source: Source, logits: Sequence[Logit], rng: np.random.Generator) -> Floats:
    """Shape (logits, responses): ln of how much likelier a response is with a logit in place of the mixture's classes.

    That is the mean of ``logit(y | x) / mixture(y | x)`` over rows of the mixture's posterior; the same for all logits.
    The logarithm of a mean of few draws is too low, the more so the larger the effects are, by about the mean's
    variance over twice its square (the delta method), which is estimated from the same draws and added.
    """
    rows = np.arange(len(source))
    sums, squares = np.zeros((len(logits), len(rows))), np.zeros((len(logits), len(rows)))
    for _ in range(DRAWS):
        values, logs = source.drawn(rows, rng)
        classes = values[:, source.target]
        ratios = np.exp([logit.log_probabilities(values)[rows, classes] - logs for logit in logits])
        sums += ratios
        squares += ratios**2
    mean = sums / DRAWS
    variance = (squares / DRAWS - mean**2) / (DRAWS - 1)
    return np.asarray(logarithms(mean) + variance / (2 * mean**2), np.float64)


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
