"""Noise enumerated outcome by outcome: the exact distribution that a privacy proof speaks of.

`outcomes` runs a mechanism once for every way in which its random choices can fall out and adds up the probabilities
of equal results. A discrete Laplace count has infinitely many outcomes; here it is read through a fixed map from the
whole numbers to a few, before the mechanism sees it. That is post-processing: the guarantee stays what it was, and a
cell that is unbounded on one side still shows the whole of it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import exp, inf
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from miner.release.noise import Counts, positive

T = TypeVar("T", bound=Hashable)
Chances = list[float]


@dataclass(frozen=True)
class Cells:
    """A map from the whole numbers to a few: everything from one edge up to below the next becomes one number.

    Attributes:
        edges: Ascending whole numbers: the cells are below the first, between neighbours, and from the last on.
        stands: What each cell becomes, one more than there are edges.
    """

    edges: tuple[int, ...] = (2,)
    stands: tuple[int, ...] = (-1, 40)

    def chances(self, count: int, decay: float) -> Chances:
        """The probability of each cell if discrete Laplace noise, P[k] ~ decay^|k|, is added to a count."""
        below = [0.0, *(_below(edge - count, decay) for edge in self.edges), 1.0]
        return [high - low for low, high in pairwise(below)]


def _below(bound: int, decay: float) -> float:
    """P[noise < bound]."""
    if bound <= 0:
        return float(decay ** (1 - bound) / (1 + decay))
    return float(1 - decay**bound / (1 + decay))


class EnumeratedNoise:
    """Noise that falls out as a script says, multiplying the probabilities; beyond the script it takes the first way.

    Args:
        script: Which way each random choice goes, in the order they are made.
        cells: How noisy counts are read.

    Attributes:
        chance: The probability of what has happened so far.
        taken: Which way each choice went.
        ways: How many ways it could have gone.
    """

    official = False

    def __init__(self, script: Sequence[int], cells: Cells) -> None:
        self._script = list(script)
        self._cells = cells
        self.chance = 1.0
        self.taken: list[int] = []
        self.ways: list[int] = []

    def _pick(self, chances: Chances) -> int:
        possible = [way for way, chance in enumerate(chances) if chance > 0]
        step = self._script[len(self.taken)] if len(self.taken) < len(self._script) else 0
        self.taken.append(step)
        self.ways.append(len(possible))
        self.chance *= chances[possible[step]]
        return possible[step]

    def laplace(self, counts: Counts, sensitivity: int, epsilon: Fraction) -> Counts:
        """See `miner.release.noise.Noise`; the noisy counts are read through the cells."""
        decay = exp(-positive(epsilon) / sensitivity)
        read = [self._cells.stands[self._pick(self._cells.chances(int(each), decay))] for each in counts.ravel()]
        return np.array(read, np.int64).reshape(counts.shape)

    def flip(self, scores: Sequence[int], sensitivity: int, epsilon: Fraction, *, monotone: bool) -> int:
        """See `miner.release.noise.Noise`."""
        return self._pick(flip_chances(scores, float(positive(epsilon)) / (sensitivity * (1 if monotone else 2))))

    def exponential(self, scores: Sequence[int], sensitivity: int, epsilon: Fraction, *, monotone: bool) -> int:
        """See `miner.release.noise.Noise`."""
        rate = float(positive(epsilon)) / (sensitivity * (1 if monotone else 2))
        weights = [exp(rate * (score - max(scores))) for score in scores]
        return self._pick([weight / sum(weights) for weight in weights])

    def sample(self, size: int, share: Fraction) -> NDArray[np.bool_]:
        """See `miner.release.noise.Noise`."""
        return np.array([self._pick([float(1 - share), float(share)]) == 1 for _ in range(size)], bool)


def flip_chances(scores: Sequence[int], rate: float) -> Chances:
    """The distribution of permute-and-flip (McKenna & Sheldon 2020, Algorithm 1), exactly.

    A candidate is tried after each set of the others with equal probability for every size of that set; averaged over
    all orders, P[i] = p_i times the integral over t from 0 to 1 of the product over the others of (1 - p_j t).
    """
    heads = [exp(rate * (score - max(scores))) for score in scores]
    chances = []
    for number, own in enumerate(heads):
        product = np.polynomial.Polynomial([1.0])
        for other in heads[:number] + heads[number + 1 :]:
            product *= np.polynomial.Polynomial([1.0, -other])
        chances.append(own * float(product.integ()(1.0)))
    return chances


def outcomes(run: Callable[[EnumeratedNoise], T], cells: Cells = Cells()) -> dict[T, float]:
    """The exact distribution of what a mechanism returns.

    Args:
        run: The mechanism on some data set; its result tells everything that is published.
        cells: How noisy counts are read.

    Returns:
        The probability of each result; they add up to 1.
    """
    found: dict[T, float] = {}
    script: list[int] | None = []
    while script is not None:
        noise = EnumeratedNoise(script, cells)
        result = run(noise)
        found[result] = found.get(result, 0.0) + noise.chance
        script = _next(noise)
    return found


def _next(noise: EnumeratedNoise) -> list[int] | None:
    """The script after the one that was played; None if it was the last."""
    script, ways = list(noise.taken), noise.ways
    while script and script[-1] == ways[len(script) - 1] - 1:
        script.pop()
    if not script:
        return None
    script[-1] += 1
    return script


@dataclass(frozen=True)
class Event:
    """One random choice of a transcript.

    Attributes:
        way: Which way it went.
        logs: The logarithm of the probability of each way.
    """

    way: int
    logs: tuple[float, ...]


class TranscriptNoise(EnumeratedNoise):
    """Noise whose outcomes are drawn with equal chances, rare ones included, or repeat an earlier transcript.

    Args:
        rng: Draws the ways; half of all transcripts go mostly up, the others mostly down, as the worst ones do.
        cells: How noisy counts are read.
        before: What to repeat.

    Attributes:
        events: What happened.
    """

    def __init__(self, rng: np.random.Generator, cells: Cells, before: Sequence[Event] | None = None) -> None:
        super().__init__((), cells)
        self._rng = rng
        self._up = rng.random() < 0.5
        self._before = before
        self.events: list[Event] = []

    def _pick(self, chances: Chances) -> int:
        number = len(self.events)
        if self._before is not None:
            way = self._before[number].way if number < len(self._before) else 0
        elif self._rng.random() < 0.2:
            way = int(self._rng.integers(len(chances)))
        else:
            way = len(chances) - 1 if self._up else 0
        logs = tuple(float(np.log(chance)) if chance > 0 else -inf for chance in chances)
        self.events.append(Event(min(way, len(chances) - 1), logs))
        return self.events[-1].way


def transcript_loss(
    run: Callable[[T, EnumeratedNoise], object],
    first: T,
    second: T,
    rng: np.random.Generator,
    cells: Cells = Cells(),
) -> float:
    """The privacy loss of one transcript of a mechanism between two data sets: |log of the ratio|, exactly.

    What is published is computed from the transcript, so it tells no more. Infinite if the two data sets do not even
    lead to the same sequence of random choices.

    Args:
        run: The mechanism.
        first: A data set; the transcript is drawn on it.
        second: Another.
        rng: Draws the transcript.
        cells: How noisy counts are read.
    """
    drawn = TranscriptNoise(rng, cells)
    run(first, drawn)
    again = TranscriptNoise(rng, cells, drawn.events)
    run(second, again)
    if [len(each.logs) for each in drawn.events] != [len(each.logs) for each in again.events]:
        return inf
    pairs = [(one.logs[one.way], two.logs[two.way]) for one, two in zip(drawn.events, again.events, strict=True)]
    if any(one == -inf for one, _ in pairs):  # drawn although impossible: nothing follows
        return 0.0
    return abs(sum(one - two for one, two in pairs))


def worst_ratio(first: dict[T, float], second: dict[T, float], delta: float = 0.0) -> float:
    """The least epsilon for which two distributions are (epsilon, delta)-close in both directions.

    With delta 0 it is the largest |log of the ratio of probabilities|, infinite if only one of them knows a result.
    """
    return max(_one_way(first, second, delta), _one_way(second, first, delta))


def _one_way(first: dict[T, float], second: dict[T, float], delta: float) -> float:
    ratios = sorted(((chance / second[key] if second.get(key) else inf), key) for key, chance in first.items())
    left, other = 0.0, 0.0  # P and Q of the results whose ratio is above e^epsilon
    for ratio, key in reversed(ratios):
        spent = left - ratio * other if other or ratio < inf else left
        if spent > delta:
            break
        left, other = left + first[key], other + second.get(key, 0.0)
    else:
        return 0.0
    return float(np.log((left - delta) / other)) if other else inf
