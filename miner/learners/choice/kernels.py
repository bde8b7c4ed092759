"""Compiled: the held-out loss of a pool of candidates and its slopes, in one pass over the rows."""

import numpy as np

from miner.arrays import Floats
from miner.behind.kernels import NEVER
from miner.compiled import compiled
from miner.latent.kernels import write_shares


@compiled
def pool_slopes(  # noqa: C901 - one pass
    logs: Floats, evidence: Floats, weights: Floats, intercepts: Floats
) -> tuple[float, Floats, Floats]:
    """The sum of the losses of all responses, and its slopes along the weights and the intercepts.

    Args:
        logs: Shape (responses, draws, classes, candidates): logarithms of class probabilities.
        evidence: Shape (responses, draws, classes): as of `miner.learners.choice.held_out.HeldOut`.
        weights: Shape (candidates,).
        intercepts: Shape (classes,).
    """
    draws, classes, count = logs.shape[1:]
    shares, whole, scores = np.empty((draws, classes)), np.empty(draws), np.empty(classes)
    loss, by_weight, by_intercept = 0.0, np.zeros(count), np.zeros(classes)
    for i in range(len(logs)):
        sent, known = 0.0, False
        for draw in range(draws):
            for cls in range(classes):
                scores[cls] = intercepts[cls]
                for each in range(count):
                    scores[cls] += weights[each] * logs[i, draw, cls, each]
            write_shares(scores, shares[draw])
            whole[draw] = 0.0
            for cls in range(classes):
                whole[draw] += shares[draw, cls] * evidence[i, draw, cls]
                known = known or evidence[i, draw, cls] > 0.0
            sent += whole[draw]
        if not known:
            continue
        loss -= np.log(max(sent / draws, NEVER))
        if sent <= NEVER * draws:  # taken for constant
            continue
        for draw in range(draws):
            for cls in range(classes):
                slope = -shares[draw, cls] * (evidence[i, draw, cls] - whole[draw]) / sent
                by_intercept[cls] += slope
                for each in range(count):
                    by_weight[each] += slope * logs[i, draw, cls, each]
    return loss, by_weight, by_intercept
