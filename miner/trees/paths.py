"""Compute the product weights of responses at all leaves of a tree.

Paths to different leaves share the factors of common nodes. A path on which no response has a weight ends early.

A path is a conjunction of conditions (`miner.counting.factors` has the formulas for its weights). On the way down the
tree, the weight of each response is kept separately for each group on the path.

In a split questionnaire, a leaf is estimated from the m of n respondents who were asked the class question and all
questions on the leaf's path. Let p be the mean weight among the m of n respondents who were asked all questions of a
path. The term of a respondent in the mean is ``p + (n / m) (weight
- p)`` for the m who were asked, and p for others. The variance of the terms gives the variance of the sum over leaves
of p, to first order.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from math import prod
from typing import Self

import numpy as np
from numpy.typing import NDArray

from collector.survey.survey import Survey
from miner.arrays import Floats, Positions
from miner.counting.factors import code_weights, event_weights, largest_sum, signed_weights
from miner.responses.responses import Responses
from miner.trees.tree import LEAF, Tree

Matches = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Path:
    """Responses with a weight other than 0 on a path from the root to a node.

    Attributes:
        rows: Row numbers of the responses.
        parts: Weight of each response for each group on the path, shape (rows,).
        admitted: Flags of the admitted values for each question on the path, shape (values,).
    """

    rows: Positions
    parts: dict[int, Floats]
    admitted: dict[int, Matches]

    @classmethod
    def at_root(cls, responses: int) -> Self:
        """Return the empty path, with all responses at the root."""
        return cls(np.arange(responses), {}, {})


def right_weights(responses: Responses, tree: Tree, target: str, counts: Floats | None = None) -> Floats:
    """Return for each response the sum over leaves of its weight for "on the leaf's path, and in the leaf's class".

    Args:
        responses: Disguised responses.
        tree: Any tree for the survey of the responses.
        target: Name of the class question, which may be disguised or not.
        counts: Number of equal responses that each row represents, or None if each row is one response.

    Returns:
        Sums of weights, shape (responses,). The mean of the sums is an unbiased estimate of the accuracy of the tree on
        the true answers.

    Raises:
        QueryError: If the target is not a question, or no respondent was asked all questions on the path to a leaf.
    """
    label, counted = tree.label, np.ones(len(responses)) if counts is None else counts
    sums = np.zeros(len(responses))
    for node, path, walk in _arrivals(responses, tree):
        rows, weights = walk.ended(path, target, int(label[node]))
        _add(sums, rows, weights, walk.stand_for(path, target, counted), counted)
    return sums


def _add(sums: Floats, rows: Positions, weights: Floats, times: Floats | None, counts: Floats) -> None:
    """Add the terms of one leaf to the sums of the responses."""
    if times is None:
        sums[rows] += weights
        return
    mean = float(counts[rows] * times[rows] @ weights) / float(counts.sum())
    sums[rows] += times[rows] * weights
    sums += mean * (1 - times)


def fewest_at_leaves(responses: Responses, tree: Tree, target: str) -> int:
    """Return the smallest number of respondents who were asked the class and the questions on a leaf's path."""
    walk = Walk(responses)
    return min(int(walk.asked(asked, target).sum()) for asked in questions_of_leaves(tree))


def most_stood_for(responses: Responses, tree: Tree, target: str) -> float:
    """Return the largest number of people that a respondent represents at a leaf, or 1 if all are asked everything."""
    if responses.survey.sampling is None:
        return 1.0
    return len(responses) / max(1, fewest_at_leaves(responses, tree, target))


def largest_sum_at_leaves(survey: Survey, tree: Tree, target: str) -> float:
    """Return the largest sum of absolute weights of one response over the leaves and classes of a tree.

    Raises:
        QueryError: If the target is not a question.
    """
    paths = questions_of_leaves(tree)
    longest = (each for each in paths if not any(each < other for other in paths))
    names = ([survey.questions[column].name for column in sorted(each)] for each in longest)
    return max(largest_sum(survey, each, target) for each in names)


def questions_of_leaves(tree: Tree) -> set[frozenset[int]]:
    """Return the sets of questions on the paths to leaves, as column indices of the survey."""
    children, found, waiting = tree.children(), set(), [(0, frozenset[int]())]
    while waiting:
        node, above = waiting.pop()
        question = int(tree.question[node])
        if question == LEAF:
            found.add(above)
        else:
            waiting += [(kid, above | {question}) for kid in dict.fromkeys(children[node])]
    return found


