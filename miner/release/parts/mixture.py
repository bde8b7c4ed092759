"""Average the predictions of a released tree and of additive scores.

In a mixture, the weight of the tree is 0, 1/4, 1/2, 3/4 or 1. Permute-and-flip selects the weight by the number of
correct predictions, which one record changes by at most 1.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np

from collector.errors import ModelError
from collector.survey.survey import Survey
from miner.arrays import Floats
from miner.release.noise import Counts, Noise
from miner.release.parts.additive import NAT, QUARTERS, ScoreTables, count_right, likely
from miner.release.table import TrustedTable
from miner.responses.responses import Values
from miner.trees.tree import Tree

LEAST = 1e-3  # smallest probability of a tree in a mixture


@dataclass(frozen=True, eq=False)
class GeometricMixture:
    """Weighted geometric mean of the predictions of a tree and of score tables.

    Attributes:
        tree: Tree with noisy counts.
        tables: Additive scores for the answers to each question.
        weight: Weight of the tree, in quarters.
    """

    tree: Tree
    tables: ScoreTables
    weight: int

    @property
    def trees(self) -> tuple[Tree, ...]:
        """Return the tree, for attacks that read the leaves of trees."""
        return (self.tree,)

    def probabilities(self, values: Values) -> Floats:
        """Return class probabilities of rows of value indices, shape (rows, classes)."""
        scores = mixed(tree_scores(self.tree, values), self.tables.scores(values), self.weight)
        return likely(scores, QUARTERS * NAT)

    @property
    def learnt(self) -> dict[str, Any]:
        """Return the weight, the tree and the score tables as plain JSON values."""
        return {"weight": self.weight, "tree": self.tree.to_json(), **self.tables.learnt}

    @classmethod
    def restored(cls, learnt: Any, survey: Survey, target: str) -> Self:  # noqa: ANN401 - whatever JSON held
        """Read the mixture from JSON values, and check them.

        Raises:
            DeniableError: If the mixture does not fit the survey and the target.
        """
        tables = ScoreTables.restored(learnt, survey, target)
        weight = learnt.get("weight")
        if type(weight) is not int or not 0 <= weight <= QUARTERS:
            raise ModelError("learnt, weight", "the value is not a whole number of quarters", "release the model again")
        return cls(Tree.from_json(learnt.get("tree"), survey, target), tables, weight)

    def text(self, survey: Survey, target: str) -> str:
        """Return the weight in words, and the tree as indented text below."""
        share = f"a tree, which counts {self.weight} quarters, and scores for each answer, which count the rest"
        return f"{share}\n{self.tree.show(survey, target)}"


def tree_scores(tree: Tree, values: Values) -> Counts:
    """Return the logarithms of a tree's probabilities in 1/1024 nat, shape (rows, classes)."""
    logs = np.rint(NAT * np.log(np.maximum(tree.probabilities, LEAST))).astype(np.int64)
    scores: Counts = logs[tree.apply(values)]
    return scores


def mixed(tree: Counts, tables: Counts, weight: int) -> Counts:
    """Return the weighted sum of the scores of a tree and of score tables, in 1/4096 nat."""
    return weight * tree + (QUARTERS - weight) * tables


def mixture(tree: Tree, tables: ScoreTables, table: TrustedTable, epsilon: Fraction, noise: Noise) -> GeometricMixture:
    """Combine a tree and score tables with a weight that is chosen with epsilon-differential privacy.

    The tree and the score tables must already be private.
    """
    parts = tree_scores(tree, table.values), tables.scores(table.values)
    right = [count_right(mixed(*parts, weight), table) for weight in range(QUARTERS + 1)]
    return GeometricMixture(tree, tables, noise.flip(right, 1, epsilon, monotone=True))
