"""Distinguishing games: how well releases from two neighbouring data sets can be told apart, as a bound on epsilon.

A mechanism is run many times on both. On one half of the runs an attacker learns a score that tells them apart, and the
threshold at which it does best; on the other half we count how often each goes beyond it. If the mechanism is
(epsilon, delta)-differentially private, P[beyond | one] <= e^epsilon P[beyond | other] + delta, so that Clopper-Pearson
bounds on the two chances give a lower bound on epsilon (Ding, Wang, Wang, Zhang & Kifer 2018; Jagielski, Ullman & Oprea
2020). A bound above the epsilon stated proves the statement wrong; one below it proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import log
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from miner.attacks.membership import clopper_pearson
from miner.release.ensemble import Ensemble
from miner.trees.tree import LEAF, Tree

MISTAKEN = 1e-3  # the chance that a sound mechanism is accused, for each bound
THRESHOLDS = 200
Features = NDArray[np.float64]
D = TypeVar("D")


@dataclass(frozen=True)
class Game(Generic[D]):
    """A mechanism with two data sets that differ in one record.

    Attributes:
        run: Releases from a data set once, and tells what an attacker looks at: shape (features,).
        one: A data set.
        other: Its neighbour.
        delta: That the mechanism allows itself.
    """

    run: Callable[[D, np.random.Generator], Features]
    one: D
    other: D
    delta: float = 0.0

    def bound(self, runs: int, generator: np.random.Generator) -> float:
        """A lower bound on epsilon; above the true one with probability 0.001 at most.

        Args:
            runs: Runs of the mechanism on each data set, half to learn from and half to judge by.
            generator: Where all that is random comes from.
        """
        one, other = (np.array([self.run(data, generator) for _ in range(runs)]) for data in (self.one, self.other))
        half = runs // 2
        score = learnt_score(one[:half], other[:half])
        learnt, judged = (Scores(score(one[part]), score(other[part])) for part in (slice(half), slice(half, None)))
        threshold, above = max(
            ((float(each), way) for each in learnt.thresholds for way in (True, False)),
            key=lambda chosen: learnt.bound(chosen[0], self.delta, above=chosen[1]),
        )
        return judged.bound(threshold, self.delta, above=above)


@dataclass(frozen=True, eq=False)
class Scores:
    """What an attacker's score says of runs on both data sets, shape (runs,) each; larger for the one."""

    one: Features
    other: Features

    @property
    def thresholds(self) -> Features:
        """Where to look."""
        return np.unique(np.quantile(np.concatenate([self.one, self.other]), np.linspace(0, 1, THRESHOLDS)))

    def bound(self, threshold: float, delta: float, *, above: bool) -> float:
        """On epsilon, from how often the one is above a threshold, or else the other below it."""
        beyond = [self.one >= threshold, self.other >= threshold]
        likely, rare = beyond if above else [~each for each in reversed(beyond)]
        lower = clopper_pearson(int(likely.sum()), len(likely), 1 - MISTAKEN / 2)[0]
        upper = clopper_pearson(int(rare.sum()), len(rare), 1 - MISTAKEN / 2)[1]
        return max(log((lower - delta) / upper), 0.0) if lower > delta else 0.0


def learnt_score(one: Features, other: Features) -> Callable[[Features], Features]:
    """A logistic regression of which data set it was: larger for the one."""
    runs = np.concatenate([one, other])
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    model.fit(np.c_[runs, runs**2], np.repeat([1, 0], [len(one), len(other)]))

    def score(runs: Features) -> Features:
        found: Features = model.decision_function(np.c_[runs, runs**2])
        return found

    return score


def seen(ensemble: Ensemble, row: NDArray[np.int16]) -> Features:
    """What trees tell about one person: which question the root asks, and the counts there and at the person's leaf.

    Args:
        ensemble: Released.
        row: Value indices, shape (questions,).
    """
    return np.array([figure for tree in ensemble.trees for figure in _told(tree, row)])


def _told(tree: Tree, row: NDArray[np.int16]) -> Iterator[float]:
    asked = int(tree.question[0])
    yield from (float(asked == question) for question in range(LEAF, len(row)))
    leaf = int(tree.apply(row[None, :])[0])
    for node in (0, leaf):
        yield from tree.counts[node].tolist()
