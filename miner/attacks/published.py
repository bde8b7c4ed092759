"""Represent a published model as an attacker sees it: leaves with their class counts, and the leaf of each person.

Trained and released models of this project, and fitted trees and forests of scikit-learn, are converted to one form.
`miner.attacks.rule_file` reads a model from text.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from collector.errors import ModelError, QueryError, ResponseError
from collector.survey.survey import Survey
from miner.forest.forest import Forest
from miner.learners.forest import ForestClassifier
from miner.models.model import Model
from miner.release.release import Release
from miner.responses.responses import value_indices
from miner.trees.tree import LEAF, Tree

Counts = NDArray[np.float64]
Places = NDArray[np.intp]
HAVE_TREES = "id3, forest, random-trees or distilled"
NO_TREES = "naive-bayes"  # method of `miner release` whose models have no trees


@dataclass(frozen=True, eq=False)
class PublishedModel:
    """Model as an attacker can read it.

    Attributes:
        name: Description of the model in words.
        classes: Classes in words, with None for a class that the model does not name.
        target: Name of the class column, or None if the model does not name it.
        counts: Class counts of the leaves of each tree, shape (leaves, classes). Noisy counts may be negative.
        land: Function from a frame of people to the leaf of each person, shape (trees, rows).
        guarantee: Lines of the guarantee in the model file, empty without a guarantee.
        read: Function from a frame to the class index of each row, or None if the model has no survey.
    """

    name: str
    classes: tuple[str | None, ...]
    target: str | None
    counts: tuple[Counts, ...]
    land: Callable[[pd.DataFrame], Places]
    guarantee: tuple[str, ...] = ()
    read: Callable[[pd.DataFrame], Places] | None = None

    def labels(self, frame: pd.DataFrame, target: str | None = None) -> Places:
        """Return the class of each row, as an index of `classes`.

        Raises:
            QueryError: If neither the model nor the caller names the class column.
            ResponseError: If the column is missing, or a row has an unknown class. The error message names the row, not
                its class.
        """
        column = self.target or target
        if column is None:
            raise QueryError(
                "--target", "the model does not say which column is the class", "name the column of the class"
            )
        if column not in frame.columns:
            raise ResponseError(f'column "{column}"', "the column is missing", "give the class of every row")
        if self.read is not None:
            return self.read(frame)
        words = frame[column].astype(str).str.strip()
        names = _all_named(self.classes, words.unique().tolist())
        places = {name: place for place, name in enumerate(names) if name is not None}
        labels = words.map(lambda word: places.get(word, -1)).to_numpy(np.intp)
        if (labels < 0).any():
            place = f'row {int((labels < 0).argmax()) + 1}, column "{column}"'
            raise ResponseError(place, "the value is not a class of the model", f"use one of: {', '.join(places)}")
        return labels


def _all_named(classes: Sequence[str | None], words: Sequence[str]) -> Sequence[str | None]:
    """Name a model's unnamed classes after the classes of a table.

    The table's class names are used only if their order and number agree with the model's.
    """
    known = set(filter(None, classes))
    every = known.union(words)
    try:
        names = sorted(every, key=float)
    except ValueError:
        names = sorted(every)
    fits = len(names) == len(classes) and all(own in {None, name} for own, name in zip(classes, names, strict=True))
    return names if fits else classes


def published_trees(
    name: str, survey: Survey, target: str, trees: Sequence[Tree], guarantee: Sequence[str] = ()
) -> PublishedModel:
    """Return trees of this project as a published model with their counts."""
    leaves = [np.flatnonzero(tree.question == LEAF) for tree in trees]

    def land(frame: pd.DataFrame) -> Places:
        values = _values(survey, target, frame)
        return np.array([np.searchsorted(ends, tree.apply(values)) for tree, ends in zip(trees, leaves, strict=True)])

    def read(frame: pd.DataFrame) -> Places:
        return value_indices(survey, frame, [target])[:, 0].astype(np.intp)

    counts = tuple(tree.counts[ends] for tree, ends in zip(trees, leaves, strict=True))
    return PublishedModel(name, survey.question(target).values, target, counts, land, tuple(guarantee), read)


def _values(survey: Survey, target: str, frame: pd.DataFrame) -> NDArray[np.int16]:
    """Return value indices of the questions that a tree may ask. The column of the class question is not read."""
    place = survey.column(target)
    names = [question.name for question in survey.questions if question.name != target]
    return np.insert(value_indices(survey, frame, names), place, 0, axis=1)


def published_model(model: Model | Release) -> PublishedModel:
    """Return a trained or released model of this project as a published model.

    Raises:
        ModelError: If the model has no trees.
    """
    trees = trees_of(model.classifier)
    name = model.method if isinstance(model, Release) else model.kind
    if not trees:
        remedy = (
            f"audit a model that was trained with {HAVE_TREES}, or released with a method other than {NO_TREES} "
            "(with ours: --set form=tree or form=mixture)"
        )
        raise ModelError("model", f"a model of {name} has no tree", remedy)
    return published_trees(name, model.survey, model.target, trees, model.privacy)


def trees_of(classifier: Any) -> list[Tree]:  # noqa: ANN401 - of several classes that keep their trees each in its way
    """Return the trees of a trained or released classifier of this project, or an empty list if it has no trees."""
    if hasattr(classifier, "model_"):
        return list(getattr(classifier.model_, "trees", ()))
    if isinstance(classifier, ForestClassifier):
        return trees_of_forest(classifier.forest_, [len(each.values) for each in classifier.survey.questions])
    if hasattr(classifier, "tree_"):
        return [classifier.tree_]
    return list(getattr(classifier, "trees_", ()))


def trees_of_forest(forest: Forest, kinds: Sequence[int]) -> list[Tree]:
    """Return the trees of a forest, with a split by value for each binary test.

    Args:
        forest: Grown forest.
        kinds: Number of values of each question of the forest's survey.
    """
    trees = []
    for start, stop in zip(forest.begin[:-1], forest.begin[1:], strict=True):
        children: list[list[int]] = []
        question: list[int] = []
        for asked, failing in zip(forest.test[start:stop].tolist(), forest.child[start:stop].tolist(), strict=True):
            question.append(LEAF if asked == LEAF else int(forest.tests.question[asked]))
            passes = [] if asked == LEAF else forest.tests.passes[asked, : kinds[question[-1]]].tolist()
            children.append([failing + passing for passing in passes])
        counts, likely = (part[start:stop].astype(np.float64) for part in (forest.counts, forest.probabilities))
        trees.append(Tree.of(question, children, counts, likely))
    return trees
