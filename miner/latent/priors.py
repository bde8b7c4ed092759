"""What is thought of the logit before the responses are seen: five priors, and the average of what comes of them.

The likelihood of much disguised responses is flat, so that the prior matters. Two centres suggest themselves, and each
is right at times: naive Bayes, whose tables survive any disguise, but which counts twice what two questions say alike;
and no effect at all, which does not, but knows nothing (ridge regression: le Cessie & van Houwelingen 1992). Around
each, effects may be held firmly or loosely.

Responses held out can seldom tell which prior is best under a differentially private channel, and to choose is to
gamble. So nothing is chosen: one logit is fitted under each, and their probabilities are averaged (stacking with equal
weights: Wolpert 1992; Breiman 1996). Where the responses say much, all say the same.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from miner.latent.ascent import Prior, ascended
from miner.latent.chains import Source
from miner.latent.climb import logarithms
from miner.latent.kernels import Floats
from miner.latent.logit import Averaged, Effects, Frame, Logit

NEAR_NAIVE_BAYES = (1.0, 0.1), (8.0, 0.7)
NEAR_NOTHING = (1.0, 0.1), (4.0, 0.4), (16.0, 1.6)
"""Of a row's log odds, the variances by how far all main, and all pair effects together are from the centre."""


def priors(naive: Logit) -> Iterator[Prior]:
    """Around naive Bayes, then around a logit without effects; in each from firm to loose."""
    yield from (Prior(naive, *each) for each in NEAR_NAIVE_BAYES)
    nothing = Logit(naive.frame, Effects(naive.effects.intercept, *(np.zeros_like(each) for each in naive.effects[1:])))
    yield from (Prior(nothing, *each) for each in NEAR_NOTHING)


def averaged(source: Source, naive: Logit, rng: np.random.Generator) -> Averaged:
    """The average of the logits that the responses make most likely under each prior.

    They are fitted on as many threads as there are processors; the same whatever their number.

    Args:
        source: The responses, and the mixture's account of the other questions.
        naive: Naive Bayes.
        rng: Makes the result reproducible.
    """
    every = tuple(priors(naive))
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        return Averaged(tuple(threads.map(ascended, [source] * len(every), every, rng.spawn(len(every)))))


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
