"""Represent a classification tree by arrays: question, children, estimated counts and predictions of each node.

A split (multiway, by a threshold, or by a subset) is a map from the values of a question to children. Arrays of true
values have columns in the survey's question order.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from collector.conditions.language import written
from collector.errors import ModelError
from collector.survey.fields import Fields
from collector.survey.question import Question
from collector.survey.survey import Survey
from miner.learnt import AGAIN, numbers, numbers_of

LEAF = -1
LEAST_SIZE = 1e-3  # smallest size of a leaf in a weighted mean of predictions
ROUNDED = 1e-3  # largest distance of a node's sum of probabilities from 1, due to 32-bit numbers
Event = dict[int, frozenset[int]]
"""A conjunction: for each question index it touches, the value indices that belong to it."""


@dataclass(frozen=True)
class Leaf:
    """Leaf of a tree, with its path and prediction.

    Attributes:
        node: Index of the leaf in its tree.
        event: Conjunction of the conditions on the path.
        label: Index of the predicted class.
    """

    node: int
    event: Event
    label: int


@dataclass(frozen=True, eq=False, repr=False)
class Tree:
    """Classification tree whose nodes are in breadth-first or depth-first order, each child after its parent.

    Attributes:
        question: Index of the question that the node splits on, or -1 for a leaf, shape (nodes,).
        offset: Index in `child` of the node's first entry, or 0 for a leaf, shape (nodes,).
        child: Index of the child node for each value of a node's question, node after node.
        counts: Estimated class counts, which may be negative, shape (nodes, classes).
        probabilities: Predicted class probabilities, shape (nodes, classes). The probabilities of each node sum to 1.
    """

    question: NDArray[np.int32]
    offset: NDArray[np.int32]
    child: NDArray[np.int32]
    counts: NDArray[np.float64]
    probabilities: NDArray[np.float64]

    def __repr__(self) -> str:
        return f"<Tree: {len(self.question)} nodes, {(self.question < 0).sum()} of them leaves>"

    @classmethod
    def of(
        cls,
        question: Sequence[int],
        children: Sequence[Sequence[int]],
        counts: NDArray[np.float64],
        probabilities: NDArray[np.float64],
    ) -> Self:
        """Make a tree from a list of children for each node.

        A node has a list with a child for each value of its question. A leaf has an empty list of children.

        Raises:
            ValueError: If a node without a question has children, or a node with a question has none.
        """
        if [each == LEAF for each in question] != [not each for each in children]:
            raise ValueError("a leaf has children, or another node has none")
        lengths = [len(each) for each in children]
        offset = np.cumsum([0, *lengths[:-1]], dtype=np.int32) * (np.array(lengths) > 0)
        flat = [node for each in children for node in each]
        return cls(
            np.array(question, np.int32), offset.astype(np.int32), np.array(flat, np.int32), counts, probabilities
        )

    def __len__(self) -> int:
        return len(self.question)

    @property
    def label(self) -> NDArray[np.intp]:
        """Return the index of each node's predicted class, shape (nodes,).

        Of several equally probable classes, the first is predicted.
        """
        label: NDArray[np.intp] = self.probabilities.argmax(axis=1)
        return label

    def apply(self, values: NDArray[np.int16]) -> NDArray[np.int32]:
        """Return the index of the node that each row of true values reaches, shape (rows,).

        Args:
            values: Value indices in question order, shape (rows, questions of the survey). Rows with an unknown value
                (-1) stop at the node that splits on it.
        """
        node = np.zeros(len(values), np.int32)
        moving = np.flatnonzero(self.question[node] != LEAF)
        while len(moving):
            value = values[moving, self.question[node[moving]]]
            moving, value = moving[value >= 0], value[value >= 0]
            node[moving] = self.child[self.offset[node[moving]] + value]
            moving = moving[self.question[node[moving]] != LEAF]
        return node

    def predict(self, values: NDArray[np.int16]) -> NDArray[np.intp]:
        """Return the index of the predicted class of each row of true values.

        For the argument `values`, see `apply`.
        """
        label: NDArray[np.intp] = self.label[self.apply(values)]
        return label

    def predict_proba(self, values: NDArray[np.int16]) -> NDArray[np.float64]:
        """Return predicted probabilities, shape (rows, classes). For the argument `values`, see `apply`."""
        probabilities: NDArray[np.float64] = self.probabilities[self.apply(values)]
        return probabilities

    def leaves(self) -> list[Leaf]:
        """Return all leaves with the conditions on their paths, in depth-first order."""
        label = self.label
        return [Leaf(node, event, int(label[node])) for node, event, _ in self.walk() if self.question[node] == LEAF]

    def walk(self) -> Iterator[tuple[int, Event, int]]:
        """Return all nodes with the conditions on their paths and their depths, in depth-first order.

        Children of a node are in the order of their first values.
        """
        children = self.children()
        stack: list[tuple[int, Event, int]] = [(0, {}, 0)]
        while stack:
            node, event, depth = stack.pop()
            yield node, event, depth
            question = int(self.question[node])
            for child in reversed(dict.fromkeys(children[node])):
                values = frozenset(value for value, each in enumerate(children[node]) if each == child)
                stack.append(
                    (child, {**without(event, question), question: values & event.get(question, values)}, depth + 1)
                )

    def children(self) -> list[list[int]]:
        """Return the child of each node for each value of the node's question.

        Several values of a question may lead to one child. A leaf has an empty list of children.
        """
        splits = np.flatnonzero(self.question != LEAF)
        parts = np.split(self.child, self.offset[splits][1:]) if len(splits) else []
        children: list[list[int]] = [[] for _ in range(len(self))]
        for node, part in zip(splits, parts, strict=True):
            children[node] = [int(each) for each in part]
        return children

    def summed(self, amounts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum numbers over the leaves below each node.

        The numbers and the sums have shape (nodes, columns).
        """
        sums = amounts.copy()
        for node, children in reversed(list(enumerate(self.children()))):
            if children:
                sums[node] += sums[sorted(set(children))].sum(axis=0)
        return sums

    def cut(self, nodes: Collection[int]) -> Self:
        """Return the tree with some nodes turned into leaves."""
        children = [[] if node in nodes else kids for node, kids in enumerate(self.children())]
        left = [0]
        for node in left:
            left += dict.fromkeys(children[node])
        left.sort()
        place = {node: number for number, node in enumerate(left)}
        return self.of(
            [LEAF if node in nodes else int(self.question[node]) for node in left],
            [[place[kid] for kid in children[node]] for node in left],
            self.counts[left],
            self.probabilities[left],
        )

    def answered(self, question: int, value: int) -> Self:
        """Return the tree for people with one known answer, without splits on its question."""
        children = self.children()
        known = {node: children[node][value] for node in np.flatnonzero(self.question == question).tolist()}
        end = list(range(len(self)))
        for node in reversed(range(len(self))):
            end[node] = end[known[node]] if node in known else node
        asked = [LEAF if node in known else int(each) for node, each in enumerate(self.question)]
        kids = [[end[kid] for kid in ([] if node in known else each)] for node, each in enumerate(children)]
        asked[0], kids[0] = asked[end[0]], kids[end[0]]
        counts, probabilities = self.counts.copy(), self.probabilities.copy()
        counts[0], probabilities[0] = counts[end[0]], probabilities[end[0]]
        return type(self).of(asked, kids, counts, probabilities).cut(())

    def merged(self) -> Self:
        """Return the tree as people read it: with the same predictions, and without splits that change none of them.

        Answers that lead to the same predictions share a child, also where the predictions are those of a whole subtree
        or follow a second split on the same question. A node with a single child left gives way to this child. Merged
        nodes add their counts, and their probabilities are averaged.
        """
        children = self.children()
        top = _merged(self, children, 0, {})
        asked, kids, counts, probabilities = [], [], [], []
        nodes = [top]
        for node in nodes:
            asked.append(node.question)
            places = dict.fromkeys(range(len(children[node.node])), len(nodes))  # also for values that cannot occur
            for place, (values, below) in enumerate(node.below, start=len(nodes)):
                places |= dict.fromkeys(values, place)
                nodes.append(below)
            kids.append([place for _, place in sorted(places.items())] if node.below else [])
            counts.append(node.counts)
            probabilities.append(node.probabilities)
        return self.of(asked, kids, np.array(counts), np.array(probabilities))

    def counting(self, people: float) -> Self:
        """Return the tree with its counts scaled to the given total. The tree's counts must have a total above 0."""
        return replace(self, counts=self.counts * (people / self.counts[0].sum()))

    @property
    def depth(self) -> int:
        """Return the number of splits on the longest path."""
        return max(depth for _, _, depth in self.walk())

    def rules(self, survey: Survey, target: str) -> list[str]:
        """Return a rule for each leaf of the merged tree: ``year = first and cannabis = yes -> distress = no``."""
        values, leaves = survey.question(target).values, self.merged().leaves()
        return [f"{event_text(survey, leaf.event)} -> {target} = {values[leaf.label]}" for leaf in leaves]

    def show(self, survey: Survey, target: str) -> str:
        """Return the merged tree as indented text: conditions, predicted values, their probabilities, estimated counts.

        Estimated counts below 1 are not shown.
        """
        values, tree = survey.question(target).values, self.merged()
        label = tree.label
        lines = []
        for node, event, depth in tree.walk():
            last = {key: event[key] for key in list(event)[-1:]}
            condition = event_text(survey, last)
            text = f"{'  ' * depth}{condition}"
            if tree.question[node] == LEAF:
                share = tree.probabilities[node, label[node]]
                text += f": {values[label[node]]} ({share:.2f} of {count_text(tree.counts[node].sum())})"
            lines.append(text)
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """Return the tree as plain JSON values, with one list entry per node."""
        return {
            "question": self.question.tolist(),
            "children": self.children(),
            "counts": self.counts.tolist(),
            "probabilities": self.probabilities.tolist(),
        }

    @classmethod
    def from_json(cls, document: object, survey: Survey, target: str) -> Self:
        """Read a tree from JSON values, and check all of them.

        Raises:
            DeniableError: If the values are not a tree for this survey and class question.
        """
        given, classes = Fields(document, "tree"), len(survey.question(target).values)
        question = numbers(given, "question", (None,), np.int32)
        counts, probabilities = (numbers(given, key, (len(question), classes)) for key in ("counts", "probabilities"))
        children = given.take_list("children", list)
        whole = [numbers_of(each, "tree, children", (None,), np.int32).tolist() for each in children]
        try:
            tree = cls.of(question.tolist(), whole, counts, probabilities)
        except ValueError:
            raise ModelError("tree", "the model does not contain a complete tree", AGAIN) from None
        if problem := tree.contradiction(survey):
            raise ModelError("tree", problem, AGAIN)
        return tree

    def contradiction(self, survey: Survey) -> str | None:
        """Describe the first defect that would make predictions fail or never end.

        Return None if the tree has no defect.
        """
        nodes, children = len(self), self.children()
        kinds = [len(question.values) for question in survey.questions]
        asked = [(int(question), kids) for question, kids in zip(self.question, children, strict=True)]
        checks = {
            "it has no node": nodes > 0,
            "a node asks what the survey does not": all(LEAF <= question < len(kinds) for question, _ in asked),
            "a node has not one child for each value": all(
                len(kids) == (0 if question == LEAF else kinds[question])
                for question, kids in asked
                if question < len(kinds)
            ),
            "a child does not come after its parent": all(
                node < child < nodes for node, (_, kids) in enumerate(asked) for child in kids
            ),
            "its predictions are no probabilities": probable(self.probabilities),
        }
        return next((problem for problem, holds in checks.items() if not holds), None)


