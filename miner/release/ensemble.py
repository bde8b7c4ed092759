"""Represent the content of a release: trees with noisy counts and their vote, or tables of noisy counts.

A release contains no exact count of the data.
"""

from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from collector.errors import ModelError
from collector.survey.fields import Fields
from collector.survey.survey import Survey
from miner.arrays import Floats
from miner.behind.kernels import softmax
from miner.responses.responses import Values
from miner.trees.criteria import normalised
from miner.trees.tree import Tree

LEAST = 1e-6  # smallest probability in a product of probabilities


def mean_vote(each: Floats) -> Floats:
    """Return the mean over trees of the class probabilities."""
    mean: Floats = each.mean(axis=0)
    return mean


def log_vote(each: Floats) -> Floats:
    """Return the normalised geometric mean over trees of the class probabilities."""
    logs = np.log(np.maximum(each, LEAST)).mean(axis=0)
    return softmax(logs.reshape(-1, logs.shape[-1])).reshape(logs.shape)


def majority_vote(each: Floats) -> Floats:
    """Return the share of trees that predict each class."""
    heads = each.argmax(axis=-1)[..., None] == np.arange(each.shape[-1])
    shares: Floats = heads.mean(axis=0)
    return shares


def confident_vote(each: Floats) -> Floats:
    """Let trees vote for their most probable class, weighted by its probability (Fletcher & Islam 2015)."""
    heads = each.argmax(axis=-1)[..., None] == np.arange(each.shape[-1])
    shares: Floats = normalised((heads * each).mean(axis=0))
    return shares


VOTES = {"mean": mean_vote, "log": log_vote, "majority": majority_vote, "confidence": confident_vote}


POOLED = "pooled"


class ReleasedModel(Protocol):
    """Interface of a released model: its predictions, its text and its JSON values."""

    @property
    def learnt(self) -> dict[str, Any]:
        """Return what the model has learnt, such as its counts, as plain JSON values."""

    def probabilities(self, values: Values) -> Floats:
        """Return class probabilities of rows of value indices (in the survey's order), shape (rows, classes)."""

    def text(self, survey: Survey, target: str) -> str:
        """Return the model as text for people."""


def _pooled(counts: Floats) -> Floats:
    """Return class shares of noisy counts that were summed over trees, where counts below 0 are set to 0.

    If no summed count is above 0, the class with the largest count has share 1.
    """
    lifted = np.maximum(counts, 0.0)
    none = lifted.sum(axis=1, keepdims=True) == 0
    shares: Floats = normalised(np.where(none, counts == counts.max(axis=1, keepdims=True), lifted))
    return shares


@dataclass(frozen=True, eq=False)
class Ensemble:
    """Released model of one or more trees, whose predictions are combined by a vote.

    Attributes:
        trees: Trees with noisy counts, at least one.
        vote: Key of `VOTES`, or ``pooled``. A pooled vote adds the noisy counts of the leaves that a row reaches
            (Jagannathan et al. 2012, Algorithm 4).
    """

    trees: tuple[Tree, ...]
    vote: str = "mean"

    def probabilities(self, values: Values) -> Floats:
        """Return class probabilities of rows of value indices (columns in the survey's order), (rows, classes)."""
        if self.vote == POOLED:
            counts = sum((tree.counts[tree.apply(values)] for tree in self.trees), start=np.zeros(1))
            return _pooled(counts)
        return VOTES[self.vote](np.stack([tree.predict_proba(values) for tree in self.trees]))

    @property
    def learnt(self) -> dict[str, Any]:
        """Return the trees as plain JSON values."""
        return {"vote": self.vote, "trees": [tree.to_json() for tree in self.trees]}

    @classmethod
    def restored(cls, learnt: Any, survey: Survey, target: str) -> Self:  # noqa: ANN401 - whatever JSON held
        """Read the trees from JSON values, and check them.

        Raises:
            DeniableError: If the trees do not fit the survey and the target.
        """
        given = Fields(learnt, "learnt")
        vote, trees = given.take("vote", str), given.take("trees", list)
        if vote not in {*VOTES, POOLED} or not trees:
            raise ModelError("learnt", "the ensemble has an unknown voting rule, or no tree", "release the model again")
        return cls(tuple(Tree.from_json(tree, survey, target) for tree in trees), vote)

    def text(self, survey: Survey, target: str) -> str:
        """Return the tree as indented text, if there is only one.

        For a model of several trees, the text states only their number and size.
        """
        if len(self.trees) == 1:
            return self.trees[0].show(survey, target)
        return f"{len(self.trees)} trees of {sum(map(len, self.trees))} nodes in all; {self.vote} vote"


def predicting(tree: Tree, noisy: NDArray[np.integer]) -> Tree:
    """Return a tree with noisy class counts, and with predictions from the noisy class counts.

    A node of the tree predicts the class shares of its noisy counts. A node without a count above 0 predicts what its
    parent predicts.

    Args:
        tree: Structure of the tree.
        noisy: Noisy counts, shape (nodes, classes).
    """
    positive = np.maximum(noisy, 0).astype(np.float64)
    probabilities = normalised(positive)
    probabilities[0] = probabilities[0] if positive[0].any() else 1 / positive.shape[1]
    for node, children in enumerate(tree.children()):
        for child in set(children):
            if not positive[child].any():
                probabilities[child] = probabilities[node]
    return replace(tree, counts=noisy.astype(np.float64), probabilities=probabilities)
