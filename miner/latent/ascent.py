"""The logit of greatest penalised likelihood, by stochastic approximation of EM.

The E-step, the rows behind the responses, is replaced by one step of their Markov chains (`miner.latent.chains`), the
M-step by one step of ascent along the gradient it gives (Delyon, Lavielle & Moulines 1999; Gu & Kong 1998), its length
set for each effect by the size of its gradient so far (Kingma & Ba 2015). The mean over the second half of the steps
is kept (Polyak & Juditsky 1992). Each step looks at some responses only, so that it costs the same for any number.

Effects have a normal prior: its mean, and how far from it they may go, are given (`miner.latent.priors`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from miner.latent.chains import Source
from miner.latent.kernels import Floats
from miner.latent.logit import Effects, Logit, gradient

STEPS = 240
BATCH = 5_000  # chains moved in a step
LENGTH = 0.03  # of a step, for an effect whose gradient keeps its sign
FULL = 0.2  # share of the steps at that length, after which it falls with one over their number
KEPT = 0.5  # share of the steps whose mean is the result
MOMENTUM, MEMORY = 0.8, 0.98
TINY = 1e-8


class Prior(NamedTuple):
    """What is thought of the effects before the responses are seen.

    Attributes:
        centre: Their means. Its intercept, the class's shares, is not changed.
        main: Variance of a row's log odds by all main effects together.
        pair: The same by all pair effects.
    """

    centre: Logit
    main: float
    pair: float


class Climber:
    """Effects on their way up.

    Args:
        centre: The prior's mean, where they start.
        precision: The prior's: one over its variance.
    """

    def __init__(self, centre: Floats, precision: float) -> None:
        self.effects, self.centre, self.precision = centre.copy(), centre, precision
        self.mean, self.square = np.zeros(centre.shape), np.zeros(centre.shape)
        self.steps = 0

    def step(self, slope: Floats, length: float) -> None:
        """One step along the gradient of the likelihood, which the prior's joins."""
        whole = slope - (self.effects - self.centre) * self.precision
        self.steps += 1
        self.mean += (1 - MOMENTUM) * (whole - self.mean)
        self.square += (1 - MEMORY) * (whole**2 - self.square)
        mean = self.mean / (1 - MOMENTUM**self.steps)
        size = np.sqrt(self.square / (1 - MEMORY**self.steps))
        self.effects += length * mean / (size + TINY)


def ascended(source: Source, prior: Prior, rng: np.random.Generator) -> Logit:
    """The logit that the responses make most likely, given the mixture's account of the other questions.

    Args:
        source: The mixture and the responses.
        prior: Of the effects; the ascent starts at its centre.
        rng: Moves the chains.
    """
    people, frame, centre = len(source), prior.centre.frame, prior.centre.effects
    chains = source.started(np.repeat(np.arange(people), max(1, -(-BATCH // people))), rng)
    features = len(frame.features)
    main = Climber(centre.main, features / prior.main)
    pair = Climber(centre.pair, features * (features - 1) / 2 / prior.pair)
    kept = Effects(centre.intercept, np.zeros(centre.main.shape), np.zeros(centre.pair.shape))
    turns = max(1, len(chains.responses) // BATCH)
    order = rng.permutation(len(chains.responses))
    first = round(STEPS * (1 - KEPT))
    for step in range(STEPS):
        some = np.sort(order[step % turns :: turns])
        now = Logit(frame, Effects(centre.intercept, main.effects, pair.effects))
        slopes = gradient(*chains.moved(some, now, rng), now.effects, frame)
        length = LENGTH * min(1.0, FULL * STEPS / (step + 1))
        for climber, slope in zip((main, pair), slopes, strict=True):
            climber.step(slope * (people / len(some)), length)
        if step >= first:
            kept.main[:] += main.effects / (STEPS - first)
            kept.pair[:] += pair.effects / (STEPS - first)
    return Logit(frame, kept)