def leaf_weights(
    responses: Responses, tree: Tree, target: str, place: NDArray[np.intp], counts: Floats | None = None
) -> Floats:
    """Return the weight of each response for each class, summed over the leaves with the same number in `place`.

    Args:
        responses: Disguised responses.
        tree: Any tree for the survey of the responses.
        target: Name of the class question, which may be disguised or not.
        place: Position (from 0) at which each leaf is summed, shape (nodes of the tree,).
        counts: Number of equal responses that each row represents, or None if each row is one response.

    Returns:
        Weights, shape (responses, positions, classes). The weights of each response sum to 1. In a split questionnaire,
        the weights of a response sum to 1 only on average over responses.

    Raises:
        QueryError: If the target is not a question, or no respondent was asked all questions on the path to a leaf.
    """
    counted = np.ones(len(responses)) if counts is None else counts
    classes = len(responses.survey.question(target).values)
    weights = np.zeros((len(responses), int(place.max()) + 1, classes))
    for node, path, walk in _arrivals(responses, tree):
        for label in range(classes):
            rows, ended = walk.ended(path, target, label)
            times = walk.stand_for(path, target, counted)
            _add(weights[:, place[node], label], rows, ended, times, counted)
    return weights


def _arrivals(responses: Responses, tree: Tree) -> Iterator[tuple[int, Path, "Walk"]]:
    """Yield each leaf that any response reaches with a weight other than 0, with its path."""
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
    """Walk down a tree with all responses of a node together."""

    def __init__(self, responses: Responses) -> None:
        self._survey, self._responses = responses.survey, responses
        survey = responses.survey
        self._codes = np.asfortranarray(responses.codes)
        self._groups = [survey.group_of(question.name) for question in survey.questions]
        self._home = [-1 if group is None else survey.groups.index(group) for group in self._groups]
        self._signed = [signed_weights(survey, group, responses.asked) for group in survey.groups]
        self._tables: dict[int, tuple[Floats, Floats]] = {}

    def steps(self, path: Path, question: int, children: list[int]) -> list[tuple[int, Path]]:
        """Return the children of a node that any response reaches with a weight other than 0, with their paths."""
        kids = np.array(children)
        found = [(kid, self.step(path, question, kids == kid)) for kid in dict.fromkeys(children)]
        return [(kid, step) for kid, step in found if len(step.rows)]

    def ended(self, path: Path, target: str, label: int) -> tuple[Positions, Floats]:
        """Return the responses with a weight other than 0 on the path and in a class, with their weights.

        Raises:
            QueryError: If the target is not a question.
        """
        question = self._survey.question(target)
        step = self.step(path, self._survey.questions.index(question), np.arange(len(question.values)) == label)
        return step.rows, self.weights(step)

    def asked(self, questions: Collection[int], target: str) -> Matches:
        """Return whether each respondent was asked all given questions and the class question, shape (responses,)."""
        return self._responses.asked_all([target, *(self._survey.questions[each].name for each in questions)])

    def stand_for(self, path: Path, target: str, counts: Floats) -> Floats | None:
        """Return how many respondents each respondent represents at the end of a path.

        If m of n respondents were asked all questions of the path, each of them represents n / m respondents, and
        others 0.

        Returns:
            Numbers of shape (responses,), or None if all respondents are asked all questions.

        Raises:
            QueryError: If no respondent was asked all questions of the path.
        """
        if self._survey.sampling is None:
            return None
        asked = self.asked(path.admitted, target)
        m = float(counts[asked].sum())
        if not m:
            names = [target, *(self._survey.questions[each].name for each in path.admitted)]
            raise self._responses.never_asked(names)
        return np.where(asked, float(counts.sum()) / m, 0.0)

    def step(self, path: Path, question: int, wanted: Matches) -> Path:
        """Return a path with one more condition: the question has one of the values flagged in `wanted`.

        The array `wanted` has one flag for each value of the question, shape (values,).

        Respondents who were not asked the new condition's question are removed from the path.
        """
        admitted = {**path.admitted, question: path.admitted.get(question, True) & wanted}
        home = self._home[question]
        there = self._responses.asked[path.rows, question]
        if home < 0:
            weights = self._counts(question)[0] @ admitted[question]
            some = np.flatnonzero(weights[self._codes[path.rows, question]] * there)
            return self._among(replace(path, admitted=admitted), some)
        touched = {asked: self._counts(asked) for asked in admitted if self._home[asked] == home}
        tables = {each: (own @ admitted[each], other @ admitted[each]) for each, (own, other) in touched.items()}
        kept, replaced = (each[path.rows] if isinstance(each, np.ndarray) else each for each in self._signed[home])
        factor = event_weights(tables, (kept, replaced), self._codes[path.rows])
        path = Path(path.rows, {**path.parts, home: factor}, admitted)
        return self._among(path, np.flatnonzero(factor * there))

    def _counts(self, question: int) -> tuple[Floats, Floats]:
        """Return the weights of codes, and the mean weights of their replacements, shape (codes, values)."""
        if question not in self._tables:
            self._tables[question] = code_weights(self._groups[question], self._survey.questions[question])
        return self._tables[question]

    @staticmethod
    def weights(path: Path) -> Floats:
        """Return the product weight of each response on the path."""
        return np.asarray(prod(path.parts.values(), start=np.ones(len(path.rows))))

    @staticmethod
    def _among(path: Path, some: Positions) -> Path:
        if len(some) == len(path.rows):
            return path
        return Path(path.rows[some], {home: factor[some] for home, factor in path.parts.items()}, path.admitted)
