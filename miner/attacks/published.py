"""A published model as an attacker sees it: leaves with their class counts, and the leaf of each person.

Ours (a model file, trained or released) and scikit-learn's fitted trees and forests become one and the same thing here;
`miner.attacks.rule_file` reads it from a text.
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
NO_TREES = "naive-bayes"  # of the methods of `miner release`


@dataclass(frozen=True, eq=False)
class PublishedModel:
    """A model as an attacker can read it.

    Attributes:
        name: What it is, in words.
        classes: Classes of the target, in words; None for a class that the model does not name.
        target: Name of the class column; None if the model does not say.
        counts: For each tree the class counts of its leaves: shape (leaves, classes). Noisy ones may be negative.
        land: For a frame of people, which leaf each lands in: shape (trees, rows).
        guarantee: What the model file promises, line by line; empty where it promises nothing.
        read: For a frame of people, the class of each row as an index of `classes`, where a survey says how answers
            are read; None where the model knows nothing but the names of its classes.
    """

    name: str
    classes: tuple[str | None, ...]
    target: str | None
    counts: tuple[Counts, ...]
    land: Callable[[pd.DataFrame], Places]
    guarantee: tuple[str, ...] = ()
    read: Callable[[pd.DataFrame], Places] | None = None

    def labels(self, frame: pd.DataFrame, target: str | None = None) -> Places:
        """The class of each row, as an index of `classes`.

        Raises:
            QueryError: If nothing names the column.
            ResponseError: If it is missing, or a row has another class; the message says which row, not what it has.
        """
        column = self.target or target
        if column is None:
            raise QueryError("--target", "the model does not say which column is the class", "name it")
        if column not in frame.columns:
            raise ResponseError(f'column "{column}"', "it is missing", "give the class of every row")
        if self.read is not None:
            return self.read(frame)
        words = frame[column].astype(str).str.strip()
        names = _all_named(self.classes, words.unique().tolist())
        places = {name: place for place, name in enumerate(names) if name is not None}
        labels = words.map(lambda word: places.get(word, -1)).to_numpy(np.intp)
        if (labels < 0).any():
            place = f'row {int((labels < 0).argmax()) + 1}, column "{column}"'
            raise ResponseError(place, "it is not a class of the model", f"use one of: {', '.join(places)}")
        return labels


def _all_named(classes: Sequence[str | None], words: Sequence[str]) -> Sequence[str | None]:
    """The classes, with those that the model does not name named from a table that has all of them.

    scikit-learn sorts its classes, numbers by size. Names in another order, or too few or too many, name nothing.
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
    """Our own trees, of whatever origin, with the counts they carry."""
    leaves = [np.flatnonzero(tree.question == LEAF) for tree in trees]

    def land(frame: pd.DataFrame) -> Places:
        values = _values(survey, target, frame)
        return np.array([np.searchsorted(ends, tree.apply(values)) for tree, ends in zip(trees, leaves, strict=True)])

    def read(frame: pd.DataFrame) -> Places:
        return value_indices(survey, frame, [target])[:, 0].astype(np.intp)

    counts = tuple(tree.counts[ends] for tree, ends in zip(trees, leaves, strict=True))
    return PublishedModel(name, survey.question(target).values, target, counts, land, tuple(guarantee), read)


def _values(survey: Survey, target: str, frame: pd.DataFrame) -> NDArray[np.int16]:
    """Value indices of the questions that a tree may ask; the target's column is not looked at."""
    place = survey.column(target)
    names = [question.name for question in survey.questions if question.name != target]
    return np.insert(value_indices(survey, frame, names), place, 0, axis=1)


def published_model(model: Model | Release) -> PublishedModel:
    """A model of ours, trained or released.

    Raises:
        ModelError: If it has no trees.
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
    """The trees of a classifier of ours, trained or released; none if it has none."""
    if hasattr(classifier, "model_"):
        return list(getattr(classifier.model_, "trees", ()))
    if isinstance(classifier, ForestClassifier):
        return trees_of_forest(classifier.forest_, [len(each.values) for each in classifier.survey.questions])
    if hasattr(classifier, "tree_"):
        return [classifier.tree_]
    return list(getattr(classifier, "trees_", ()))


def trees_of_forest(forest: Forest, kinds: Sequence[int]) -> list[Tree]:
    """A forest's binary tests as splits by value: those that pass lead to one child, the others to the one before it.

    Args:
        forest: Grown.
        kinds: How many values each question of its survey has.
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
