"""Fit the logit by penalised maximum likelihood: stochastic approximation of EM.

The E-step, the rows behind the responses, is replaced by one step of their Markov chains (`miner.latent.logit.chains`),
the M-step by one step of ascent along the gradient it gives (`miner.latent.logit.slopes`; Delyon, Lavielle & Moulines
1999; Gu & Kong 1998), its length set for each effect by the size of its gradient so far (Kingma & Ba 2015). The mean
over the second half of the steps is kept (Polyak & Juditsky 1992).

A step looks at a third of the responses or more: of eight fits to 12,000 responses, effects ran away in five when a
step looked at a ninth, in none at a third. The likely reason is that with a smaller share a chain takes few steps in
all, and the gradient of all responses has more noise, while the pull of the prior stays as it is. To bound the time,
each logit is fitted to a random sample of at most `MOST_PEOPLE` responses.

Effects have a prior around 0, with a given variance (`PRIORS`) and correlations
(`miner.latent.logit.scales`). The ascent is in free coordinates, which are independent. Those of pairs of values are
normal. The main effects of one question share a variance with a weak prior: a scaled inverse chi-squared. It is
estimated during the ascent, from the size and the uncertainty of the effects (automatic relevance determination: MacKay
1994; Tipping 2001): effects of uninformative questions are shrunk strongly, those of informative ones weakly. Without
the uncertainty, the result would be the mode of a multivariate t, which shrinks questions with many values more. The
same for pairs of questions lost moderate interactions in trials.

The likelihood of strongly disguised responses is flat, so that the prior matters. Its mean is no effect (ridge
regression: le Cessie & van Houwelingen 1992). The best variance is unknown. Held-out responses seldom have the
precision to choose it under a differentially private channel. So no choice is made: one logit is fitted under each
prior, from narrow to wide, and their probabilities are averaged (stacking with equal weights: Wolpert 1992; Breiman
1996). If the responses are informative, the three agree.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from miner.arrays import Floats
from miner.latent.logit.chains import RowSource
from miner.latent.logit.logit import Averaged, Logit, LogitParameters
from miner.latent.logit.scales import Scales
from miner.latent.logit.slopes import Slopes

STEPS = 160
MOST_PEOPLE = 30_000  # responses that one logit is fitted to, drawn at random from more
LEAST_BATCH = 1_250  # chains moved in a step, at least
FEWEST_TURNS, MOST_TURNS = 2, 3  # batches that together are all chains; those of a response are in the same batch
LENGTH = 0.045  # of a step, for an effect whose gradient keeps its sign
FULL = 0.1  # share of the steps at that length, after which it falls with one over their number
KEPT = 0.5  # share of the steps whose mean is the result
MOMENTUM, MEMORY = 0.8, 0.98
TINY = 1e-8
ANYWHERE = 100.0  # prior variance of the intercept: a very weak prior
DEGREES = 2.0  # of freedom of the variance's: with fewer, more depends on how much a question tells


class Prior(NamedTuple):
    """The prior variance of the effects.

    Attributes:
        main: Prior variance of a row's log odds due to all main effects together, if all questions are equally
            informative.
        pair: Prior variance of a row's log odds due to all pair effects.
    """

    main: float
    pair: float


PRIORS = (Prior(0.5, 0.2), Prior(2.0, 0.4), Prior(8.0, 0.8))
"""From firm to loose; all pair effects together are thought to say less than main effects do."""


class Climber:
    """Gradient ascent of the free coordinates of effects, from 0, with a normal prior.

    Args:
        shape: Shape of the effects.
        variance: The prior's.
    """

    def __init__(self, shape: tuple[int, ...], variance: float) -> None:
        self.free, self.variance = np.zeros(shape), variance
        self.mean, self.square = np.zeros(shape), np.zeros(shape)
        self.steps = 0

    def precision(self) -> Floats | float:
        """The precision of the prior of each effect."""
        return 1 / self.variance

    def step(self, slope: Floats, length: float) -> None:
        """One step along the gradient of the log-likelihood plus log prior."""
        whole = slope - self.free * self.precision()
        self.steps += 1
        self.mean += (1 - MOMENTUM) * (whole - self.mean)
        self.square += (1 - MEMORY) * (whole**2 - self.square)
        mean = self.mean / (1 - MOMENTUM**self.steps)
        size = np.sqrt(self.square / (1 - MEMORY**self.steps))
        self.free += length * mean / (size + TINY)


class BlockClimber(Climber):
    """Gradient ascent where the effects of a block share a variance, which is estimated.

    Args:
        blocks: Shape (effects,): index of each effect's block, from 0.
        classes: Number of effects at each index.
        variance: Prior variance of an effect in a typical block.
        turns: Number of batches of responses; consecutive batches are disjoint.
    """

    def __init__(self, blocks: NDArray[np.int64], classes: int, variance: float, turns: int) -> None:
        super().__init__((len(blocks), classes), variance)
        self.blocks, self.sizes, self.turns = blocks, np.bincount(blocks) * classes, turns
        self.last, self.apart = np.zeros(self.free.shape), np.zeros(self.free.shape)
        self.held = np.full((len(blocks), 1), 1 / variance)

    def precision(self) -> Floats:
        """Shape (effects, 1): it decreases with the size of the block's effects."""
        return self.held

    def step(self, slope: Floats, length: float) -> None:
        """One step, with an update of the variances."""
        if self.steps > 0:
            # what two batches differ by is what single responses do, and that the information in all of them; chains
            # add noise of their own, so that under much disguise it comes out up to three times too large
            self.apart += (1 - MEMORY) * ((slope - self.last) ** 2 / 2 - self.apart)
        self.last = slope
        information = self.apart / (1 - MEMORY ** max(1, self.steps)) / self.turns
        uncertain = self.free**2 + 1 / (information + self.held)
        squares = np.bincount(self.blocks, uncertain.sum(axis=1))
        self.held = ((DEGREES + self.sizes) / (DEGREES * self.variance + squares))[self.blocks, np.newaxis]
        super().step(slope, length)


