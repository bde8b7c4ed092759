"""The central epsilon of any disguise with a local epsilon, given that other people's responses hide a response.

Two upper bounds are proved in docs/guarantee.md, section 17. The bound `clones_epsilon` needs only the local epsilon:
with probability e^-epsilon, a response could come from either of any two sets of answers (Feldman, McMillan & Talwar
2021). The smaller bound `blanket_epsilon` is for channels with a fixed truth probability, whose random replacements
hide a response (Balle and others 2019).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import ceil, exp, inf, log, sqrt

from collector.shuffling.binomial import ROUNDING, WINDOW, likely_range, point, tail
from collector.shuffling.search import least_epsilon

MOST_RATIO = 1e15  # ratio from which the local epsilon is used without a search
NEAR = 8  # largest change of a threshold that is made step by step
STEPS = (-3.5, -2.5, -1.5, -0.5, 0.5)  # standard deviations to which the size of the blanket is rounded down
FEW = 50_000  # number of other respondents above which the smallest likely size of the blanket is used for every size


@lru_cache(maxsize=256)
def clones_epsilon(respondents: int, ratio: float, delta: float) -> float:
    """Return a central epsilon, at most the local epsilon, that holds for any answers of other respondents.

    Args:
        respondents: Number of respondents n, at least 1.
        ratio: Largest ratio e^epsilon0 of a response's probabilities under two sets of answers, above 1.
        delta: Delta, from 0 to below 1.
    """
    others, own = respondents - 1, 1 / (1 + ratio)

    def delta_of(epsilon: float) -> float:
        return hidden_delta(others, (1 / ratio, own), ratio, epsilon, WINDOW * delta)

    return _least(delta_of, respondents, ratio, delta)


@lru_cache(maxsize=256)
def blanket_epsilon(respondents: int, truth: float, sharpness: float, delta: float) -> float:
    """Return a central epsilon for a group in which each combination of codes stands for one set of answers.

    Args:
        respondents: Number of respondents n, at least 1.
        truth: Truth probability theta, with which the true codes are sent.
        sharpness: Inverse of the smallest probability of replacement codes, at least 2.
        delta: Delta, from 0 to below 1.
    """
    others, ratio = respondents - 1, 1 + truth / (1 - truth) * sharpness
    chances = 2 / sharpness, (1 - truth) / sharpness
    sizes = _sizes(others, 1 - truth, delta) if delta > 0 else []
    missed = 1 - sum(chance for _, chance in sizes)

    def delta_of(epsilon: float) -> float:
        parts = (chance * hidden_delta(size, chances, ratio, epsilon, WINDOW * delta) for size, chance in sizes)
        return sum(parts) + max(missed, 0.0) + ROUNDING * delta

    return _least(delta_of, respondents, ratio, delta)


def _sizes(others: int, share: float, delta: float) -> list[tuple[int, float]]:
    """Return possible numbers of random replacements among the other responses, with their probabilities.

    The numbers are rounded down, which is safe because fewer random replacements hide a respondent less.
    """
    mean, deviation = others * share, sqrt(others * share * (1 - share))
    first = likely_range(others, share, delta / 100)[0]
    steps = [] if others > FEW else [max(0, ceil(mean + step * deviation)) for step in STEPS]
    edges = sorted({first, *(each for each in steps if first < each <= others)})
    above = [tail(others, share, each) for each in edges]
    return [(size, one - other) for size, one, other in zip(edges, above, [*above[1:], 0.0], strict=True)]


def _least(delta_of: Callable[[float], float], respondents: int, ratio: float, delta: float) -> float:
    """Return the smallest central epsilon that keeps delta, or the local epsilon if no smaller epsilon does."""
    if respondents == 1 or delta == 0 or ratio > MOST_RATIO:
        return log(ratio)
    return least_epsilon(delta_of, delta, log(ratio))


def hidden_delta(others: int, chances: tuple[float, float], ratio: float, epsilon: float, missed: float) -> float:
    """Return an upper bound of delta for an epsilon. Other people's messages hide the respondent's message.

    Each response is taken as a message, which is zero, one or neither.

    Args:
        others: Number of messages of other people.
        chances: Probability that another person's message is zero or one, and probability of the respondent's less
            likely message.
        ratio: Ratio of the probabilities of the respondent's more likely and less likely message.
        epsilon: Central epsilon.
        missed: Probability of numbers of messages that the computation may leave out, which is added to the bound.
    """
    either, less = chances
    times, silent = exp(epsilon), max(0.0, 1 - less * (1 + ratio))
    first, last, left_out = likely_range(others, either, missed) if either < 1 else (others, others, 0.0)
    odds, number = (either / (1 - either), point(others, either, first)) if either < 1 else (0.0, 1.0)
    walk = _FairTail()
    total = size = before = 0.0
    for clones in range(first, last + 2):
        own, both = before * less, number * silent  # one clone fewer and the respondent's message; this many clones
        at = _threshold(clones, (own, both), ratio, times) if own > 0 else clones + 1
        if at <= clones:
            above, edge = walk.move(clones - 1, at)
            one = own * (ratio * (above + edge) + above) + both * (above + edge / 2)
            two = own * (above + edge + ratio * above) + both * (above + edge / 2)
            total += one - times * two
            size += one + times * two
        before = number
        number *= (others - clones) / (clones + 1) * odds
    return max(0.0, total + ROUNDING * size + left_out)


def _threshold(clones: int, chances: tuple[float, float], ratio: float, times: float) -> int:
    """Return the smallest number of zero messages with at least a wanted likelihood ratio of two answers."""
    own, both = chances
    excess = times * (own * ratio + both / 2) - own - both / 2
    return max(0, ceil(clones * excess / (own * (ratio - 1) * (1 + times))))


class _FairTail:
    """The probabilities P(X >= at) and P(X = at - 1) of a binomial X with success probability 1/2."""

    def __init__(self) -> None:
        self.trials, self.at, self.above, self.edge, self.anchor = -1, 0, 0.0, 0.0, inf

    def move(self, trials: int, at: int) -> tuple[float, float]:
        """Return P(X >= at) and P(X = at - 1) for a binomial X with `trials` trials and success probability 1/2."""
        if trials != self.trials + 1 or abs(at - self.at) > NEAR or min(self.above, self.edge) < self.anchor / 2:
            self.trials, self.at = trials, at
            self.above, self.edge = tail(trials, 0.5, at), point(trials, 0.5, at - 1)
            self.anchor = min(self.above, self.edge)
            return self.above, self.edge
        self.above += self.edge / 2
        self.edge *= (trials / (trials - self.at + 1)) / 2
        self.trials = trials
        while self.at < at:
            self.edge *= (trials - self.at + 1) / self.at
            self.above -= self.edge
            self.at += 1
        while self.at > at:
            self.at -= 1
            self.above += self.edge
            self.edge *= self.at / (trials - self.at + 1)
        return self.above, self.edge
