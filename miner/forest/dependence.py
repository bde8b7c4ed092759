"""How much the out-of-bag terms of two responses move together, from the trees at hand.

The term of response i is T(z_i, D_-i): how right the trees without it are about it. Let e_i be what it exceeds the
accuracy A(D_-i) of those trees by. The mean of all e_i is the distance between the out-of-bag accuracy and the
forest's own. Each has mean 0 whatever D_-i is, so its variance is

    Var = (1 / n^2) (sum_i Var e_i + sum_{i != j} E e_i e_j).

Fix everybody but i and j, and take e_i apart (Hoeffding 1948) into what z_i alone says and a rest h(z_i, z_j), which
has mean 0 over either. What z_i alone says is no news about e_j, so that

    E e_i e_j = E h(z_i, z_j) h(z_j, z_i):

what j does, when drawn, to the judgement of i, times what i does to that of j. Trees that learn alike from alike
responses make both alike, and their product is positive. (For folds in place of bags there is no unbiased estimate of
it: Bengio & Grandvalet 2004. Bags tell, since any two responses are drawn together and apart.)

What j does to the vote on i is the jackknife after bootstrap (Efron 1992): what trees say of i that drew j or not, less
what those say that did not. The product of two such differences has a large bias if the luck of one tree is in both
(Wager, Hastie & Efron 2014); sums here run over pairs of different trees: there is none.
What votes do to the judgement is a step, and its mean over samples a density: of margins at 0. It is estimated by a
kernel as wide as the trees' luck w, the standard error of a margin. A normal kernel flattens the density once more, as
its transform exp(-s) at the frequency t, s = w^2 t^2 / 2, falls below 1. Two people who answer alike have one margin
but for luck, of which they share the trees that drew neither: with r the correlation of their luck the sum needs

    int exp(-2 (1 - r) s) dt, and sees int |K(t)|^2 exp(-2 (1 - r) s) dt:

.62 of it with the normal K = exp(-s), r being .37 where trees draw as many as there are. Of sixth order, with
K = (1 + s + s^2 / 2) exp(-s), which leaves 1 by s^3 / 6 only, it sees .94 (`tests/miner/learners/test_out_of_bag.py`).
Such a kernel is negative in places, and so may the sum be. docs/learners.md says what is still missing.
"""

from __future__ import annotations

from math import pi, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from miner.arrays import Floats

Counts = NDArray[np.uint32]
Leanings = NDArray[np.float32]
ROUNDING = 1e-9
AT_ONCE = 2**12  # rows


class Judged(NamedTuple):
    """What trees say of rows they have not drawn.

    Attributes:
        right: Shape (rows,): whether together they vote for the class.
        leanings: Shape (trees, rows): what one more voice like each tree's would add to the chance of being right,
            compared with the other trees'; 0 of trees that drew the row.
    """

    right: NDArray[np.bool_]
    leanings: Floats


def judged(votes: NDArray[np.float32], inside: Counts, cls: NDArray[np.integer]) -> Judged:
    """Judge rows by their classes.

    Args:
        votes: Shape (trees, rows, classes): 0 of trees that drew the row.
        inside: Shape (trees, rows): how often each tree drew each row; at least one of them did not.
        cls: Shape (rows,): class indices.
    """
    rows, outside = np.arange(len(cls)), inside == 0
    trees, sums = outside.sum(axis=0), votes.sum(axis=0, dtype=np.float64)
    right = sums.argmax(axis=1) == cls
    sums[rows, cls] = -np.inf
    margins = votes[:, rows, cls].astype(np.float64) - votes[:, rows, sums.argmax(axis=1)]
    mean = margins.sum(axis=0) / trees
    gaps = np.where(outside, margins - mean, 0.0)
    spare = np.maximum(1, trees - 1)
    luck = np.sqrt((gaps**2).sum(axis=0) / (trees * spare))
    return Judged(right, gaps * (density(mean, luck) / spare))


def density(distance: Floats, width: Floats) -> Floats:
    """The normal kernel of sixth order (Wand & Schucany 1990); 0 where it has no width, all trees being of one mind.

    Args:
        distance: From 0 to a margin.
        width: Of the kernel, at least 0.
    """
    some = np.where(width > ROUNDING, width, 1.0)
    square = (distance / some) ** 2
    kernel = (15 - 10 * square + square**2) / 8 * np.exp(-square / 2) / sqrt(2 * pi)
    return np.where(width > ROUNDING, kernel / some, 0.0)


def shared_variance(leanings: Leanings, inside: Counts) -> float:
    """The second sum of the variance: how much the terms' dependence on each other adds to that of their mean.

    Let L be the leanings, each tree's centred (what moves all judgements alike moves the accuracy too); N_bj = 1 where
    tree b drew j, and 1 - 1 / (the share of responses that it did not draw) where not. Then h(z_i, z_j) is estimated by
    the sum over trees of L_bi N_bj. With G = N L', of shape (trees, trees), the sum over responses and over pairs of
    different trees of h(z_i, z_j) h(z_j, z_i) is that of G_bc G_cb; from it goes what each response does to itself.

    Args:
        leanings: Shape (trees, responses): from `judged`, summed over the signed copies of a response with their
            weights.
        inside: Shape (trees, responses): how often each tree drew each.
    """
    trees, responses = inside.shape
    judges = np.maximum(1, (inside == 0).sum(axis=1, keepdims=True))
    leaning = leanings.sum(axis=1, dtype=np.float64, keepdims=True) / judges
    influences, alone = np.zeros((trees, trees)), 0.0
    for start in range(0, responses, AT_ONCE):
        outside = inside[:, start : start + AT_ONCE] == 0
        centred = np.where(outside, leanings[:, start : start + AT_ONCE] - leaning, 0.0)
        drawn = 1 - outside * (responses / judges)
        influences += drawn @ centred.T
        own = drawn * centred
        alone += float((own.sum(axis=0) ** 2 - (own**2).sum(axis=0)).sum())
    np.fill_diagonal(influences, 0.0)
    pairs = float((influences * influences.T).sum())
    return float((pairs - alone) / responses**2)
