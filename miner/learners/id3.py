"""Grow ID3 trees on disguised responses (Du & Zhan 2003): multiway or binary splits, with or without pruning."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from collector.errors import QueryError
from collector.survey.survey import Survey
from miner.estimates.hybrid import hybrid_level
from miner.evaluation.accuracy import tree_accuracy
from miner.learners.choice.chooser import MEASURES
from miner.learners.classifier import survey_target
from miner.learners.mode_classifier import AUTO, FAITHFUL, LATENT, ROBUST, ModeClassifier
from miner.responses.plain_rows import PlainRows
from miner.responses.responses import Codes, Data, Responses, Values
from miner.responses.tally import PART
from miner.trees.counts import Level
from miner.trees.criteria import Criterion, Faithful, Robust, tree_importances
from miner.trees.grow import Counted, grow
from miner.trees.passes import Passes
from miner.trees.prune import pruned, readable
from miner.trees.splits import BINARY, MULTIWAY, WAYS
from miner.trees.tensors import Tensors, tensors_are_faster
from miner.trees.tree import Tree
from miner.weights.layout import Disguise

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

    def _fit_codes(self, codes: Codes, target: str, plain: PlainRows | None) -> None:
        if self.prune_share is None:
            super()._fit_codes(codes, target, plain)
            self._cut()
            return
        if not 0 < self.prune_share < 1:
            raise QueryError(
                "prune_share",
                "the share is not above 0 and below 1",
                "give a share such as 1/4, or leave prune_share out",
            )
        judges = min(round(len(codes) * self.prune_share), len(codes) - 1)
        dealt = np.random.default_rng(self.random_state).permutation(len(codes))
        super()._fit_codes(codes[np.sort(dealt[judges:])], target, plain)
        self._cut()
        if judges:
            self.tree_ = pruned(self.tree_, Responses(self.survey, codes[np.sort(dealt[:judges])]), target)

    def _learn_codes(self, codes: Codes, target: str, plain: PlainRows | None) -> None:
        if plain is None and len(codes) > PART and tensors_are_faster(self.survey, Disguise.of(self.survey, target)):
            self._grow(_level_of(Responses(self.survey, codes), target))
        else:
            self._grow(hybrid_level(self.survey, codes, plain, target))

    def _learn_many(self, responses: Data, target: str) -> None:
        self._grow(_level_of(responses, target))
        self._cut()

    @property
    def counts_parts(self) -> bool:
        """Return whether `fit_many` needs only a part of the responses at once. Pruning needs all responses at once."""
        return super().counts_parts and self.prune_share is None

    def _fit_rows(self, values: Values, weights: NDArray[np.float64], responses: int, target: str) -> None:
        if self.prune_share is not None:
            raise QueryError(
                "prune_share", "pruning needs disguised responses, and there are none", "leave prune_share out"
            )
        super()._fit_rows(values, weights, responses, target)
        self._cut()

    def _learn_rows(self, values: Values, weights: NDArray[np.float64], responses: int, target: str) -> None:
        del responses  # the weights contain all information
        self._grow(Level.of_plain(self.survey, values, target, weights))

    def _recount(self, people: float) -> None:
        self.tree_ = self.tree_.counting(people)

    def _grow(self, level: Counted) -> None:
        splits = self.splits or (BINARY if self.choice_.mode == LATENT else MULTIWAY)
        if splits not in WAYS:
            raise QueryError("splits", "there is no such kind of split", f"use one of: {', '.join(WAYS)}")
        self.tree_ = grow(level, CRITERIA[self.choice_.rules], self.max_depth, WAYS[splits])

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


def _level_of(responses: Data, target: str) -> Tensors | Passes:
    """Return the first level of a tree on many responses."""
    survey = responses.survey
    disguise = Disguise.of(survey, target)
    if tensors_are_faster(survey, disguise):
        return Tensors.at_root(disguise, responses)
    at_root = partial(hybrid_level, survey, plain=None, target=target)
    return Passes(responses.in_blocks(), len(responses), at_root, disguise)
