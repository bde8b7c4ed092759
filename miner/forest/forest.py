"""Represent a trained forest: the tests and predictions of its trees, their vote, and conversion to and from JSON."""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from collector.errors import ModelError
from collector.survey.fields import Fields
from collector.survey.survey import Survey
from miner.forest.growth import grow_tree
from miner.forest.kernels import Words
from miner.forest.packing import BinaryTests
from miner.forest.records import LEAF, Channels, Rules, Table
from miner.forest.voting import doubled, vote_sums
from miner.learnt import AGAIN, numbers
from miner.responses.responses import Values
from miner.trees.criteria import forest_importances, impurities
from miner.trees.tree import probable

TREES = 13  # number of trees that one thread evaluates at a time
ROWS = 2**17  # number of rows that are voted on together; more would need too much memory for votes


@dataclass(frozen=True, eq=False, repr=False)
class Forest:
    """Trained forest of trees with binary tests.

    Attributes:
        tests: Tests that the trees ask.
        begin: Index of the first node of each tree, shape (trees + 1,).
        test: Index of the test that a node asks, or -1 for a leaf, shape (nodes,).
        child: Index of the child for rows that fail the node's test, counted from the root of the tree, shape (nodes,).
            Rows that pass a node's test go to the next node in the array.
        counts: Estimated class counts, shape (nodes, classes).
        probabilities: Predicted class probabilities, shape (nodes, classes).
    """

    tests: BinaryTests
    begin: NDArray[np.int64]
    test: NDArray[np.int32]
    child: NDArray[np.int32]
    counts: NDArray[np.float32]
    probabilities: NDArray[np.float32]

    @classmethod
    def grown(
        cls, tests: BinaryTests, packed: tuple[Table, Channels], rules: Rules, seeds: Words, jobs: int | None = None
    ) -> Self:
        """Grow one tree for each seed, on a given number of threads or on all processors.

        The forest does not depend on the number of threads.
        """
        with ThreadPoolExecutor(jobs or os.cpu_count()) as threads:
            trees = list(threads.map(lambda seed: grow_tree(*packed, rules, seed), seeds))
        begin = np.cumsum([0, *(len(nodes) for nodes, _ in trees)]).astype(np.int64)
        test, child = (np.concatenate([nodes[field] for nodes, _ in trees]) for field in ("test", "child"))
        values = np.concatenate([values for _, values in trees])
        return cls(tests, begin, test, child, values[:, : rules.classes], values[:, rules.classes :])

    def __len__(self) -> int:
        return len(self.begin) - 1

    def __repr__(self) -> str:
        return f"<Forest: {len(self)} trees of {len(self.test)} nodes in all>"

    def counting(self, people: float) -> Self:
        """Return the forest with the counts of each tree scaled to the given total number of people."""
        sizes, roots = np.diff(self.begin), self.counts[self.begin[:-1]].sum(axis=1, dtype=np.float64)
        factors = np.repeat((people / roots).astype(np.float32), sizes)
        return replace(self, counts=self.counts * factors[:, np.newaxis])

    def vote(self, values: Values, *, hard: bool) -> NDArray[np.float64]:
        """Return the mean over trees of predicted probabilities or of predicted classes, shape (rows, classes).

        Args:
            values: Value indices, shape (rows, questions of the survey). The column of the class question is not read.
            hard: Whether every tree votes for a single class, the first of equally probable classes.
        """
        starts, words, _ = self._doubled
        says = self._choices if hard else self._predictions
        rows, place = _distinct(self.tests.outcomes(values))

        every = np.empty((rows.shape[1], self.probabilities.shape[1]))
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            for first in range(0, rows.shape[1], ROWS):
                some = np.ascontiguousarray(rows[:, first : first + ROWS])
                parts = [
                    threads.submit(vote_sums, some, starts[tree : tree + TREES + 1], words, says)
                    for tree in range(0, len(self), TREES)
                ]
                shares = np.sum([part.result() for part in parts], axis=0) / len(self)
                every[first : first + ROWS] = np.column_stack([shares, 1.0 - shares.sum(axis=1)])
        vote: NDArray[np.float64] = every[place]
        return vote

    def importances(self, questions: int) -> NDArray[np.float64]:
        """Return the decrease in impurity by the splits on each question, shape (trees, questions of the survey)."""
        counts, shares = self.counts.astype(np.float64), self.probabilities.astype(np.float64)
        asked = np.where(self.test == LEAF, LEAF, self.tests.question[self.test]) if len(self.tests) else self.test
        nodes = np.column_stack([counts.sum(axis=1), impurities(counts, shares)])
        return forest_importances(self.begin, asked, self.child, nodes, questions)

    @cached_property
    def _doubled(self) -> tuple[Words, Words, NDArray[np.int32]]:
        return doubled(self.begin, self.test, self.child)

    @cached_property
    def _predictions(self) -> NDArray[np.float32]:
        return np.ascontiguousarray(self.probabilities[self._doubled[2], :-1])

    @cached_property
    def _choices(self) -> NDArray[np.float32]:
        choices = self.probabilities[self._doubled[2]].argmax(axis=1)
        return np.eye(self.probabilities.shape[1], dtype=np.float32)[choices, :-1]

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values: the forest's tests, and the tests, children and predictions of its nodes."""
        return {
            "tests": [
                {"question": int(question), "values": np.flatnonzero(passes).tolist()}
                for question, passes in zip(self.tests.question, self.tests.passes, strict=True)
            ],
            "trees": [
                {
                    "test": self.test[start:stop].tolist(),
                    "child": self.child[start:stop].tolist(),
                    "counts": self.counts[start:stop].tolist(),
                    "probabilities": self.probabilities[start:stop].tolist(),
                }
                for start, stop in zip(self.begin[:-1], self.begin[1:], strict=True)
            ],
        }

    @classmethod
    def from_json(cls, document: object, survey: Survey, target: str) -> Self:
        """Read a forest from JSON values, and check all of them.

        Raises:
            DeniableError: If the values are not a forest for this survey and class question.
        """
        given, classes = Fields(document, "forest"), len(survey.question(target).values)
        parts = [cls._read(Fields(each, "forest, tree"), classes) for each in given.take_list("trees", dict)]
        if not parts:
            raise ModelError("forest", "the forest has no tree", AGAIN)
        test, child, counts, probabilities = (np.concatenate(each) for each in zip(*parts, strict=True))
        begin = np.cumsum([0, *(len(part[0]) for part in parts)]).astype(np.int64)
        forest = cls(BinaryTests.of(survey, target), begin, test, child, counts, probabilities)
        if forest.to_json()["tests"] != given.take("tests", list) or forest.contradictory:
            raise ModelError("forest", "the parts of the forest do not fit the survey or each other", AGAIN)
        return forest

    @staticmethod
    def _read(tree: Fields, classes: int) -> list[NDArray[Any]]:
        test = numbers(tree, "test", (None,), np.int32)
        nodes = len(test)
        child = numbers(tree, "child", (nodes,), np.int32)
        return [test, child, *(numbers(tree, key, (nodes, classes), np.float32) for key in ("counts", "probabilities"))]

    @property
    def contradictory(self) -> bool:
        """Return whether the arrays have a defect that would make predictions fail or never end."""
        sizes = np.diff(self.begin)
        if (sizes < 1).any() or not probable(self.probabilities):
            return True
        place = np.arange(len(self.test)) - np.repeat(self.begin[:-1], sizes)
        later = (self.child > place) & (self.child + 1 < np.repeat(sizes, sizes))
        known = (self.test >= LEAF) & (self.test < len(self.tests))
        return not (known & (later | (self.test == LEAF))).all()


def _distinct(rows: Words) -> tuple[Words, NDArray[np.intp]]:
    """Merge equal rows, and return the distinct rows with the index of each row among them.

    Rows with similar paths through the trees are neighbours.
    """
    if len(rows) > 1:
        return rows, np.arange(rows.shape[1])
    distinct, place = np.unique(rows[0], return_inverse=True)
    return distinct[None, :], place
