"""The central epsilon of a question with two values, under binary randomized response.

The central epsilon is the worst case over all answers of the respondents. Published results depend only on the number
of responses that say 1. Of the n - 1 other respondents, k have the answer 1. Each response is the true answer with
probability t. F is the number of responses of others that say 1. If one respondent's answer changes from 1 to 0, delta
is

    delta(epsilon) = max over J of (t - e^epsilon (1 - t)) P(F = J - 1) - (e^epsilon - 1) P(F >= J)

If the answer changes from 0 to 1, the formula holds with n - 1 - k in place of k. The proofs are in section 17 of
docs/guarantee.md.
"""

from __future__ import annotations

from functools import lru_cache, partial
from itertools import count
from math import ceil, exp, floor, log
from typing import NamedTuple

from collector.shuffling.binomial import ROUNDING, WINDOW, likely_range, point, tail
from collector.shuffling.search import least_epsilon

ALL = 128  # number of respondents up to which every number of answers is checked alone
SLACK = ((50_000, 0.002), (200_000, 0.005), (10**9, 0.01))
"""The step by which the epsilon is raised above that of identical others, up to each number of respondents."""
QUICK = 6  # number of steps towards the best threshold before the rest is halved
LEAST = 1e-6  # part of the local epsilon at which the search begins if identical others need no epsilon


class _Look(NamedTuple):
    """A bound of delta for a threshold of the number of responses that say 1, with probabilities near it."""

    difference: float
    two_before: float
    before: float
    at: float


@lru_cache(maxsize=256)
def two_values_epsilon(respondents: int, truth: float, delta: float) -> float:
    """Return the smallest central epsilon that holds for any answers of other respondents.

    The epsilon is exact up to rounding for up to 128 respondents, and an upper bound for more respondents.

    Args:
        respondents: Number of respondents n, at least 1.
        truth: Probability t that the response is the answer, strictly between 0 and 1.
        delta: Delta, from 0 to below 1.
    """
    sure = max(truth, 1 - truth)
    local = log(sure / (1 - sure))
    if respondents == 1 or delta == 0:
        return local
    found = alike_epsilon(respondents, sure, delta)
    if respondents <= ALL:
        for ones in range(respondents):
            delta_of = partial(_of_epsilon, ones, respondents - 1 - ones, sure, delta)
            found = found if delta_of(found) <= delta else least_epsilon(delta_of, delta, local)
        return found
    slack = next(part for most, part in SLACK if respondents <= most or most == SLACK[-1][0])
    bound = max(found * (1 + slack), LEAST * local)
    while bound < local and not _holds(respondents, sure, bound, delta):
        bound *= 1 + slack
    return min(bound, local)


def alike_epsilon(respondents: int, truth: float, delta: float) -> float:
    """Return the smallest central epsilon if all other respondents have one answer, nearly the worst case."""
    sure = max(truth, 1 - truth)
    others = respondents - 1
    return least_epsilon(lambda each: alike_delta(others + 1, sure, each, delta), delta, log(sure / (1 - sure)))


def alike_delta(respondents: int, truth: float, epsilon: float, precision: float = 1e-6) -> float:
    """Return the smallest delta for an epsilon if all other respondents have one answer."""
    others, sure = respondents - 1, max(truth, 1 - truth)
    return max(_difference(ones, others - ones, sure, epsilon, precision) for ones in (0, others))


def _holds(respondents: int, truth: float, epsilon: float, delta: float) -> bool:
    """Return whether an epsilon holds for every number of other respondents with the answer 1.

    Several numbers of answers 1 are checked at once, by leaving out some respondents, which is safe because a reader
    then knows less.
    """
    others = respondents - 1
    high, width = others, max(1, respondents // 256)
    while high >= 0:
        low = max(0, high - width + 1)
        if _difference(low, others - high, truth, epsilon, delta) <= delta:
            high, width = low - 1, width + (width + 1) // 2
        elif low == high:
            return False
        else:
            width = max(1, (high - low + 1) // 2)
    return True


def _of_epsilon(ones: int, zeros: int, truth: float, delta: float, epsilon: float) -> float:
    return _difference(ones, zeros, truth, epsilon, delta)


def _difference(ones: int, zeros: int, truth: float, epsilon: float, delta: float) -> float:
    """Return an upper bound of max over J of P(count >= J | answer 1) - e^epsilon P(count >= J | answer 0)."""
    lie, times = 1 - truth, exp(epsilon)
    gain, loss = truth - times * lie, times - 1
    if gain <= 0:
        return 0.0
    steep = (gain + loss) / gain
    mean, spread = ones * truth + zeros * lie, (ones + zeros) * truth * lie
    weights = gain, loss, WINDOW * delta
    least, most = 0, ones + zeros + 1
    at = min(max(round(mean + spread * log(steep) + 0.5), least), most)
    for turn in count():
        look = _look(ones, zeros, truth, at, weights)
        rises = look.at * steep > look.before or (look.before == 0 and at <= mean)
        falls = look.before * steep < look.two_before or (look.before == 0 and at > mean)
        if rises and at < most:
            least = at + 1
        elif falls and at > least:
            most = at - 1
        else:
            break
        far = (mean - at) / 2  # where no chance is left in floating point
        if look.before > 0 and look.at > 0:
            far = spread * (log(steep) - log(look.before / look.at))
        step = max(1, ceil(far)) if rises else min(-1, floor(far))
        at = min(max(at + step, least), most) if turn < QUICK else (least + most) // 2
    return max(look.difference, 0.0)


def _look(ones: int, zeros: int, truth: float, at: int, weights: tuple[float, float, float]) -> _Look:
    """Return the bound of delta for a threshold of the number of responses that say 1."""
    gain, loss, window = weights
    few, many, share, rest = (ones, zeros, truth, 1 - truth) if ones < zeros else (zeros, ones, 1 - truth, truth)
    first, last, left_out = likely_range(few, share, window)
    first = max(first, at - 1 - many)
    if first > last:
        return _Look(gain * left_out, 0.0, 0.0, 0.0)
    odds, back = share / (1 - share), (1 - rest) / rest
    own = point(few, share, first)
    other = at - first  # the count of the many, if the count of all is `at`
    here, before, above = point(many, rest, other), point(many, rest, other - 1), tail(many, rest, other)
    sum_tail = sum_two = sum_before = sum_here = 0.0
    for number in range(first, last + 1):
        lower = other - 2
        two = before * (lower + 1) / (many - lower) * back if lower >= 0 else 0.0
        sum_tail += own * above
        sum_two += own * two
        sum_before += own * before
        sum_here += own * here
        own *= (few - number) / (number + 1) * odds
        above += before
        here, before, other = before, two, other - 1
    positive, negative = gain * sum_before, loss * sum_tail
    bound = positive - negative + ROUNDING * (positive + negative) + gain * left_out
    return _Look(bound, sum_two, sum_before, sum_here)