def ascended(source: RowSource, nothing: Logit, scales: Scales, prior: Prior, rng: np.random.Generator) -> Logit:
    """The posterior mode of the logit, given a mixture for the other questions; `nothing` is without effects."""
    people, frame = min(len(source), MOST_PEOPLE), nothing.frame
    chosen = np.arange(people) if people == len(source) else rng.permutation(len(source))[:people]
    batch = max(LEAST_BATCH, people // MOST_TURNS)
    copies = max(1, -(-FEWEST_TURNS * batch // people))
    chains = source.started(np.repeat(chosen, copies), rng)
    turns = len(chains.responses) // batch
    turn = np.repeat(rng.permutation(people), copies) % turns
    climb = _LogitClimb(nothing, scales, prior, turns)
    first, kept = round(STEPS * (1 - KEPT)), LogitParameters(*(np.zeros(each.shape) for each in nothing.effects))
    for step in range(STEPS):
        some = np.flatnonzero(turn == step % turns)
        chains.moved(some, climb.logit, rng)
        length, times = LENGTH * min(1.0, FULL * STEPS / (step + 1)), people / len(some)
        climb.step(Slopes(*(each * times for each in chains.slopes(some, climb.logit))), length)
        if step >= first:
            for whole, each in zip(kept, climb.logit.effects, strict=True):
                whole[:] += each / (STEPS - first)
    return Logit(frame, kept)


class _LogitClimb:
    def __init__(self, nothing: Logit, scales: Scales, prior: Prior, turns: int) -> None:
        self.logit, self.start, self.scales = nothing, nothing.effects.intercept, scales
        places, features = nothing.frame.places, len(nothing.frame.features)
        questions, classes = np.repeat(np.arange(len(places) - 1), np.diff(places)), len(self.start)
        self.features = features
        self.level = Climber(self.start.shape, ANYWHERE)
        self.main = BlockClimber(questions, classes, prior.main / features, turns)
        self.pair = Climber(nothing.effects.pair.shape, prior.pair / max(1, features * (features - 1) / 2))

    def step(self, slopes: Slopes, length: float) -> None:
        """One step along the slopes of the likelihood."""
        self.level.step(slopes.main.sum(axis=0) / self.features, length)  # those of each question come to it
        self.main.step(self.scales.along_values(slopes.main), length)
        self.pair.step(self.scales.along_pairs(slopes.pair), length)
        main, pair = self.scales.of_values(self.main.free), self.scales.of_pairs(self.pair.free)
        self.logit = Logit(self.logit.frame, LogitParameters(self.start + self.level.free, main, pair))


def averaged(source: RowSource, nothing: Logit, scales: Scales, rng: np.random.Generator) -> Averaged:
    """The average of the logits that are most probable under each prior.

    They are fitted in parallel, one thread per processor; the result does not depend on their number.
    """
    climb = partial(ascended, source, nothing, scales)
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        return Averaged(tuple(threads.map(climb, PRIORS, rng.spawn(len(PRIORS)))))
