"""The coding of a scale question for which trends along the scale matter more than single values.

The measure is the share of a trend's variance that one response tells. A trend is a random effect of the values, alike
between neighbours: its covariance is that of `miner.effects.terms`, the square of the generalised inverse of the
path's Laplacian. Given a code its mean lies off its overall mean; the information is how much of its variance that
makes up. Even priors throughout.
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
    """The coding for a question on a scale, alone in a uniform group.

    Args:
        prior: Frequency of each value.
        epsilon: Epsilon of local differential privacy: above 0.

    Returns:
        Thresholds, where they tell a tenth more of a trend than the coding that is best for shares; else the latter.
    """
    values, usual = len(prior), best_coding(prior, epsilon)
    if values < FEWEST_VALUES:
        return usual
    thresholds = block_coding(THRESHOLDS, values)
    told = threshold_information(values, truth_below(epsilon, sharp(thresholds)))
    return thresholds if told >= GAIN * uniform_information(usual, truth_below(epsilon, sharp(usual))) else usual


def threshold_information(values: int, truth: Fraction) -> Fraction:
    """Share of a trend's variance that a response explains, by thresholds: mean of theta^2 |L b|^2 / (q (1 - q) |L|^2).

    L is the generalised inverse, b the indicator of the values above the threshold less their share a, over k;
    q = theta a + (1 - theta) / 2 the chance of a code of that side, and |L|^2 the mean square of a trend.

    Args:
        values: k, how many values the scale has: at least 3.
        truth: theta, of the uniform channel.
    """
    told = Fraction(0)
    for below in range(1, values):
        chance = truth * Fraction(values - below, values) + (1 - truth) / 2
        square = _square([below - values] * below + [below] * (values - below)) / values**4
        told += square / (chance * (1 - chance))
    every = [_square([values * (each == one) - 1 for each in range(values)]) for one in range(values)]
    return truth**2 * told / (values - 1) / (sum(every, start=Fraction(0)) / values**3)


def uniform_information(coding: Coding, truth: Fraction) -> Fraction:
    """The share of information for codings that treat all values equally: (k - 1) / (k M - 1), for any contrast.

    M is `collector.allocation.best_coding.second_moment`. It is theta^2 in k-ary randomized response.
    """
    values = len(coding.draws)
    moment = second_moment(coding, truth, (Fraction(1, values),) * values)
    return (values - 1) / (values * moment - 1)


def _square(vector: Sequence[int]) -> Fraction:
    """|L v|^2, for numbers that add up to 0: from each value to the next L v falls by the sum of v so far."""
    heights = [0, *accumulate(-total for total in [*accumulate(vector)][:-1])]
    return sum(height**2 for height in heights) - Fraction(sum(heights) ** 2, len(heights))
