"""scikit-learn's trees and forests as published models, to be audited like ours."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from collector.errors import ModelError
from miner.attacks.published import Places, PublishedModel
from miner.trees.tree import LEAF


def published_scikit_learn(estimator: Any) -> PublishedModel:  # noqa: ANN401 - scikit-learn has no types
    """A fitted `DecisionTreeClassifier`, or a forest of them, with the training counts that it carries.

    Rows are frames or arrays with the columns it was fitted on; the class column is named when labels are asked for.

    Raises:
        ModelError: If it is not fitted, or no classifier of one target.
    """
    trees = getattr(estimator, "estimators_", [estimator])
    classes = getattr(estimator, "classes_", None)
    if classes is None or not all(hasattr(tree, "tree_") for tree in trees) or not hasattr(classes, "tolist"):
        raise ModelError("estimator", "it is no fitted tree or forest for one target", "fit it first")
    grown = [tree.tree_ for tree in trees]
    leaves = [np.flatnonzero(tree.children_left == LEAF) for tree in grown]
    counts = tuple(
        tree.value[ends, 0] * tree.weighted_n_node_samples[ends, None] for tree, ends in zip(grown, leaves, strict=True)
    )

    def land(frame: pd.DataFrame) -> Places:
        names = getattr(estimator, "feature_names_in_", None)
        rows = np.asarray(frame if names is None else frame[names], np.float32)
        return np.array([np.searchsorted(ends, tree.apply(rows)) for tree, ends in zip(grown, leaves, strict=True)])

    words = tuple(str(each) for each in classes.tolist())
    return PublishedModel(f"scikit-learn {type(estimator).__name__}", words, None, counts, land)
