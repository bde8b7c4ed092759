"""The protocol of every accuracy benchmark: deal, split, disguise, learn, test on rows that are not disguised.

In every repetition the attributes and the class are dealt afresh into equal groups, two thirds of the rows are
disguised and learnt from, and accuracy and AUC are measured on the others as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from benchmarks.coded import Bits, Table, bit_survey, dealt
from miner.classifier import DisguisedClassifier
from miner.forest.classifier import ForestClassifier
from miner.id3 import ID3Classifier
from miner.random_trees import RandomTreesClassifier
from miner.responses import Responses
from miner.simulation import simulate

Learner = Callable[[Responses, int], DisguisedClassifier]
"""From disguised responses and a seed to a fitted model."""


def id3(mode: str) -> Learner:
    """MRR ID3."""
    return lambda responses, _: ID3Classifier(responses.survey, mode=mode).fit(responses.frame)


def forest(mode: str, **parameters: Any) -> Learner:  # noqa: ANN401 - whatever a forest takes
    """Random Response Forest."""
    return lambda responses, seed: ForestClassifier(responses.survey, mode=mode, random_state=seed, **parameters).fit(
        responses.frame
    )


def as_if_true(responses: Responses, _: int) -> DisguisedClassifier:
    """Plain ID3 on the responses, taken for true: the baseline that costs nothing."""
    values = np.ascontiguousarray(responses.codes)
    return ID3Classifier(responses.survey, mode="faithful").fit_rows(values, np.ones(len(values)), len(values))


def random_trees(responses: Responses, seed: int) -> DisguisedClassifier:
    """Random decision trees."""
    return RandomTreesClassifier(responses.survey, random_state=seed).fit(responses.frame)


@dataclass(frozen=True)
class Cell:
    """One design: a truth probability, how many groups, and whether the class is disguised with the rest."""

    truth: str
    groups: int
    class_disguised: bool = True


@dataclass(frozen=True)
class Figures:
    """Accuracy and AUC over repetitions: means, and variances between repetitions."""

    data: str
    learner: str
    truth: str
    groups: int
    class_disguised: bool
    repetitions: int
    accuracy: float
    accuracy_variance: float
    auc: float
    auc_variance: float

    @property
    def as_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self)

    @property
    def line(self) -> str:
        """For people."""
        error = np.sqrt(self.accuracy_variance / self.repetitions), np.sqrt(self.auc_variance / self.repetitions)
        return (
            f"{self.data:14} {self.truth:>6} {self.groups} groups {self.learner:16} "
            f"{self.accuracy:.3f}/{self.auc:.3f} (standard errors {error[0]:.3f}/{error[1]:.3f})"
        )


def measured(table: Table, cell: Cell, learners: Mapping[str, Learner], repetitions: int) -> list[Figures]:
    """Every learner on the same disguises of one table."""
    scores: dict[str, list[tuple[float, float]]] = {name: [] for name in learners}
    for repetition in range(repetitions):
        responses, test = disguised_split(table, cell, repetition)
        for name, learner in learners.items():
            scores[name].append(score(learner(responses, repetition), test))
    return [_figures(table, cell, name, np.array(pairs)) for name, pairs in scores.items()]


def disguised_split(table: Table, cell: Cell, repetition: int) -> tuple[Responses, Bits]:
    """Two thirds of the rows as responses, and the others as value indices."""
    generator = np.random.default_rng((0, repetition))
    questions = table.bits.shape[1] + cell.class_disguised
    home = dealt(questions, cell.groups, generator)
    survey = bit_survey(table, home if cell.class_disguised else np.append(home, -1), cell.truth)
    order = generator.permutation(len(table.labels))
    learnt = len(order) * 2 // 3
    return simulate(survey, table.values[order[:learnt]], generator), table.values[order[learnt:]]


def score(model: DisguisedClassifier, test: Bits) -> tuple[float, float]:
    """Accuracy and AUC on rows of value indices, the class last."""
    probabilities: NDArray[np.float64] = model.probabilities(test)
    right = probabilities.argmax(axis=1) == test[:, -1]
    return float(right.mean()), float(roc_auc_score(test[:, -1], probabilities[:, 1]))


def _figures(table: Table, cell: Cell, name: str, pairs: NDArray[np.float64]) -> Figures:
    mean, variance = pairs.mean(axis=0).tolist(), pairs.var(axis=0, ddof=min(1, len(pairs) - 1)).tolist()
    return Figures(
        data=table.name,
        learner=name,
        truth=cell.truth,
        groups=cell.groups,
        class_disguised=cell.class_disguised,
        repetitions=len(pairs),
        accuracy=mean[0],
        accuracy_variance=variance[0],
        auc=mean[1],
        auc_variance=variance[1],
    )
