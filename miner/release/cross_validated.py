"""Cross-validate the accuracy of any learner on a trusted table."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from miner.arrays import Floats
from miner.learners.forest import ForestClassifier
from miner.learners.id3 import ID3Classifier
from miner.release.family import ReleaseMethod
from miner.release.noise import Noise
from miner.release.table import TrustedTable
from miner.responses.plain_rows import PlainRows
from miner.responses.responses import Values

Predictor = Callable[[Values], Floats]
Learner = Callable[[TrustedTable, np.random.Generator], Predictor]


def family_learner(family: ReleaseMethod, noise: Callable[[np.random.Generator], Noise]) -> Learner:
    """Return a function that fits a release family to a part of a table."""
    return lambda table, generator: family.fit(table, noise(generator), generator).probabilities


def majority(table: TrustedTable, generator: np.random.Generator) -> Predictor:
    """Fit a classifier that always predicts the most frequent class."""
    del generator  # nothing is left to chance
    counts = np.bincount(table.labels, minlength=len(table.survey.question(table.target).values)).astype(float)
    return lambda values: np.tile(counts, (len(values), 1))


def plain_learner(kind: type[ID3Classifier | ForestClassifier], mode: str) -> Learner:
    """Return a function that fits a non-private classifier to a part of a table."""

    def learn(table: TrustedTable, generator: np.random.Generator) -> Predictor:
        classifier = kind(table.survey, table.target, mode=mode, random_state=int(generator.integers(2**32)))
        return classifier.fit(PlainRows.of(table.survey, table.values)).probabilities

    return learn


def folds(rows: int, parts: int, generator: np.random.Generator) -> NDArray[np.intp]:
    """Assign each row to a fold at random, shape (rows,)."""
    dealt: NDArray[np.intp] = generator.permutation(rows) % parts
    return dealt


def cross_validated(table: TrustedTable, learner: Learner, parts: int, generator: np.random.Generator) -> list[float]:
    """Return the accuracy on each fold of a model that was fitted to the other folds."""
    dealt = folds(len(table), parts, generator)
    return [accuracy(learner(table.take(dealt != part), generator), table.take(dealt == part)) for part in range(parts)]


def accuracy(probabilities: Predictor, table: TrustedTable) -> float:
    """Return the share of rows whose class is the most probable class by the model.

    Among equally probable classes, the first counts as the most probable.
    """
    return float((probabilities(table.values).argmax(axis=1) == table.labels).mean())
