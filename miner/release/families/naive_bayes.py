"""Release naive Bayes with noisy tables, the baseline for private trees.

For k questions, the method counts k tables of value by class, and one table of the classes. Each table gets discrete
Laplace noise at epsilon / (k + 1), because each record is in one cell of each of the k + 1 tables (Vaidya, Shafiq, Basu
& Hong 2013).
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from collector.survey.survey import Survey
from miner.arrays import Floats
from miner.behind.kernels import softmax
from miner.release.family import ReleaseMethod, features_of
from miner.release.noise import Counts, Noise
from miner.release.parts.class_tables import read_tables
from miner.release.table import TrustedTable
from miner.responses.responses import Values
from miner.trees.criteria import normalised

PRIOR = 1.0  # number of records added to every cell, so that no probability is 0


@dataclass(frozen=True, eq=False)
class NaiveBayesTables:
    """Released naive Bayes model, which consists of tables of noisy counts.

    Attributes:
        features: Indices of the predictor questions.
        classes: Noisy counts of the classes, shape (classes,).
        cells: Noisy counts for each predictor question, shape (values, classes).
    """

    features: tuple[int, ...]
    classes: Counts
    cells: tuple[Counts, ...]

    def probabilities(self, values: Values) -> Floats:
        """Return class probabilities of rows of value indices.

        Unknown values (-1) are ignored.
        """
        logs = np.tile(np.log(normalised(np.maximum(self.classes, 0) + PRIOR)), (len(values), 1))
        for feature, cells in zip(self.features, self.cells, strict=True):
            given = np.log(normalised((np.maximum(cells, 0) + PRIOR).T).T)
            column = values[:, feature]
            logs += np.where((column >= 0)[:, None], given[column], 0.0)
        return softmax(logs)

    @property
    def learnt(self) -> dict[str, Any]:
        """Return the tables as plain JSON values."""
        return {"classes": self.classes.tolist(), "cells": [each.tolist() for each in self.cells]}

    @classmethod
    def restored(cls, learnt: Any, survey: Survey, target: str) -> Self:  # noqa: ANN401 - whatever JSON held
        """Read the tables from JSON values, and check them.

        Raises:
            DeniableError: If the tables do not fit the survey and the target.
        """
        first, cells = read_tables(learnt, ("classes", "cells"), survey, target)
        return cls(tuple(features_of(survey, target)), first, cells)

    def text(self, survey: Survey, target: str) -> str:
        """Return the number of tables, as text."""
        del survey
        return f"{len(self.cells)} tables of value by {target}"


@dataclass(frozen=True)
class NaiveBayes(ReleaseMethod):
    """Release method that counts the tables of naive Bayes with noise."""

    method: ClassVar[str] = "naive-bayes"

    @property
    def mechanism(self) -> str:
        """Return the method in words, with a reference to its paper."""
        return "naive Bayes on tables of value by class with discrete Laplace noise, epsilon shared out evenly"

    def fit(self, table: TrustedTable, noise: Noise, rng: np.random.Generator) -> NaiveBayesTables:
        """Fit the model to a trusted table."""
        del rng  # nothing is drawn without the data
        features = features_of(table.survey, table.target)
        classes = len(table.survey.question(table.target).values)
        each = self.epsilon / (len(features) + 1)
        cells = [noise.laplace(table.value_counts(feature), 1, each) for feature in features]
        totals = noise.laplace(np.bincount(table.labels, minlength=classes).astype(np.int64), 1, each)
        return NaiveBayesTables(tuple(features), totals, tuple(cells))