@dataclass(frozen=True, eq=False)
class _Merged:
    """Node of a merged tree.

    Attributes:
        node: Index of a node of the whole tree with the same question.
        question: Index of the question that the node splits on, or -1 for a leaf.
        label: Index of the predicted class.
        below: Values that lead to each child, with the child. The children differ in what they predict.
    """

    node: int
    question: int
    label: int
    counts: NDArray[np.float64]
    probabilities: NDArray[np.float64]
    below: tuple[tuple[frozenset[int], "_Merged"], ...] = ()

    @property
    def predicts(self) -> object:
        """Return what tells nodes with different predictions apart."""
        if not self.below:
            return self.label
        return self.question, frozenset((values, each.predicts) for values, each in self.below)

    def joined(self, other: "_Merged") -> "_Merged":
        """Return this node together with another one that predicts the same."""
        sizes = np.maximum([self.counts.sum(), other.counts.sum()], LEAST_SIZE)
        probabilities = np.average([self.probabilities, other.probabilities], axis=0, weights=sizes)
        twins = dict(other.below)
        below = tuple((values, each.joined(twins[values])) for values, each in self.below)
        return replace(self, counts=self.counts + other.counts, probabilities=probabilities, below=below)


def _merged(tree: Tree, children: list[list[int]], node: int, event: Event) -> _Merged:
    """Return a node of a tree, merged for rows in which a conjunction holds."""
    question = int(tree.question[node])
    found = _Merged(node, question, int(tree.label[node]), tree.counts[node], tree.probabilities[node])
    if question == LEAF:
        return found
    groups: dict[object, tuple[frozenset[int], _Merged]] = {}
    for child in dict.fromkeys(children[node]):
        leading = frozenset(value for value, kid in enumerate(children[node]) if kid == child)
        values = leading & event.get(question, leading)
        if not values:
            continue
        below = _merged(tree, children, child, {**event, question: values})
        for part, each in below.below if below.question == question else [(values, below)]:
            before, twin = groups.get(each.predicts, (frozenset(), None))
            groups[each.predicts] = before | part, each if twin is None else twin.joined(each)
    if len(groups) == 1:
        return next(iter(groups.values()))[1]
    return replace(found, below=tuple(sorted(groups.values(), key=lambda each: min(each[0]))))


