"""Grow ID3 trees on disguised responses (Du & Zhan 2003): multiway or binary splits, with or without pruning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from collector.errors import QueryError
from collector.survey.survey import Survey
from miner.evaluation.accuracy import tree_accuracy
from miner.learners.choice.chooser import MEASURES
from miner.learners.classifier import survey_target
from miner.learners.mode_classifier import AUTO, FAITHFUL, LATENT, ROBUST, ModeClassifier
from miner.responses.plain_rows import PlainRows
from miner.responses.responses import Data, Responses, Values
from miner.trees.criteria import Criterion, Faithful, Robust, tree_importances
from miner.trees.grow import grow
from miner.trees.passes import root_of
from miner.trees.prune import pruned, readable
from miner.trees.splits import BINARY, MULTIWAY, WAYS
from miner.trees.tree import Tree

MOST_LEAVES = 30  # largest number of leaves of a tree that people are to read
PULL = 10.0  # weight of a parent's prediction in responses; 2 would be too little for a small leaf
OF_GROWTH = (
    "Probabilities and counts are those of the responses that the tree was grown on. Among other people, the predicted "
    "class is usually less frequent. Answers that lead to the same prediction share a leaf."
)
CRITERIA: dict[str, Criterion] = {FAITHFUL: Faithful(), ROBUST: Robust(shrinkage=PULL)}


class ID3Classifier(ModeClassifier):
    """Du & Zhan's MRR ID3 (2003, section 4): a greedy tree on estimated counts.

    Args:
        survey: Published survey that collected the responses.
        target: Name of the class question, or None for the survey's class question.
        mode: ``faithful`` (the paper's rules), ``robust`` (splits must exceed the noise), ``latent`` (robust rules on
            draws from a fitted model of the answers), or ``auto``. The mode ``auto`` chooses robust or latent
            (`miner.learners.choice.chooser`).
        by: Measure that ``auto`` compares on held-out disguised responses: ``log-loss``, ``auc`` or ``accuracy``.
        splits: ``multiway``, with a child for every value of a question, or ``binary``, with two children. A binary
            split is ``value <= v`` if the values are in order. If the values have no order, a binary split is the best
            subset of values (two classes), or ``value = v`` (more classes). The default None of `splits` means binary
            in latent mode and multiway in other modes.
        prune_share: Share of responses, above 0 and below 1, that is held out from growth and used for pruning
            (`miner.trees.prune`). The default None of `prune_share` means no pruning.
        max_depth: Largest number of splits on a path, or None for no limit.
        max_leaves: Largest number of leaves, which is reached by cutting the weakest links (`miner.trees.prune`). The
            default None of `max_leaves` means 30, or no limit in faithful mode.
        min_samples_leaf: Smallest estimated count of a leaf.
        random_state: Seed, `numpy.random.Generator`, or None for a new generator. Random numbers are used to fit the
            mixture, and to draw responses for pruning.

    Attributes:
        tree_: Fitted tree (`miner.trees.tree.Tree`).
    """

    LEAST: ClassVar[Mapping[str, int]] = {"max_depth": 0, "max_leaves": 1}
    MOST_EXPLAINED: ClassVar[float] = 2**16
    tree_: Tree

    def __init__(  # noqa: PLR0913 - scikit-learn's manners: every parameter has a name
        self,
        survey: Survey,
        target: str | None = None,
        *,
        mode: str = AUTO,
        by: str = MEASURES[0],
        splits: str | None = None,
        prune_share: float | None = None,
        max_depth: int | None = None,
        max_leaves: int | None = None,
        min_samples_leaf: float = 0.0,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        super().__init__(survey, target)
        self.mode = mode
        self.by = by
        self.splits = splits
        self.prune_share = prune_share
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.min_samples_leaf = min_samples_leaf
        self.random_state = random_state

    def _fit(self, data: Data, plain: PlainRows | None, target: str) -> None:
        learnt, judges = (data, None) if self.prune_share is None else self._dealt(data, self.prune_share)
        super()._fit(learnt, plain, target)
        self._cut()
        if judges:
            self.tree_ = pruned(self.tree_, judges, target)

    def _dealt(self, data: Data, share: float) -> tuple[Responses, Responses]:
        """Return the responses to grow the tree on, and the responses to prune it by."""
        if not len(data):
            raise QueryError(
                "prune_share", "pruning needs disguised responses, and there are none", "leave prune_share out"
            )
        if not 0 < share < 1:
            raise QueryError(
                "prune_share",
                "the share is not above 0 and below 1",
                "give a share such as 1/4, or leave prune_share out",
            )
        responses = data.in_memory()
        judges = min(round(len(responses) * share), len(responses) - 1)
        dealt = np.random.default_rng(self.random_state).permutation(len(responses))
        return responses.take(np.sort(dealt[judges:])), responses.take(np.sort(dealt[:judges]))

    def _learn(self, data: Data, plain: PlainRows | None, target: str) -> None:
        splits = self.splits or (BINARY if self.choice_.mode == LATENT else MULTIWAY)
        if splits not in WAYS:
            raise QueryError("splits", "there is no such kind of split", f"use one of: {', '.join(WAYS)}")
        root = root_of(data, plain, target)
        self.tree_ = grow(root, CRITERIA[self.choice_.rules], self.max_depth, WAYS[splits])

    def _recount(self, people: float) -> None:
        self.tree_ = self.tree_.counting(people)

    def _cut(self) -> None:
        """Cut the weakest links of the tree. The tree's counts must be numbers of people."""
        leaves = MOST_LEAVES if self.max_leaves is None and self.choice_.mode != FAITHFUL else self.max_leaves
        self.tree_ = readable(self.tree_, leaves, self.min_samples_leaf)

    @property
    def _grown(self) -> dict[str, Any]:
        return {"tree": self.tree_.to_json()}

    def _restore_grown(self, learnt: dict[str, Any], target: str) -> None:
        self.tree_ = Tree.from_json(learnt.get("tree"), self.survey, target)

    @property
    def text(self) -> str:
        """Return the tree as indented text: conditions, predictions with their probabilities, and estimated counts.

        Leaves that predict the same are merged (`miner.trees.tree.Tree.merged`).
        """
        return f"{self.tree_.show(self.survey, survey_target(self.survey, self.target))}\n{OF_GROWTH}"

    def _html_repr(self) -> str:
        """Return HTML for a notebook, with the tree if the classifier is fitted."""
        if not hasattr(self, "tree_"):
            shown: str = super()._html_repr()
            return shown
        from miner.drawing.tree import drawing  # noqa: PLC0415 - only notebooks draw

        return drawing(self.tree_, self.survey, survey_target(self.survey, self.target))

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Return the decrease in impurity by splits on each question (`miner.trees.criteria`), shape (features,)."""
        target = self.survey.question(survey_target(self.survey, self.target))
        taken = tree_importances(self.tree_, len(self.survey.questions))
        return np.delete(taken, self.survey.questions.index(target))

    def probabilities(self, values: Values) -> NDArray[np.float64]:
        """Return class probabilities of rows of value indices. A row stops at a node whose answer is unknown."""
        return self.tree_.predict_proba(values)

    def score(self, X: pd.DataFrame | ArrayLike | Responses, y: ArrayLike | None = None) -> float:  # noqa: N803
        """Return the accuracy, estimated from disguised test responses (Du & Zhan's Eq. 15).

        For the arguments `X` and `y`, see `fit`.
        """
        responses = Responses(self.survey, self.full_codes(X, y))
        return tree_accuracy(responses, self.tree_, survey_target(self.survey, self.target)).estimate
