"""Draw random decision trees, and estimate their counts in one pass over disguised responses.

Fan, Wang, Yu and Ma (2003) draw trees at random and predict by the average of their leaves. Only the counts at the
leaves are fitted. Counts add up: later responses can be added, and counts made in several places can be summed. With
disguised counts, a small leaf is mostly noise. The prediction of a node is shrunk towards the prediction of its parent.
The shrinkage of a node is stronger if its count is small relative to its noise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from collector.errors import ModelError
from collector.survey.fields import Fields
from collector.survey.survey import Survey
from miner.arrays import Floats
from miner.learners.classifier import DisguisedClassifier, survey_target
from miner.learnt import AGAIN, numbers_of
from miner.responses.plain_rows import PlainRows
from miner.responses.responses import Data, Values
from miner.responses.tally import PART
from miner.steps import steps
from miner.trees.counts import Level
from miner.trees.criteria import normalised
from miner.trees.passes import Passes, root_of
from miner.trees.tensors import Tensors
from miner.trees.tree import LEAF, Tree
from miner.weights.layout import Disguise

DEEPEST = 6
LEANING = 2.0  # weight of the parent's prediction, in undisguised responses


def random_structure(
    disguise: Disguise, depth: int, generator: np.random.Generator, among: Sequence[int] | None = None
) -> Tree:
    """Draw a tree without counts: random questions, each at most once on a path, with a child for every value.

    Args:
        disguise: Disguise of the survey.
        depth: Number of questions on every path. If the survey has fewer questions than `depth`, all questions are on
            every path.
        generator: Random generator that draws the questions.
        among: Indices of the questions to draw from, or None for all but the class question.
    """
    kinds, features = disguise.kinds, disguise.features if among is None else list(among)
    asked: list[int] = []
    children: list[list[int]] = []
    waiting = [features]
    while len(asked) < len(waiting):
        left = waiting[len(asked)]
        if not left or len(features) - len(left) >= depth:
            asked.append(LEAF)
            children.append([])
            continue
        question = int(generator.choice(left))
        children.append(list(range(len(waiting), len(waiting) + kinds[question])))
        asked.append(question)
        waiting += [[each for each in left if each != question]] * kinds[question]
    nothing = np.zeros((len(asked), disguise.classes))
    return Tree.of(asked, children, nothing, np.full_like(nothing, 1 / disguise.classes))


class RandomTreesClassifier(DisguisedClassifier):
    """Random decision trees (Fan et al. 2003) on disguised responses.

    Args:
        survey: Published survey that collected the responses.
        target: Name of the class question, or None for the survey's class question.
        n_estimators: Number of trees.
        max_depth: Number of questions on a path, or None for half of all questions, at most 6.
        random_state: Seed, `numpy.random.Generator`, or None for a new generator.

    Attributes:
        trees_: Fitted trees, each a `miner.trees.tree.Tree`.
        squares_: Sums of squared weights at the nodes of each tree.
    """

    LEAST: ClassVar[Mapping[str, int]] = {"n_estimators": 1, "max_depth": 0}

    def __init__(
        self,
        survey: Survey,
        target: str | None = None,
        *,
        n_estimators: int = 30,
        max_depth: int | None = None,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        super().__init__(survey, target)
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.random_state = random_state

    def _fit(self, data: Data, plain: PlainRows | None, target: str) -> None:
        disguise, generator = Disguise.of(self.survey, target), np.random.default_rng(self.random_state)
        depth = min(DEEPEST, -(-len(disguise.features) // 2)) if self.max_depth is None else self.max_depth
        self.trees_ = [random_structure(disguise, depth, generator) for _ in range(self.n_estimators)]
        self.squares_ = [np.zeros(len(tree)) for tree in self.trees_]
        root = root_of(data, plain, target)
        if not isinstance(root, Passes):
            self._count(root)
            return
        for level in steps("counting", root.parts(), -(-len(data) // PART)):
            self._count(level)

    def partial_fit(
        self,
        X: pd.DataFrame | ArrayLike,  # noqa: N803 - scikit-learn's name
        y: ArrayLike | None = None,
        *,
        plain: PlainRows | None = None,
    ) -> Self:
        """Count additional responses.

        For the arguments, see `fit`.
        """
        if not hasattr(self, "trees_"):
            return self.fit(X, y, plain=plain)
        if plain is not None:
            plain.check(self.survey)
        target = survey_target(self.survey, self.target)
        self._count(Level.at_root(self.survey, self.full_codes(X, y), target, plain))
        return self

    def _count(self, level: Level | Tensors) -> None:
        counted = []
        trees = steps("counting", self.trees_, len(self.trees_)) if isinstance(level, Tensors) else self.trees_
        for number, tree in enumerate(trees):
            counts, squares = level.at_leaves(tree)
            self.squares_[number] = self.squares_[number] + tree.summed(squares.sum(axis=1, keepdims=True))[:, 0]
            counted.append(_with_counts(tree, tree.counts + tree.summed(counts), self.squares_[number]))
        self.trees_ = counted

    @property
    def learnt(self) -> dict[str, Any]:
        """Return the trees and the sums of squared weights, to which later counts can be added."""
        return {
            "trees": [tree.to_json() for tree in self.trees_],
            "squares": [squares.tolist() for squares in self.squares_],
        }

    def _restore(self, learnt: Any, target: str) -> None:  # noqa: ANN401 - whatever JSON held
        given = Fields(learnt, "learnt")
        self.trees_ = [Tree.from_json(tree, self.survey, target) for tree in given.take("trees", list)]
        squares = given.take_list("squares", list)
        if not self.trees_ or len(squares) != len(self.trees_):
            raise ModelError(
                "learnt", "the model has no trees, or not one table of squared counts for each tree", AGAIN
            )
        self.squares_ = [
            numbers_of(each, "learnt, squares", (len(tree),)) for each, tree in zip(squares, self.trees_, strict=True)
        ]

    @property
    def text(self) -> str:
        """Return the number and size of the trees, as text."""
        return f"{len(self.trees_)} random trees of {sum(map(len, self.trees_))} nodes in all"

    def probabilities(self, values: Values) -> Floats:
        """Return the mean of the trees' predictions for rows of value indices."""
        mean: Floats = sum((tree.predict_proba(values) for tree in self.trees_), start=np.zeros(1)) / len(self.trees_)
        return mean


def _with_counts(tree: Tree, counts: Floats, squares: Floats) -> Tree:
    """Return the tree with the given counts, and with predictions that are shrunk towards the parent's prediction."""
    size = counts.sum(axis=1)
    noise = np.divide(squares, size, out=np.full_like(size, np.inf), where=size > 0)  # 1 if undisguised
    effective = np.maximum(counts, 0.0) / np.maximum(noise, 1.0)[:, None]
    probabilities = np.full_like(counts, 1 / counts.shape[1])
    probabilities[0] = normalised(effective[0] + LEANING * probabilities[0])
    for node, children in enumerate(tree.children()):
        if children:
            probabilities[children] = normalised(effective[children] + LEANING * probabilities[node])
    return Tree(tree.question, tree.offset, tree.child, counts, probabilities)
