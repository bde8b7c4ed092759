"""Central epsilon of any disguise with a local epsilon: others send clones of a respondent's response.

Two upper bounds, proved in docs/guarantee.md, section 17. `clones_epsilon` asks for the local epsilon alone: of every
response a part e^-epsilon may come from either of any two sets of answers, each as likely (Feldman, McMillan & Talwar
2021). `blanket_epsilon` is smaller where the truth is sent with one probability and otherwise chance (Balle and others
2019): then all that chance sends hides what a respondent's coin made of the answers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import ceil, exp, inf, log, sqrt

from collector.shuffling.binomial import ROUNDING, WINDOW, likely_range, point, tail
from collector.shuffling.search import least_epsilon

MOST_RATIO = 1e15  # from here on the local epsilon holds, and nothing smaller is looked for
NEAR = 8  # steps of a threshold that are taken one by one
STEPS = (-3.5, -2.5, -1.5, -0.5, 0.5)  # standard deviations between which the size of the blanket is rounded down
FEW = 50_000  # other respondents; with more, the smallest likely size of the blanket is used for every size


@lru_cache(maxsize=256)
def clones_epsilon(respondents: int, ratio: float, delta: float) -> float:
    """An epsilon that holds whatever the others answered, and is at most the local one.

    Args:
        respondents: n, at least 1.
        ratio: e^epsilon0, above 1: no response is more than so many times as likely under one set of answers.
        delta: From 0 to below 1.
    """
    others, own = respondents - 1, 1 / (1 + ratio)

    def delta_of(epsilon: float) -> float:
        return hidden_delta(others, (1 / ratio, own), ratio, epsilon, WINDOW * delta)

    return _least(delta_of, respondents, ratio, delta)


@lru_cache(maxsize=256)
def blanket_epsilon(respondents: int, truth: float, sharpness: float, delta: float) -> float:
    """Epsilon where each set of codes stands for one set of answers, and all are replaced at once.

    Args:
        respondents: n, at least 1.
        truth: Theta, the probability that the codes are those of the answers.
        sharpness: One over the smallest probability of codes that are drawn in their place; at least 2.
        delta: From 0 to below 1.
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
    """Sizes of the blanket with their chances: each size is rounded down, as a smaller one hides less."""
    mean, deviation = others * share, sqrt(others * share * (1 - share))
    first = likely_range(others, share, delta / 100)[0]
    steps = [] if others > FEW else [max(0, ceil(mean + step * deviation)) for step in STEPS]
    edges = sorted({first, *(each for each in steps if first < each <= others)})
    above = [tail(others, share, each) for each in edges]
    return [(size, one - other) for size, one, other in zip(edges, above, [*above[1:], 0.0], strict=True)]


def _least(delta_of: Callable[[float], float], respondents: int, ratio: float, delta: float) -> float:
    """The least epsilon, or the local one where nothing smaller can hold."""
    if respondents == 1 or delta == 0 or ratio > MOST_RATIO:
        return log(ratio)
    return least_epsilon(delta_of, delta, log(ratio))


def hidden_delta(others: int, chances: tuple[float, float], ratio: float, epsilon: float, missed: float) -> float:
    """An upper bound of the delta of an epsilon, where messages of others hide that of one respondent.

    Each message is zero, one or neither. Summed over c, how many are zero or one: c of others, or c - 1 of others and
    that of the respondent. The set of events of the largest difference is, for each c, a tail of a fair binomial.

    Args:
        others: The number of their messages.
        chances: Chance that a message of another is zero or one, each as likely; and that the respondent's is the one
            of the two that the answers make less likely.
        ratio: How many times as likely they make the other one.
        epsilon: The central epsilon.
        missed: How much of the chances may be left out of the sum; it is added to the bound.
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
    """The fewest responses from the one set of answers, of so many, that are `times` as likely with it as without."""
    own, both = chances
    excess = times * (own * ratio + both / 2) - own - both / 2
    return max(0, ceil(clones * excess / (own * (ratio - 1) * (1 + times))))


class _FairTail:
    """P(X >= at), and P(X = at - 1), of a fair binomial whose number of trials grows step by step."""

    def __init__(self) -> None:
        self.trials, self.at, self.above, self.edge, self.anchor = -1, 0, 0.0, 0.0, inf

    def move(self, trials: int, at: int) -> tuple[float, float]:
        """The two chances for this number of trials, by steps from the last ones as long as no digits are lost."""
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
