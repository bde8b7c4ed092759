"""Binomial probabilities for up to millions of trials, with a relative error below 1e-11.

The function `log_chance` uses the saddle-point formula of Loader (2000), with which no digits are lost.
"""

from math import ceil, exp, floor, inf, log, log1p, pi, sqrt

EXACT = 16  # number below which the error of Stirling's formula is summed exactly
FEW_TERMS = 0.1  # size of x below which the series of (1 + x) log(1 + x) - x is summed
NEGLIGIBLE = 1e-18  # part of a sum that may be left out
ROUNDING = 1e-10  # relative error of a sum, larger than that of floating point
WINDOW = 1e-7  # part of delta for rare counts that are not summed. Their probability is added to a bound


def chance(trials: int, success: float, count: int) -> float:
    """Return P(X = count) for a binomial X."""
    return exp(log_chance(trials, success, count))


def log_chance(trials: int, success: float, count: int) -> float:
    """Return the natural logarithm of P(X = count) for a binomial X, or -inf for the probability 0.

    The probability `success` must be strictly between 0 and 1.
    """
    if not 0 <= count <= trials:
        return -inf
    if count == 0:
        return trials * log1p(-success)
    if count == trials:
        return trials * log(success)
    rest = trials - count
    correction = _stirling_error(trials) - _stirling_error(count) - _stirling_error(rest)
    distance = _deviance(count, trials * success) + _deviance(rest, trials * (1 - success))
    return correction - distance + 0.5 * log(trials / (2 * pi * count * rest))


def upper_tail(trials: int, success: float, count: int) -> float:
    """Return P(X >= count) for a binomial X."""
    if count <= 0:
        return 1.0
    if count <= trials * success:
        return 1 - _sum_from(trials, 1 - success, trials - count + 1)
    return _sum_from(trials, success, count)


def _sum_from(trials: int, success: float, count: int) -> float:
    """Return P(X >= count) for a binomial X and a count above the mean of X."""
    term = total = chance(trials, success, count)
    odds = success / (1 - success)
    while count < trials:
        ratio = (trials - count) / (count + 1) * odds
        term, count = term * ratio, count + 1
        total += term
        if term <= NEGLIGIBLE * total * (1 - ratio):
            break
    return total


def _stirling_error(number: int) -> float:
    """Return the difference between the logarithms of n! and of Stirling's formula."""
    if number < EXACT:
        whole = sum(log(each) for each in range(2, number + 1))
        return whole - (0.5 * log(2 * pi * number) + number * (log(number) - 1))
    square = float(number) ** 2
    series = 1 / 1260 - (1 / 1680 - 1 / (1188 * square)) / square
    return (1 / 12 - (1 / 360 - series / square) / square) / number


def _deviance(count: int, mean: float) -> float:
    """Return ``count log(count / mean) + mean - count``, which is exact even near the mean."""
    off = (count - mean) / mean
    if abs(off) >= FEW_TERMS:
        return count * log(count / mean) + mean - count
    total, power, index = 0.0, off * off, 2
    while True:  # (1 + x) log(1 + x) - x = sum of (-x)^i / (i (i - 1))
        term = power / (index * (index - 1))
        total += term
        if abs(term) <= NEGLIGIBLE * total or total == 0:
            return mean * total
        power, index = -power * off, index + 1


def point(trials: int, success: float, count: int) -> float:
    """Return P(X = count) for a binomial X, which may have 0 trials."""
    return float(count == 0) if trials == 0 else chance(trials, success, count)


def tail(trials: int, success: float, count: int) -> float:
    """Return P(X >= count) for a binomial X, which may have 0 trials."""
    return float(count <= 0) if trials == 0 else upper_tail(trials, success, count)


def likely_range(trials: int, success: float, missed: float) -> tuple[int, int, float]:
    """Return the ends of a likely range of a binomial variable, and a bound of the probability outside the range."""
    exponent = log(2 / missed)
    reach = exponent / 3 + sqrt((exponent / 3) ** 2 + 2 * trials * success * (1 - success) * exponent)
    first, last = max(0, floor(trials * success - reach)), min(trials, ceil(trials * success + reach))
    return first, last, 0.0 if (first, last) == (0, trials) else missed
