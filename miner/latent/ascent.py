"""The logit of greatest penalised likelihood, by stochastic approximation of EM.

The E-step, the rows behind the responses, is replaced by one step of their Markov chains (`miner.latent.chains`), the
M-step by one step of ascent along the gradient it gives (Delyon, Lavielle & Moulines 1999; Gu & Kong 1998), its length
set for each effect by the size of its gradient so far (Kingma & Ba 2015). The mean over the second half of the steps
is kept (Polyak & Juditsky 1992). Each step looks at some responses only, so that it costs the same for any number.
"""

from __future__ import annotations

import numpy as np

from miner.latent.chains import Chains, Source
from miner.latent.kernels import Floats
from miner.latent.logit import Effects, Logit, gradient

STEPS = 240
BATCH = 5_000  # chains moved in a step
LENGTH = 0.05  # of a step, for an effect whose gradient keeps its sign
FULL = 0.4  # share of the steps at that length, after which it falls with one over their number
KEPT = 0.5  # share of the steps whose mean is the result
MAIN, PAIR = 8.0, 0.7  # prior variances of a row's log odds by all main, and by all pair effects together
MOMENTUM, MEMORY = 0.8, 0.98
TINY = 1e-8


class Climber:
    """Effects on their way up.

    Args:
        effects: Where to start; copied.
        precision: The prior's: one over its variance.
    """

    def __init__(self, effects: Floats, precision: float) -> None:
        self.effects, self.precision = effects.copy(), precision
        self.mean, self.square = np.zeros(effects.shape), np.zeros(effects.shape)
        self.steps = 0

    def step(self, slope: Floats, length: float) -> None:
        """One step along the gradient of the likelihood, which the prior's joins."""
        whole = slope - self.effects * self.precision
        self.steps += 1
        self.mean += (1 - MOMENTUM) * (whole - self.mean)
        self.square += (1 - MEMORY) * (whole**2 - self.square)
        mean = self.mean / (1 - MOMENTUM**self.steps)
        size = np.sqrt(self.square / (1 - MEMORY**self.steps))
        self.effects += length * mean / (size + TINY)


def ascended(source: Source, start: Logit, rng: np.random.Generator) -> tuple[Logit, Chains]:
    """The logit that the responses make most likely, given the mixture's account of the other questions.

    Args:
        source: The mixture and the responses.
        start: Where to begin.
        rng: Moves the chains.

    Returns:
        The logit, and the chains where they came to: at least one for each response.
    """
    people = len(source)
    each = max(1, -(-BATCH // people))
    chains = source.started(np.repeat(np.arange(people), each), rng)
    features = len(start.frame.features)
    main = Climber(start.effects.main, features / MAIN)
    pair = Climber(start.effects.pair, features * (features - 1) / 2 / PAIR)
    kept = Effects(start.effects.intercept, np.zeros(main.effects.shape), np.zeros(pair.effects.shape))
    turns = max(1, len(chains.responses) // BATCH)
    order = rng.permutation(len(chains.responses))
    first = round(STEPS * (1 - KEPT))
    for step in range(STEPS):
        some = np.sort(order[step % turns :: turns])
        now = Logit(start.frame, Effects(kept.intercept, main.effects, pair.effects))
        values, shares = chains.moved(some, now, rng)
        slopes = gradient(values, shares, now.effects, start.frame)
        length = LENGTH * min(1.0, FULL * STEPS / (step + 1))
        for climber, slope in zip((main, pair), slopes, strict=True):
            climber.step(slope * (people / len(some)), length)
        if step >= first:
            kept.main[:] += main.effects / (STEPS - first)
            kept.pair[:] += pair.effects / (STEPS - first)
    return Logit(start.frame, kept), chains