def probable(predicted: NDArray[np.floating]) -> bool:
    """Return whether each row of an array of shape (rows, classes) is a distribution, up to rounding."""
    return bool((predicted >= 0).all() and (np.abs(predicted.sum(axis=1) - 1) < ROUNDED).all())


def count_text(count: float) -> str:
    """Return an estimated count of people as text, or "too few to tell" if the count is below 1."""
    return f"{count:.1f}" if count >= 1 else "too few to tell"


def without(event: Event, question: int) -> Event:
    """Return a conjunction without its condition on one question."""
    return {key: values for key, values in event.items() if key != question}


def event_text(survey: Survey, event: Event) -> str:
    """Return a conjunction of conditions as text, such as ``year < third and cannabis = yes``."""
    return (
        " and ".join(_condition(survey.questions[index], sorted(wanted)) for index, wanted in event.items())
        or "everybody"
    )


def _condition(question: Question, wanted: Sequence[int]) -> str:
    """Return the condition that a question has one of the given values, as text.

    Neighbouring values of a scale are written as a threshold.
    """
    words = [written(question.values[value]) for value in wanted]
    if len(words) == 1:
        return f"{question.name} = {words[0]}"
    last = question.in_order - 1
    if wanted[-1] - wanted[0] != len(wanted) - 1 or wanted[-1] > last or len(wanted) > last:
        return f"{question.name} in ({', '.join(words)})"
    ends = [*map(written, question.values)] if question.kind != "number" else ["", *map(str, question.cuts)]
    parts = [f"{question.name} >= {ends[wanted[0]]}"] if wanted[0] > 0 else []
    return " and ".join(parts + ([f"{question.name} < {ends[wanted[-1] + 1]}"] if wanted[-1] < last else []))
