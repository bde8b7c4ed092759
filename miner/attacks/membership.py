"""Infer membership: measure whether an attacker can tell who was in the data, with a 95 % confidence bound.

The attacker has the model and the data of some people, half of whom are in the training data (members). The attacker
ranks people by the published share of their class in their leaf, as a mean over trees. The attacker ranks people with
equal shares by the size of their leaf, smaller leaves first. The attacker guesses that the first half of the ranked
people are members.

A model with epsilon-differential privacy lets a guess be right with probability at most e^epsilon/(1 + e^epsilon)
(Steinke, Nasr & Jagielski 2023). A Clopper-Pearson lower bound p on the share of correct guesses gives the lower bound
ln(p/(1-p)) on epsilon. The bound on epsilon applies to one model and one attack, and another attack may guess better.
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
SURE = 0.1  # share of people about whom the attacker is most certain, half as members and half as others
FEWEST = 20


@dataclass(frozen=True)
class Guesses:
    """Result of an attacker's guesses.

    Attributes:
        guesses: Number of guesses.
        right: Number of correct guesses.
        lower: Clopper-Pearson lower bound on the probability of a correct guess, with the stated confidence.
        upper: Clopper-Pearson upper bound on the probability of a correct guess, with the stated confidence.
    """

    guesses: int
    right: int
    lower: float
    upper: float

    @property
    def epsilon(self) -> float:
        """Return a lower bound on epsilon, at least 0."""
        if self.lower >= 1:
            return float("inf")
        return max(log(self.lower / (1 - self.lower)), 0.0) if self.lower > 0 else 0.0

    @property
    def as_json(self) -> dict[str, Any]:
        """Return the guesses as plain JSON values."""
        bounds = {"lower": self.lower, "upper": self.upper, "epsilon_at_least": self.epsilon}
        return {"guesses": self.guesses, "right": self.right} | bounds


@dataclass(frozen=True)
class Membership:
    """Result of membership inference.

    Attributes:
        everybody: Guesses about all people.
        sure: Guesses about the tenth of people about whom the attacker is most certain.
        confidence: Confidence of each bound. All bounds hold together with confidence `CONFIDENCE`.
    """

    everybody: Guesses
    sure: Guesses
    confidence: float

    @property
    def as_json(self) -> dict[str, Any]:
        """Return the result as plain JSON values."""
        return {"everybody": self.everybody.as_json, "surest_tenth": self.sure.as_json, "confidence": self.confidence}


def clopper_pearson(right: int, guesses: int, confidence: float) -> tuple[float, float]:
    """Return one-sided bounds on a probability, each with the given confidence (Clopper & Pearson 1934).

    Args:
        right: Number of successes, from 0 to `guesses`.
        guesses: Number of independent trials, at least one.
        confidence: Confidence, above 0 and below 1.
    """
    lower = float(beta.ppf(1 - confidence, right, guesses - right + 1)) if right else 0.0
    upper = float(beta.ppf(confidence, right + 1, guesses - right)) if right < guesses else 1.0
    return lower, upper


def knowledge(counts: Sequence[Counts], places: Places, labels: Places) -> NDArray[np.float64]:
    """Return how well a model knows each person: the share of the class, and minus the size of the leaf."""
    share, size = np.zeros(len(labels)), np.zeros(len(labels))
    for each, place in zip(counts, places, strict=True):
        positive = np.maximum(each, 0.0)
        total = positive.sum(axis=1)
        shares = np.divide(positive, total[:, None], out=np.zeros_like(positive), where=total[:, None] > 0)
        share += shares[place, labels] / len(counts)
        size += total[place] / len(counts)
    return np.column_stack([share, -size])


def membership(members: NDArray[np.float64], others: NDArray[np.float64], generator: np.random.Generator) -> Membership:
    """Guess who is a member, and bound epsilon by the share of correct guesses.

    Args:
        members: Result of `knowledge` for people in the training data.
        others: Result of `knowledge` for similar people outside the training data. If one of the tables has more
            people, people are drawn from it at random.
        generator: Random generator that draws people, and the order of people whom the model knows equally well.

    Raises:
        ResponseError: If either group has fewer than 20 people.
    """
    each = min(len(members), len(others))
    if each < FEWEST:
        raise ResponseError(
            "membership", f"the members or the others are fewer than {FEWEST}", "give more rows of both"
        )
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
