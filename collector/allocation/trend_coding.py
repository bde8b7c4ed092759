"""Choice of a coding for a scale question, for estimates of trends along the scale.

Codings are compared by the share of a trend's variance that one response explains. A trend is a random effect of the
values on the scale, which differs little between neighbouring values. The covariance matrix of a trend is the squared
generalised inverse of the Laplacian of a path graph, as in `miner.effects.terms`.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate

from collector.allocation.best_coding import best_coding, second_moment
from collector.channel.coin import sharp
from collector.channel.rounding import truth_below
from collector.coding.coding import Coding, block_coding
from collector.coding.threshold_coding import FEWEST_VALUES, THRESHOLDS

GAIN = Fraction(11, 10)  # factor of information on a trend above which larger variances of shares are accepted


def trend_coding(prior: Sequence[Fraction], epsilon: Fraction) -> Coding:
    """Return the best coding for trends, for a scale question that is alone in a group with the uniform channel.

    Args:
        prior: Frequency of each value.
        epsilon: Epsilon of local differential privacy, above 0.

    Returns:
        The threshold coding if it explains at least 10 % more of a trend's variance than the best coding for shares,
        otherwise the best coding for shares.
    """
    values, usual = len(prior), best_coding(prior, epsilon)
    if values < FEWEST_VALUES:
        return usual
    thresholds = block_coding(THRESHOLDS, values)
    explained = threshold_information(values, truth_below(epsilon, sharp(thresholds)))
    return thresholds if explained >= GAIN * uniform_information(usual, truth_below(epsilon, sharp(usual))) else usual


def threshold_information(values: int, truth: Fraction) -> Fraction:
    """Return the share of a trend's variance that a response in threshold coding explains.

    The share of the variance is the mean of theta^2 |L b|^2 / (q (1 - q) |L|^2) over all thresholds. The matrix L is
    the generalised inverse of the Laplacian of a path graph, and |L|^2 is the mean square of a trend. The vector b is
    (v - a) / k, where v is 1 for values above the threshold and 0 for other values, and a is the mean of v. The number
    q = theta a + (1 - theta) / 2 is the probability of a code for the upper side of a threshold.

    Args:
        values: Number of values k of the scale, at least 3.
        truth: Truth probability theta of the uniform channel.
    """
    explained = Fraction(0)
    for below in range(1, values):
        chance = truth * Fraction(values - below, values) + (1 - truth) / 2
        square = _square([below - values] * below + [below] * (values - below)) / values**4
        explained += square / (chance * (1 - chance))
    every = [_square([values * (each == one) - 1 for each in range(values)]) for one in range(values)]
    return truth**2 * explained / (values - 1) / (sum(every, start=Fraction(0)) / values**3)


def uniform_information(coding: Coding, truth: Fraction) -> Fraction:
    """Return the share of a trend's variance that a response explains in a coding that treats all values equally.

    The share of the variance is (k - 1) / (k M - 1) for k values, where M is
    `collector.allocation.best_coding.second_moment`.
    """
    values = len(coding.draws)
    moment = second_moment(coding, truth, (Fraction(1, values),) * values)
    return (values - 1) / (values * moment - 1)


def _square(vector: Sequence[int]) -> Fraction:
    """Return |L v|^2, where the elements of v add up to 0, and L inverts the Laplacian of a path graph."""
    heights = [0, *accumulate(-total for total in [*accumulate(vector)][:-1])]
    return sum(height**2 for height in heights) - Fraction(sum(heights) ** 2, len(heights))
