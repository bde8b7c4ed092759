"""The product weights of a tree's leaves, all at once: paths share what they have in common, and empty ones end early.

A path is a conjunction (`miner.weights` has the formulas). On the way down it is enough to know, for each response and
each group the path has touched, whether the response matches so far, and whether its replacement would.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from miner.responses import Responses, values_of_codes
from miner.tree import LEAF, Tree
from miner.weights import Floats, Rows, complemented, group_weights

Matches = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class _Path:
    """The responses that weigh something on a path.

    Attributes:
        rows: Which.
        parts: For each group the path has touched: whether they match there as sent, shape (rows,), and the share of
            their replacements that do: shape (rows,) of 0 and 1, or one number for all under the uniform channel.
        admitted: For each question the path has asked, the values it lets through, shape (values,).
    """

    rows: Rows
    parts: dict[int, tuple[Matches, Any]]
    admitted: dict[int, Matches]


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
    column = responses.survey.questions.index(responses.survey.question(target))
    classes = np.arange(len(responses.survey.questions[column].values))
    walk, children, label = _Walk(responses), tree.children(), tree.label
    sums = np.zeros(len(responses))
    waiting = [(0, _Path(np.arange(len(responses)), {}, {}))]
    while waiting:
        node, path = waiting.pop()
        question = int(tree.question[node])
        if question == LEAF:
            path = walk.step(path, column, classes == label[node])
            sums[path.rows] += walk.weights(path)
        else:
            kids = np.array(children[node])
            steps = [(int(kid), walk.step(path, question, kids == kid)) for kid in dict.fromkeys(children[node])]
            waiting += [(kid, step) for kid, step in steps if len(step.rows)]
    return sums


class _Walk:
    """Steps from a node to a child, for all responses there at once."""

    def __init__(self, responses: Responses) -> None:
        survey = responses.survey
        self._values = np.asfortranarray(values_of_codes(survey.questions, responses.codes))
        flipped = values_of_codes(survey.questions, complemented(survey, responses.codes))
        self._complements = np.asfortranarray(flipped)
        homes = {name: number for number, group in enumerate(survey.groups) for name in group.questions}
        self._home = [homes.get(question.name) for question in survey.questions]
        self._uniform = [group.channel.name == "uniform" for group in survey.groups]
        self._signed = [group_weights(group) for group in survey.groups]

    def step(self, path: _Path, question: int, wanted: Matches) -> _Path:
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
        path = _Path(path.rows, {**path.parts, home: (own & fits, other)}, admitted)
        return self._among(path, np.flatnonzero(self._factor(path, home)))

    def weights(self, path: _Path) -> Floats:
        """W of the path for each of its responses."""
        weights = np.ones(len(path.rows))
        for home in path.parts:
            weights *= self._factor(path, home)
        return weights

    def _factor(self, path: _Path, home: int) -> Floats:
        kept, replaced = self._signed[home]
        own, other = path.parts[home]
        return np.asarray(kept * own + replaced * other)

    @staticmethod
    def _among(path: _Path, some: Rows) -> _Path:
        if len(some) == len(path.rows):
            return path
        parts = {
            home: (own[some], other[some] if isinstance(other, np.ndarray) else other)
            for home, (own, other) in path.parts.items()
        }
        return _Path(path.rows[some], parts, path.admitted)
