"""Membership inference: whether an attacker can tell who was in the data, with a 95 % confidence bound.

The attacker has the model and some people, half of them members, half not, and ranks them by how well the model knows
them: the published share of the person's own class in the person's leaf, mean over trees; among equals, smaller leaves
first. The first half are guessed to be members. Guessing blindly is right half of the time.

Had the model been epsilon-differentially private, and had everybody been dealt in or out by a fair coin, the number of
right guesses would be no larger than that of a coin that is right e^epsilon/(1 + e^epsilon) of the time (Steinke, Nasr
& Jagielski 2023). So the Clopper-Pearson lower bound p on the share of right guesses gives a lower bound on epsilon,
ln(p/(1-p)). It is a fact about this model and this attack; a better attack may do better.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta  # type: ignore[import-untyped] # it has no types

from collector.errors import ResponseError
from miner.attacks.published import Counts, Places

CONFIDENCE = 0.95
SURE = 0.1  # the share of people about whom the attacker is surest, half as members and half as others
FEWEST = 20


@dataclass(frozen=True)
class Guesses:
    """The result of an attacker's guesses.

    Attributes:
        guesses: How many.
        right: Number of right guesses.
        lower: Clopper-Pearson: with the stated confidence the chance to be right is no lower.
        upper: Likewise no higher.
    """

    guesses: int
    right: int
    lower: float
    upper: float

    @property
    def epsilon(self) -> float:
        """A lower bound on epsilon, 0 or more."""
        if self.lower >= 1:
            return float("inf")
        return max(log(self.lower / (1 - self.lower)), 0.0) if self.lower > 0 else 0.0

    @property
    def as_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        bounds = {"lower": self.lower, "upper": self.upper, "epsilon_at_least": self.epsilon}
        return {"guesses": self.guesses, "right": self.right} | bounds


@dataclass(frozen=True)
class Membership:
    """The result of membership inference.

    Attributes:
        everybody: A guess about everyone.
        sure: Guesses about the tenth of whom the attacker is surest.
        confidence: Confidence of each bound by itself; that of both together is `CONFIDENCE`.
    """

    everybody: Guesses
    sure: Guesses
    confidence: float

    @property
    def as_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"everybody": self.everybody.as_json, "surest_tenth": self.sure.as_json, "confidence": self.confidence}


def clopper_pearson(right: int, guesses: int, confidence: float) -> tuple[float, float]:
    """One-sided bounds on a chance, each of which holds with this confidence (Clopper & Pearson 1934).

    Args:
        right: Successes, from 0 to `guesses`.
        guesses: Independent trials, at least one.
        confidence: Above 0 and below 1.
    """
    lower = float(beta.ppf(1 - confidence, right, guesses - right + 1)) if right else 0.0
    upper = float(beta.ppf(confidence, right + 1, guesses - right)) if right < guesses else 1.0
    return lower, upper


def knowledge(counts: Sequence[Counts], places: Places, labels: Places) -> NDArray[np.float64]:
    """Knowledge of a model about people: shape (rows, 2), the share of their class, minus the size of their leaf."""
    share, size = np.zeros(len(labels)), np.zeros(len(labels))
    for each, place in zip(counts, places, strict=True):
        positive = np.maximum(each, 0.0)
        total = positive.sum(axis=1)
        shares = np.divide(positive, total[:, None], out=np.zeros_like(positive), where=total[:, None] > 0)
        share += shares[place, labels] / len(counts)
        size += total[place] / len(counts)
    return np.column_stack([share, -size])


def membership(members: NDArray[np.float64], others: NDArray[np.float64], generator: np.random.Generator) -> Membership:
    """Try it.

    Args:
        members: `knowledge` of people whom the model was grown on.
        others: Knowledge of people like them who were not. As many are drawn of the larger party as the smaller has.
        generator: Draws them, and the order among people whom the model knows equally well.

    Raises:
        ResponseError: If either party has fewer than 20 people.
    """
    each = min(len(members), len(others))
    if each < FEWEST:
        raise ResponseError("members and others", f"one party has fewer than {FEWEST}", "give more rows")
    known = np.concatenate([generator.permutation(party)[:each] for party in (members, others)])
    is_member = np.repeat([True, False], each)
    order = np.lexsort((generator.random(2 * each), -known[:, 1], -known[:, 0]))
    guessed = np.zeros(2 * each, bool)
    guessed[order[:each]] = True
    right = (guessed == is_member)[order]
    few = max(1, int(SURE * each))
    confidence = 1 - (1 - CONFIDENCE) / 2  # of two bounds that shall hold together
    return Membership(_guesses(right, confidence), _guesses(np.r_[right[:few], right[-few:]], confidence), confidence)


def _guesses(right: NDArray[np.bool_], confidence: float) -> Guesses:
    return Guesses(len(right), int(right.sum()), *clopper_pearson(int(right.sum()), len(right), confidence))
