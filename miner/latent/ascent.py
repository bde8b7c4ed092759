"""The logit of greatest penalised likelihood, by stochastic approximation of EM.

The E-step, the rows behind the responses, is replaced by one step of their Markov chains (`miner.latent.chains`), the
M-step by one step of ascent along the gradient it gives (Delyon, Lavielle & Moulines 1999; Gu & Kong 1998), its length
set for each effect by the size of its gradient so far (Kingma & Ba 2015). The mean over the second half of the steps
is kept (Polyak & Juditsky 1992). Each step looks at some responses only, so that it costs the same for any number.

Effects have a normal prior: its mean, and how far from it they may go, are given (`miner.latent.firmness`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from miner.latent.chains import Source
from miner.latent.kernels import Floats
from miner.latent.logit import Effects, Logit, gradient

LENGTH = 0.05  # of a step, for an effect whose gradient keeps its sign
FULL = 0.4  # share of the steps at that length, after which it falls with one over their number
KEPT = 0.5  # share of the steps whose mean is the result
MOMENTUM, MEMORY = 0.8, 0.98
TINY = 1e-8


class Pace(NamedTuple):
    """How long to climb.

    Attributes:
        steps: Of ascent.
        batch: Chains moved in a step.
    """

    steps: int = 240
    batch: int = 5_000


PACE = Pace()


class Prior(NamedTuple):
    """What is thought of the effects before the responses are seen.

    Attributes:
        centre: Their means.
        main: Variance of a row's log odds by all main effects together.
        pair: The same by all pair effects.
    """

    centre: Effects
    main: float
    pair: float


class Climber:
    """Effects on their way up.

    Args:
        effects: Where to start; copied.
        centre: The prior's mean.
        precision: The prior's: one over its variance.
    """

    def __init__(self, effects: Floats, centre: Floats, precision: float) -> None:
        self.effects, self.centre, self.precision = effects.copy(), centre, precision
        self.mean, self.square = np.zeros(effects.shape), np.zeros(effects.shape)
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


def ascended(source: Source, start: Logit, prior: Prior, rng: np.random.Generator, pace: Pace = PACE) -> Logit:
    """The logit that the responses make most likely, given the mixture's account of the other questions.

    Args:
        source: The mixture and the responses.
        start: Where to begin; its intercept stays.
        prior: Of the effects.
        rng: Moves the chains.
        pace: How long to climb.
    """
    people, (steps, batch) = len(source), pace
    each = max(1, -(-batch // people))
    chains = source.started(np.repeat(np.arange(people), each), rng)
    features = len(start.frame.features)
    main = Climber(start.effects.main, prior.centre.main, features / prior.main)
    pair = Climber(start.effects.pair, prior.centre.pair, features * (features - 1) / 2 / prior.pair)
    kept = Effects(start.effects.intercept, np.zeros(main.effects.shape), np.zeros(pair.effects.shape))
    turns = max(1, len(chains.responses) // batch)
    order = rng.permutation(len(chains.responses))
    first = round(steps * (1 - KEPT))
    for step in range(steps):
        some = np.sort(order[step % turns :: turns])
        now = Logit(start.frame, Effects(kept.intercept, main.effects, pair.effects))
        values, shares = chains.moved(some, now, rng)
        slopes = gradient(values, shares, now.effects, start.frame)
        length = LENGTH * min(1.0, FULL * steps / (step + 1))
        for climber, slope in zip((main, pair), slopes, strict=True):
            climber.step(slope * (people / len(some)), length)
        if step >= first:
            kept.main[:] += main.effects / (steps - first)
            kept.pair[:] += pair.effects / (steps - first)
    return Logit(start.frame, kept)
