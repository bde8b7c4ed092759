"""Measure what the leaf counts of a tree disclose about the people in each leaf.

The attacker knows all answers of a person except the class, and that the person is in the training data.

A leaf with one person discloses the record of the person (uniqueness). A leaf with one class discloses the class of its
people with certainty (homogeneity). ``H_u`` is the share of people in homogeneous leaves, and ``H_leaf`` the share of
homogeneous leaves (Waseda, Nojima & Wang 2024). With background knowledge, the attacker also knows some classes that
the person does not have. In a leaf with b + 1 classes, ruling out b classes discloses the class. L-diversity is the
number of classes in a leaf, or the exponential of their entropy (Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam
2007).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from miner.attacks.published import Counts, Places
from miner.json_values import JsonResult

SOMEBODY = 0.5  # smallest count that stands for at least one person


@dataclass(frozen=True)
class Diversity:
    """Leaves with a given number of classes.

    Attributes:
        classes: Number of classes, l.
        leaves: Number of leaves with this number of classes.
        people: Number of people in leaves with this number of classes.
    """

    classes: int
    leaves: int
    people: int


@dataclass(frozen=True)
class Exposure:
    """Disclosure by the leaf counts of one tree.

    Attributes:
        people: Number of people in all leaves.
        leaves: Number of leaves with people in them.
        smallest: Smallest number of people in a leaf that is not empty (the k of k-anonymity), or 0 without leaves.
        unique: Number of leaves with one person.
        diversity: Number of leaves with each number of classes, and number of people in these leaves.
        least_entropy: Exponential of the smallest entropy of a leaf, at least 1.
    """

    people: int
    leaves: int
    smallest: int
    unique: int
    diversity: tuple[Diversity, ...]
    least_entropy: float

    @property
    def homogeneous_people(self) -> float:
        """Return ``H_u``, the share of people in a leaf with one class."""
        return self.background(0)

    @property
    def homogeneous_leaves(self) -> float:
        """Return ``H_leaf``, the share of leaves with one class."""
        return self.diversity[0].leaves / max(self.leaves, 1)

    @property
    def unique_people(self) -> float:
        """Return the share of people who are alone in their leaf."""
        return self.unique / max(self.people, 1)

    def background(self, known: int) -> float:
        """Return the share of people whose class an attacker learns after ruling out a given number of classes."""
        within = sum(each.people for each in self.diversity if each.classes <= known + 1)
        return within / max(self.people, 1)

    @property
    def as_json(self) -> dict[str, Any]:
        """Return the exposure as plain JSON values."""
        return {
            "people": self.people,
            "leaves": self.leaves,
            "smallest_leaf": self.smallest,
            "unique_people": self.unique_people,
            "H_u": self.homogeneous_people,
            "H_leaf": self.homogeneous_leaves,
            "background": {str(known): self.background(known) for known in range(1, len(self.diversity))},
            "l_diversity": [{"l": d.classes, "leaves": d.leaves, "people": d.people} for d in self.diversity],
            "least_entropy_l": self.least_entropy,
        }


def exposure(counts: Counts) -> Exposure:
    """Compute what the class counts of leaves disclose.

    Args:
        counts: Class counts, shape (leaves, classes), with at least one leaf and one class. Counts below one half are
            treated as 0.
    """
    whole = np.rint(np.where(counts >= SOMEBODY, np.maximum(counts, 1), 0)).astype(np.int64)
    whole = whole[whole.sum(axis=1) > 0]
    size, distinct = whole.sum(axis=1), (whole > 0).sum(axis=1)
    return Exposure(
        people=int(size.sum()),
        leaves=len(whole),
        smallest=int(size.min()) if len(size) else 0,
        unique=int((size == 1).sum()),
        diversity=tuple(
            Diversity(number, int((distinct == number).sum()), int(size[distinct == number].sum()))
            for number in range(1, counts.shape[1] + 1)
        ),
        least_entropy=float(np.exp(_entropy(whole)).min()) if len(whole) else 1.0,
    )


def _entropy(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the entropy of each row, in nats."""
    share = counts / counts.sum(axis=1, keepdims=True)
    entropy: NDArray[np.float64] = -(share * np.log(np.where(share > 0, share, 1.0))).sum(axis=1)
    return np.maximum(entropy, 0.0)


def counted(place: Places, labels: Places, shape: tuple[int, int]) -> Counts:
    """Return the true class counts of leaves, given the people in each leaf, shape (leaves, classes)."""
    cells = np.bincount(place * shape[1] + labels, minlength=shape[0] * shape[1])
    return cells.reshape(shape).astype(np.float64)


@dataclass(frozen=True)
class Homogeneity(JsonResult):
    """Result of the homogeneity attack on people whose class is known.

    Attributes:
        attacked: Share of people for whom a published leaf appears to have a single class.
        right: Share of the attacked people who do have the class of the leaf, or None if nobody is attacked.
    """

    attacked: float
    right: float | None


def homogeneity_attack(counts: Sequence[Counts], places: Places, labels: Places) -> Homogeneity:
    """Guess the class of each person from the first tree in which the person's leaf appears to have a single class.

    Args:
        counts: Published counts of each tree, noisy or not.
        places: Leaf of each person in each tree, shape (trees, rows).
        labels: Class of each person, shape (rows,).
    """
    guess = np.full(len(labels), -1)
    for each, place in zip(counts, places, strict=True):
        somebody = each >= SOMEBODY
        looks = np.where(somebody.sum(axis=1) == 1, somebody.argmax(axis=1), -1)[place]
        guess = np.where(guess < 0, looks, guess)
    attacked = guess >= 0
    right = float((guess == labels)[attacked].mean()) if attacked.any() else None
    return Homogeneity(float(attacked.mean()), right)
