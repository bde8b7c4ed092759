"""The product weights of a tree's leaves, all at once: paths share what they have in common, and empty ones end early.

A path is a conjunction (`miner.weights` has the formulas). On the way down it is enough to know, for each response and
each group the path has touched, whether the response matches so far, and whether its replacement would.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from miner.responses import Responses, values_of_codes
from miner.trees.tree import LEAF, Tree
from miner.weights import Floats, Rows, complemented, group_weights

Matches = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Path:
    """The responses that weigh something on a path, from the root to any node.

    Attributes:
        rows: Which.
        parts: For each group the path has touched: whether they match there as sent, shape (rows,), and the share of
            their replacements that do: shape (rows,) of 0 and 1, or one number for all under the uniform channel.
        admitted: For each question the path has asked, the values it lets through, shape (values,).
    """

    rows: Rows
    parts: dict[int, tuple[Matches, Any]]
    admitted: dict[int, Matches]

    @classmethod
    def at_root(cls, responses: int) -> Self:
        """All responses, before anything is asked."""
        return cls(np.arange(responses), {}, {})


def right_weights(responses: Responses, tree: Tree, target: str) -> Floats:
    """The sum over leaves of W(path and class = the leaf's label), for each response.

    Args:
        responses: Disguised responses.
        tree: Any tree for their survey.
        target: Name of the class question, disguised or not.

    Returns:
        Shape (responses,). The mean is unbiased for the accuracy of the tree on the true answers.

    Raises:
        QueryError: If the target is no question.
    """
    label = tree.label
    sums = np.zeros(len(responses))
    for node, path, walk in _arrivals(responses, tree):
        rows, weights = walk.ended(path, target, int(label[node]))
        sums[rows] += weights
    return sums


def leaf_weights(responses: Responses, tree: Tree, target: str, place: NDArray[np.intp]) -> Floats:
    """W(path and class) for each response and class, added up over the leaves of each place.

    Args:
        responses: Disguised responses.
        tree: Any tree for their survey.
        target: Name of the class question, disguised or not.
        place: Shape (nodes of the tree,): where each leaf is counted, from 0 up.

    Returns:
        Shape (responses, places, classes). For each response they add up to 1.

    Raises:
        QueryError: If the target is no question.
    """
    classes = len(responses.survey.question(target).values)
    weights = np.zeros((len(responses), int(place.max()) + 1, classes))
    for node, path, walk in _arrivals(responses, tree):
        for label in range(classes):
            rows, ended = walk.ended(path, target, label)
            weights[rows, place[node], label] += ended
    return weights


def _arrivals(responses: Responses, tree: Tree) -> Iterator[tuple[int, Path, Walk]]:
    """Every leaf that responses weigh something at, with the path there."""
    walk, children = Walk(responses), tree.children()
    waiting = [(0, Path.at_root(len(responses)))]
    while waiting:
        node, path = waiting.pop()
        question = int(tree.question[node])
        if question == LEAF:
            yield node, path, walk
        else:
            waiting += walk.steps(path, question, children[node])


class Walk:
    """Steps from a node to a child, for all responses there at once.

    Args:
        responses: That walk.
    """

    def __init__(self, responses: Responses) -> None:
        self._survey = survey = responses.survey
        self._values = np.asfortranarray(values_of_codes(survey.questions, responses.codes))
        flipped = values_of_codes(survey.questions, complemented(survey, responses.codes))
        self._complements = np.asfortranarray(flipped)
        homes = {name: number for number, group in enumerate(survey.groups) for name in group.questions}
        self._home = [homes.get(question.name) for question in survey.questions]
        self._uniform = [group.channel.name == "uniform" for group in survey.groups]
        self._signed = [group_weights(group) for group in survey.groups]

    def steps(self, path: Path, question: int, children: list[int]) -> list[tuple[int, Path]]:
        """The children of a node that responses weigh something at, given the child of each value; and the paths."""
        kids = np.array(children)
        found = [(kid, self.step(path, question, kids == kid)) for kid in dict.fromkeys(children)]
        return [(kid, step) for kid, step in found if len(step.rows)]

    def ended(self, path: Path, target: str, label: int) -> tuple[Rows, Floats]:
        """The responses that weigh something on the path and have a class, with W(path and class) of each.

        Raises:
            QueryError: If the target is no question.
        """
        question = self._survey.question(target)
        step = self.step(path, self._survey.questions.index(question), np.arange(len(question.values)) == label)
        return step.rows, self.weights(step)

    def step(self, path: Path, question: int, wanted: Matches) -> Path:
        """The path with one more condition: the question has a wanted value, shape (values,)."""
        admitted = {**path.admitted, question: path.admitted.get(question, True) & wanted}
        fits = wanted[self._values[path.rows, question]]
        home = self._home[question]
        if home is None:
            return self._among(replace(path, admitted=admitted), np.flatnonzero(fits))
        own, other = path.parts.get(home, (True, 1.0))
        if self._uniform[home]:
            other = prod(float(each.mean()) for asked, each in admitted.items() if self._home[asked] == home)
        else:
            other = other * wanted[self._complements[path.rows, question]]
        path = Path(path.rows, {**path.parts, home: (own & fits, other)}, admitted)
        return self._among(path, np.flatnonzero(self._factor(path, home)))

    def weights(self, path: Path) -> Floats:
        """W of the path for each of its responses."""
        weights = np.ones(len(path.rows))
        for home in path.parts:
            weights *= self._factor(path, home)
        return weights

    def _factor(self, path: Path, home: int) -> Floats:
        kept, replaced = self._signed[home]
        own, other = path.parts[home]
        return np.asarray(kept * own + replaced * other)

    @staticmethod
    def _among(path: Path, some: Rows) -> Path:
        if len(some) == len(path.rows):
            return path
        parts = {
            home: (own[some], other[some] if isinstance(other, np.ndarray) else other)
            for home, (own, other) in path.parts.items()
        }
        return Path(path.rows[some], parts, path.admitted)
