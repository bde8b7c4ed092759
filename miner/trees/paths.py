"""The product weights of responses at all leaves of a tree; paths share common factors, and empty paths end early.

A path is a conjunction (`miner.weights.weights` has the formulas). For each response and each group on the path, two
numbers are kept on the way down: the weight of the response if the group was sent truthfully, and the weight of a
replacement.

In a split questionnaire, a leaf is estimated from the m of n respondents who were asked all questions on its path and
the target. Each of the m represents n / m respondents: with p the mean weight among the m, the term of an asked
respondent is ``p + (n / m) (weight - p)``, and the term of any other is p. The mean of the terms over all responses,
summed over leaves, is the sum of the p, and the variance of the terms is, to first order, n times the variance of that
sum.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from miner.arrays import Floats, Positions
from miner.channels.registry import arrays_of, drawn_groups, partner_codes
from miner.responses.responses import Responses, codes_of_values, values_of_codes
from miner.trees.tree import LEAF, Tree
from miner.weights.events import membership
from miner.weights.layout import value_odds
from miner.weights.weights import signed_weights

Matches = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Path:
    """The responses with a weight other than 0 on a path from the root to a node.

    Attributes:
        rows: Row numbers of these responses.
        parts: For each group on the path: the weight of the codes as sent, shape (rows,), and the weight of a
            replacement, shape (rows,), or one number for all rows where replacements do not depend on the truth.
        admitted: For each question on the path, whether it admits each value: shape (values,).
    """

    rows: Positions
    parts: dict[int, tuple[Floats, Any]]
    admitted: dict[int, Matches]

    @classmethod
    def at_root(cls, responses: int) -> Self:
        """The empty path: all responses, at the root."""
        return cls(np.arange(responses), {}, {})


def right_weights(responses: Responses, tree: Tree, target: str, counts: Floats | None = None) -> Floats:
    """The sum over leaves of W(path and class = the leaf's label), for each response.

    Args:
        responses: Disguised responses.
        tree: Any tree for their survey.
        target: Name of the class question, disguised or not.
        counts: Number of equal responses that each row represents; one each if None.

    Returns:
        Shape (responses,). The mean is unbiased for the accuracy of the tree on the true answers.

    Raises:
        QueryError: If the target is no question, or no respondent was asked all questions on the path to a leaf.
    """
    label, counted = tree.label, np.ones(len(responses)) if counts is None else counts
    sums = np.zeros(len(responses))
    for node, path, walk in _arrivals(responses, tree):
        rows, weights = walk.ended(path, target, int(label[node]))
        _add(sums, rows, weights, walk.stand_for(path, target, counted), counted)
    return sums


def _add(sums: Floats, rows: Positions, weights: Floats, times: Floats | None, counts: Floats) -> None:
    """Add the terms of one leaf, given how many respondents each asked one represents; None if all were asked."""
    if times is None:
        sums[rows] += weights
        return
    mean = float(counts[rows] * times[rows] @ weights) / float(counts.sum())
    sums[rows] += times[rows] * weights
    sums += mean * (1 - times)


def fewest_at_leaves(responses: Responses, tree: Tree, target: str) -> int:
    """The smallest number of respondents, over leaves, who were asked the target and all questions on the path."""
    walk = Walk(responses)
    return min(int(walk.asked(asked, target).sum()) for asked in questions_of_leaves(tree))


def most_stood_for(responses: Responses, tree: Tree, target: str) -> float:
    """The largest number of respondents that one represents at a leaf; 1 if all respondents are asked all questions."""
    if responses.survey.sampling is None:
        return 1.0
    return len(responses) / max(1, fewest_at_leaves(responses, tree, target))


def questions_of_leaves(tree: Tree) -> set[frozenset[int]]:
    """The sets of questions on the paths to leaves, as columns of the survey."""
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
    """W(path and class) for each response and class, summed over the leaves that have the same place.

    Args:
        responses: Disguised responses.
        tree: Any tree for their survey.
        target: Name of the class question, disguised or not.
        place: Shape (nodes of the tree,): index from 0 under which each leaf is summed.
        counts: How many responses each of these stands for; one each if None.

    Returns:
        Shape (responses, places, classes). They sum to 1 for each response; in a split questionnaire, on average over
        responses.

    Raises:
        QueryError: If the target is no question, or no respondent was asked all questions on the path to a leaf.
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
    """Each leaf at which some response has a weight other than 0, with its path."""
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
    """Steps from a node to a child, computed for all responses at the node together."""

    def __init__(self, responses: Responses) -> None:
        self._survey, self._responses = responses.survey, responses
        survey = responses.survey
        self._values = np.asfortranarray(values_of_codes(survey.questions, responses.codes))
        partners = values_of_codes(survey.questions, partner_codes(survey, responses.codes))
        self._partners = np.asfortranarray(partners)
        homes = {name: number for number, group in enumerate(survey.groups) for name in group.questions}
        self._home = [homes.get(question.name) for question in survey.questions]
        self._arrays = [arrays_of(group.channel.replacement) for group in survey.groups]
        self._drawn, self._odds = drawn_groups(survey), value_odds(survey)
        self._signed = [signed_weights(survey, group, responses.asked) for group in survey.groups]

    def steps(self, path: Path, question: int, children: list[int]) -> list[tuple[int, Path]]:
        """The children of a node at which some response has a weight other than 0, with their paths."""
        kids = np.array(children)
        found = [(kid, self.step(path, question, kids == kid)) for kid in dict.fromkeys(children)]
        return [(kid, step) for kid, step in found if len(step.rows)]

    def ended(self, path: Path, target: str, label: int) -> tuple[Positions, Floats]:
        """Responses of each class with a weight other than 0 on the path, and W(path and class) of each.

        Raises:
            QueryError: If the target is no question.
        """
        question = self._survey.question(target)
        step = self.step(path, self._survey.questions.index(question), np.arange(len(question.values)) == label)
        return step.rows, self.weights(step)

    def asked(self, questions: Collection[int], target: str) -> Matches:
        """Shape (responses,): whether the respondent was asked all of these questions and the target."""
        return self._responses.asked_all([target, *(self._survey.questions[each].name for each in questions)])

    def stand_for(self, path: Path, target: str, counts: Floats) -> Floats | None:
        """Numbers of respondents that each represents at the end of a path: n / m if asked all its questions, else 0.

        Returns:
            Shape (responses,); None if all respondents are asked all questions.

        Raises:
            QueryError: If no respondent was asked all of them.
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
        """The path with one more condition: the question has a wanted value, shape (values,).

        Respondents who were not asked the question are removed.
        """
        admitted = {**path.admitted, question: path.admitted.get(question, True) & wanted}
        padded = np.append(wanted, False)  # the index of `NOT_ASKED`
        fits = padded[self._values[path.rows, question]]
        home = self._home[question]
        if home is None:
            return self._among(replace(path, admitted=admitted), np.flatnonzero(fits))
        own, other = path.parts.get(home, (np.ones(len(path.rows)), 1.0))
        touched = {asked: some for asked, some in admitted.items() if self._home[asked] == home}
        if any(self._survey.questions[asked].coding.shared for asked in touched):
            own = self._read(path.rows, touched)
        else:
            own = own * fits
        if self._drawn[home]:
            other = prod(self._replaced(path.rows, home, asked, each) for asked, each in touched.items())
        else:
            other = other * padded[self._partners[path.rows, question]]
        path = Path(path.rows, {**path.parts, home: (own, other)}, admitted)
        there = self._responses.asked[path.rows, question]
        return self._among(path, np.flatnonzero(self._factor(path, home) * there))

    def _read(self, rows: Positions, admitted: Mapping[int, Matches]) -> Floats:
        """Weights of responses for these values of questions of one group; a code may stand for several values."""
        read = np.ones(len(rows))
        for question, some in admitted.items():
            read *= self._counted(question, np.asarray(some))[self._responses.codes[rows, question]]
        return read

    def _replaced(self, rows: Positions, home: int, question: int, admitted: Matches) -> Any:  # noqa: ANN401 - see `Path`
        """The mean weight of a replacement: one number if it does not depend on the truth, else shape (rows,)."""
        arrays, asked = self._arrays[home], self._survey.questions[question]
        odds = self._odds[question, : len(admitted)]
        if not arrays.depends_on_truth and not asked.coding.shared:
            return float(odds @ admitted) / float(odds.sum())
        means = arrays.means(asked, self._counted(question, admitted))
        return means[self._responses.codes[rows, question]] if arrays.depends_on_truth else float(means[asked.codes[0]])

    def _counted(self, question: int, admitted: Matches) -> Floats:
        asked = self._survey.questions[question]
        return membership(asked, codes_of_values(asked, np.flatnonzero(admitted).tolist()))

    def weights(self, path: Path) -> Floats:
        """W of the path for each of its responses."""
        weights = np.ones(len(path.rows))
        for home in path.parts:
            weights *= self._factor(path, home)
        return weights

    def _factor(self, path: Path, home: int) -> Floats:
        kept, replaced = (each[path.rows] if isinstance(each, np.ndarray) else each for each in self._signed[home])
        own, other = path.parts[home]
        return np.asarray(kept * own + replaced * other)

    @staticmethod
    def _among(path: Path, some: Positions) -> Path:
        if len(some) == len(path.rows):
            return path
        parts = {
            home: (own[some], other[some] if isinstance(other, np.ndarray) else other)
            for home, (own, other) in path.parts.items()
        }
        return Path(path.rows[some], parts, path.admitted)
