"""Estimate the area under the ROC curve from disguised test responses: a signed U-statistic over pairs of responses.

AUC is the probability that a positive scores higher than a negative, where ties count half. The signed copies give each
response a mass in the positive class and a mass in the negative class. The weight of a pair of *different* responses is
the mass of one in the positive class times that of the other in the negative class. A response is not paired with
itself, because such pairs would bias the AUC. AUC is the ratio of two sums of weights of pairs: over the correctly
ordered pairs, and over all pairs. Each sum over pairs is written as a mean of one term for each response (Hoeffding
1948).

An interval for AUC from the variance of the terms alone would be too wide. To first order, the error of AUC is the mean
over pairs of k(i, j) = (weight if correctly ordered - AUC weight) / mean weight. The variance of the mean of k is

    4 (n - 2) / (n (n - 1)) V1 + 2 / (n (n - 1)) V2

Here V2 = Var k, and V1 is the variance of the projection of k (Hoeffding 1948, Eq. 5.13). The term of a response
estimates its projection by a mean over the other n - 1 responses. The variance of the terms is V1 + (V2 - V1) / (n -
1), so that a variance computed from them counts V2 twice (Efron & Stein 1981). Disguise makes V2 large, because the
weight of a pair is a product of two masses. The estimated variance of AUC is therefore reduced by 2 V2 / (n (n - 1))
(`miner.evaluation.pair_variance`). Because V1 is not negative, the variance of AUC is at least 2 V2 / (n (n - 1));
smaller estimates are raised to this bound.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from miner.arrays import Floats
from miner.evaluation.copies import Copies
from miner.evaluation.pair_variance import Ranked, Scores, most_levels, pair_variance, seen_levels
from miner.figures.estimate import Estimate
from miner.figures.means import mean_ratio, of_variance


def auc(copies: Copies, probabilities: Floats, contrasts: Sequence[int]) -> Estimate | None:
    """Estimate the area under the ROC curve.

    For several contrasts (one class against all others), the result is the mean of their areas.

    Args:
        copies: Signed copies of the test responses.
        probabilities: Predicted class probabilities of each row that copies refer to, shape (places, classes).
        contrasts: Indices of the positive classes. Each positive class is compared with all other classes.

    Returns:
        The estimate. The area is None if there is only one response, or if a class (or all other classes together) has
        an estimated size of 0 or less. If the size of a class does not differ significantly from 0, the estimate has no
        interval.
    """
    if copies.responses < 2:
        return None
    pairs, merged = [], []
    for label in contrasts:  # one at a time: where copies are drawn, places are as many as they
        scores = Scores.of(copies, probabilities[:, label], label)
        pairs.append(_pairs(copies, scores))
        merged.append(Ranked.of(scores, seen_levels(copies, scores), most_levels(len(contrasts))))
    found = mean_ratio(pairs, copies.counts)
    if found is None or found.standard_error is None:
        return found
    areas = [(float(copies.counts @ ordered), float(copies.counts @ every)) for ordered, every in pairs]
    excess = pair_variance(copies, merged, areas)
    return of_variance(found, max(found.standard_error**2 - excess, excess))


def auc_difference(copies: Copies, first: Floats, second: Floats, contrasts: Sequence[int]) -> Estimate | None:
    """Estimate the area of one classifier minus the area of another, on the same responses.

    For the arguments, see `auc`.

    The standard error of the difference comes from the terms of single responses, and is slightly too large.
    """
    if copies.responses < 2:
        return None
    parts = []
    for label in contrasts:
        both = (_pairs(copies, Scores.of(copies, each[:, label], label)) for each in (first, second))
        (ordered, every), (other, _) = both
        parts.append((ordered - other, every))
    return mean_ratio(parts, copies.counts)


def _pairs(copies: Copies, scores: Scores) -> tuple[Floats, Floats]:
    """Return each response's signed numbers of correctly ordered pairs and of all pairs."""
    positive, negative = scores.masses
    below = np.cumsum(negative) - negative / 2
    above = positive.sum() - np.cumsum(positive) + positive / 2
    ordered: list[Floats] = []
    every: list[Floats] = []
    for part in copies.parts():
        rank, masses = scores.rank[part.place], part.masses_of(scores.label)
        partners = (masses[0] * below[rank] + masses[1] * above[rank]).sum(axis=1)
        own_positive, own_negative = (mass.sum(axis=1) for mass in masses)
        ordered.append(partners - 2 * _with_itself(rank, *masses))
        everyone = own_positive * negative.sum() + own_negative * positive.sum()
        every.append(everyone - 2 * own_positive * own_negative)
    return _projections(copies, np.concatenate(ordered)), _projections(copies, np.concatenate(every))


def _projections(copies: Copies, pairs: Floats) -> Floats:
    """Return one term for each response, whose mean is the U-statistic.

    The deviations of the terms from their mean are doubled, because each pair depends on two responses.
    """
    mean = copies.counts @ pairs / copies.counts.sum()
    terms: Floats = 2 * pairs - mean
    return terms


def _with_itself(rank: NDArray[np.int32], positive: Floats, negative: Floats) -> Floats:
    """Return the weight of correctly ordered pairs of two candidates of one response, shape (rows,).

    Args:
        rank: Rank of the score of each candidate row of answers, shape (rows, candidates).
        positive: Signed mass of each candidate in the positive class, shape (rows, candidates).
        negative: Signed mass of each candidate in all other classes, shape (rows, candidates).
    """
    rank, sums = np.concatenate([rank, rank], axis=1), np.zeros(len(rank))
    is_positive = np.arange(rank.shape[1]) < positive.shape[1]
    masses = np.concatenate([positive, negative], axis=1)
    for ties_first in (is_positive, ~is_positive):  # once not counting ties, once counting them whole
        order = np.argsort(2 * rank + ~ties_first, axis=1)
        signed, has = np.take_along_axis(masses, order, axis=1), is_positive[order]
        lower = np.cumsum(np.where(has, 0.0, signed), axis=1)
        sums += (signed * has * lower).sum(axis=1) / 2
    return sums
