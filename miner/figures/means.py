"""Estimate means over responses, means of ratios of two means, and sums of independent estimates.

A mean ratio has the standard error and interval of the mean of its influence function, ``r + (numerator - r
denominator) / mean denominator``. If a denominator does not differ significantly from 0, the interval is None, because
it would have no limits (Fieller 1954).
"""

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt

import numpy as np

from collector.errors import QueryError
from miner.arrays import Floats
from miner.figures.estimate import FEWEST, Estimate, Range
from miner.figures.figure import ROUNDING
from miner.figures.score import normal_quantile, score_limit


def mean_estimate(terms: Floats, extremes: Range, counts: Floats | None = None, *, fewest: int = FEWEST) -> Estimate:
    """Return the mean of one number per response, with its standard error and interval.

    Args:
        terms: Number that each response contributes to the mean, shape (n,), or the distinct numbers if `counts` is
            given.
        extremes: Smallest and largest number that a response could have contributed.
        counts: How many responses contribute each of the `terms`, or None for one response each.
        fewest: Smallest number of responses for a standard error and an interval, at least 2.

    Raises:
        QueryError: If there are no responses.
    """
    counts = np.ones(len(terms)) if counts is None else counts
    n = round(float(counts.sum()))
    if n == 0:
        raise QueryError("responses", "there are no responses to estimate from", "collect responses first")
    mean = float(counts @ terms) / n
    if n < fewest:
        return Estimate(mean, None, None, n)
    gaps = terms - mean
    squares = gaps * gaps
    variance, third = float(counts @ squares) / n, float(counts @ (squares * gaps)) / n
    low = score_limit(mean - extremes[0], variance, -third, n)
    high = score_limit(extremes[1] - mean, variance, third, n)
    return Estimate(mean, sqrt(variance / (n - 1)), (mean - low, mean + high), n)


def ratio(numerator: Floats, denominator: Floats, counts: Floats) -> Estimate | None:
    """Estimate the ratio of two means over responses (see `mean_ratio`)."""
    return mean_ratio([(numerator, denominator)], counts)


def mean_ratio(parts: Sequence[tuple[Floats, Floats]], counts: Floats) -> Estimate | None:
    """Estimate the mean of several ratios, each of which is a ratio of two means over responses.

    Args:
        parts: Pairs (numerator, denominator) of arrays of shape (rows,).
        counts: Number of responses that each row stands for, shape (rows,).

    Returns:
        Mean ratio, or None if a denominator is not estimated above 0. The estimate has no interval if a denominator is
        less than `normal_quantile` standard errors above 0, which is 1.96 for 95 %.
    """
    n = round(float(counts.sum()))
    terms, are_clear, reach = np.zeros(len(counts)), True, 0.0
    for numerator, denominator in parts:
        below = float(counts @ denominator) / n
        if below <= 0:
            return None
        value = float(counts @ numerator) / n / below
        terms += (value + (numerator - value * denominator) / below) / len(parts)
        reach += float(denominator.max()) / below / len(parts)
        squares = float(counts @ (denominator - below) ** 2)
        are_clear = are_clear and below**2 * n * max(1, n - 1) > normal_quantile() ** 2 * squares
    found = mean_estimate(terms, _extremes(terms, reach), counts)
    return found if are_clear or n < FEWEST else replace(found, interval=None)


def weighted_sum(parts: Sequence[tuple[float, Estimate]], n: int, start: float = 0.0) -> Estimate:
    """Return a constant plus a weighted sum of independent estimates, with an interval by Zou & Donner (2008).

    If an estimate has no interval, the sum has neither a standard error nor an interval.
    """
    value, low, high, error = sum((times * each.estimate for times, each in parts), start), 0.0, 0.0, 0.0
    for times, each in parts:
        if each.interval is None or each.standard_error is None:
            return Estimate(value, None, None, n)
        below, above = sorted(times * (limit - each.estimate) for limit in each.interval)
        low, high, error = low + below**2, high + above**2, error + (times * each.standard_error) ** 2
    return Estimate(value, sqrt(error), (value - sqrt(low), value + sqrt(high)), n)


def of_variance(found: Estimate, variance: float) -> Estimate:
    """Return an estimate with another variance, and with the interval scaled in proportion."""
    if not found.standard_error:
        return found
    error = sqrt(variance)
    times = error / found.standard_error
    limits = None
    if found.interval is not None:
        low, high = (found.estimate + times * (limit - found.estimate) for limit in found.interval)
        limits = low, high
    return replace(found, standard_error=error, interval=limits)


def _extremes(terms: Floats, reach: float) -> Range:
    """Return the smallest and largest of some terms, further apart if all terms are equal.

    If all numbers are equal, as for a share of 0 or 1, the range includes the number of one imaginary response.
    """
    least, most = float(terms.min()), float(terms.max())
    if most - least > ROUNDING:
        return least, most
    return least - abs(least) * reach, most + abs(1 - most) * reach
