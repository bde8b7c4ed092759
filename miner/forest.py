"""Random Response Forest: many randomised trees on disguised responses, and their vote.

Szucs (2013) grows each tree on a bootstrap sample, looks at m random tests in every node, splits by the least Gini
impurity of the estimated counts, and lets the majority decide. The robust mode is ours: gains are corrected for what
noise alone would give, predictions lean on the parent's, and votes are soft.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from math import isqrt
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from collector.errors import ModelError, QueryError
from collector.survey import Survey
from miner.estimate import Estimate
from miner.forest_growth import grow_tree
from miner.forest_oob import out_of_bag
from miner.forest_records import LEAF, Channels, Rules, Table
from miner.forest_rows import draws_of
from miner.forest_voting import MOST_TESTS, doubled, outside_sums, vote_sums
from miner.kernels import Words
from miner.modal import ModalClassifier
from miner.modes import AUTO, FAITHFUL, ROBUST
from miner.packing import BinaryTests, packed_responses, packed_rows
from miner.responses import Codes, Responses, Values

DEEPEST = 2**30
TREES = 13  # that one thread asks at a time
SMALLEST_LEAF = 10.0  # the paper states none; chosen by benchmark test figures, which are thus no fair test of it


@dataclass(frozen=True, eq=False)
class Forest:
    """Trees of binary tests.

    Attributes:
        tests: That the trees ask.
        begin: Shape (trees + 1,): where each tree's nodes begin.
        test: Shape (nodes,): index of the test a node asks, -1 for a leaf.
        child: Shape (nodes,): the node for rows that fail, counted from the root; those that pass go to the next.
        counts: Shape (nodes, classes): estimated class counts.
        probabilities: Shape (nodes, classes): what is predicted there.
    """

    tests: BinaryTests
    begin: NDArray[np.int64]
    test: NDArray[np.int32]
    child: NDArray[np.int32]
    counts: NDArray[np.float32]
    probabilities: NDArray[np.float32]

    @classmethod
    def grown(cls, tests: BinaryTests, packed: tuple[Table, Channels], rules: Rules, seeds: Words) -> Self:
        """Grow one tree for each seed, on as many threads as there are processors; the same whatever their number."""
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            trees = list(threads.map(lambda seed: grow_tree(*packed, rules, seed), seeds))
        begin = np.cumsum([0, *(len(nodes) for nodes, _ in trees)]).astype(np.int64)
        test, child = (np.concatenate([nodes[field] for nodes, _ in trees]) for field in ("test", "child"))
        values = np.concatenate([values for _, values in trees])
        return cls(tests, begin, test, child, values[:, : rules.classes], values[:, rules.classes :])

    def __len__(self) -> int:
        return len(self.begin) - 1

    def vote(self, values: Values, *, hard: bool) -> NDArray[np.float64]:
        """The mean over trees of what they predict, or of their choices: shape (rows, classes).

        Args:
            values: Shape (rows, questions of the survey): value indices; the target's are not looked at.
            hard: Whether every tree votes for one class, among equals the first.
        """
        starts, words, _ = self._doubled
        says = self._choices if hard else self._predictions
        rows, place = _distinct(self.tests.outcomes(values))

        def sums(tree: int) -> NDArray[np.float64]:
            return vote_sums(rows, starts[tree : tree + TREES + 1], words, says)

        with ThreadPoolExecutor(os.cpu_count()) as threads:
            parts = list(threads.map(sums, range(0, len(self), TREES)))
        shares = np.sum(parts, axis=0) / len(self)
        every = np.column_stack([shares, 1.0 - shares.sum(axis=1)])
        vote: NDArray[np.float64] = every[place]
        return vote

    def vote_outside(self, values: Values, inside: NDArray[np.uint32], *, hard: bool) -> NDArray[np.float64]:
        """The votes of the trees that were not grown on a row, added up: shape (rows, classes).

        Args:
            values: As for `vote`.
            inside: Shape (trees, rows): how often each tree has drawn the row.
            hard: As for `vote`.
        """
        starts, words, origin = self._doubled
        says = self.probabilities[origin]
        if hard:
            says = np.eye(says.shape[1], dtype=np.float32)[says.argmax(axis=1)]
        return outside_sums(self.tests.outcomes(values), starts, words, says, inside)

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
        """Plain JSON values: the tests, and for each tree its nodes' tests, children and predictions."""
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
    def from_json(cls, document: Any, survey: Survey, target: str) -> Self:  # noqa: ANN401 - whatever JSON held
        """Read a forest back, trusting nothing in it.

        Raises:
            ModelError: If it is not a forest for this survey and target.
        """
        try:
            forest = cls._read(document, BinaryTests.of(survey, target))
        except (KeyError, TypeError, ValueError, OverflowError):
            raise ModelError("forest", "it does not hold the parts of a forest", "train the model again") from None
        if forest.to_json()["tests"] != document["tests"] or forest.contradictory(len(survey.question(target).values)):
            raise ModelError("forest", "its parts do not fit the survey or each other", "train the model again")
        return forest

    @classmethod
    def _read(cls, document: Any, tests: BinaryTests) -> Self:  # noqa: ANN401 - whatever JSON held
        trees = document["trees"]
        return cls(
            tests,
            np.cumsum([0, *(len(tree["test"]) for tree in trees)]).astype(np.int64),
            np.concatenate([np.array(tree["test"], np.int32) for tree in trees]),
            np.concatenate([np.array(tree["child"], np.int32) for tree in trees]),
            np.concatenate([np.array(tree["counts"], np.float32) for tree in trees]),
            np.concatenate([np.array(tree["probabilities"], np.float32) for tree in trees]),
        )

    def contradictory(self, classes: int) -> bool:
        """Whether predicting would fail or never end."""
        sizes, shape = np.diff(self.begin), (len(self.test), classes)
        if (sizes < 1).any() or self.counts.shape != shape or self.probabilities.shape != shape:
            return True
        if len(self.child) != len(self.test) or not np.isfinite(self.probabilities).all():
            return True
        place = np.arange(len(self.test)) - np.repeat(self.begin[:-1], sizes)
        later = (self.child > place) & (self.child + 1 < np.repeat(sizes, sizes))
        known = (self.test >= LEAF) & (self.test < len(self.tests))
        return not (known & (later | (self.test == LEAF))).all()


def _distinct(rows: Words) -> tuple[Words, NDArray[np.intp]]:
    """The distinct rows, in order, so that neighbours go the same ways; and which of them each row is."""
    if len(rows) > 1:
        return rows, np.arange(rows.shape[1])
    distinct, place = np.unique(rows[0], return_inverse=True)
    return distinct[None, :], place


class ForestClassifier(ModalClassifier):
    """Random Response Forest (Szucs 2013).

    Args:
        survey: The published design the responses were collected under.
        target: Name of the class question; the survey's own if None.
        mode: ``faithful`` (the paper's rules), ``robust`` (gains corrected for noise, soft votes), ``latent``
            (robust, on what a mixture holds for the truth), or ``auto``: which of the last two the responses advise.
        n_estimators: How many trees.
        max_features: BinaryTests looked at in each node; the square root of their number if None.
        max_depth: The longest path; None for no limit.
        min_samples_leaf: The smallest estimated count of a leaf; 10 if None.
        bootstrap: Whether each tree draws its responses with replacement.
        oob_score: Whether to estimate the accuracy from the responses that each tree has not drawn.
        random_state: A seed, a `numpy.random.Generator`, or None for a fresh one.

    Attributes:
        forest_: The `Forest`.
        oob_estimate_: The out-of-bag accuracy, if asked for: a `miner.estimate.Estimate`.
    """

    def __init__(  # noqa: PLR0913 - scikit-learn's manners: every parameter has a name
        self,
        survey: Survey,
        target: str | None = None,
        *,
        mode: str = AUTO,
        n_estimators: int = 100,
        max_features: int | None = None,
        max_depth: int | None = None,
        min_samples_leaf: float | None = None,
        bootstrap: bool = True,
        oob_score: bool = False,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        super().__init__(survey, target)
        self.mode = mode
        self.n_estimators = n_estimators
        self.max_features = max_features
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.random_state = random_state

    def _learn_codes(self, codes: Codes, target: str) -> None:
        tests = BinaryTests.of(self.survey, target)
        seeds = self._grow(tests, packed_responses(self.survey, codes, target, tests), target)
        if self.oob_score:
            self.oob_estimate_ = self._out_of_bag(Responses(self.survey, codes), seeds, target)

    def _learn_rows(self, values: Values, weights: NDArray[np.float64], responses: int, target: str) -> None:
        if self.oob_score:
            raise QueryError("oob_score", "the mixture has seen every response", "test on responses kept out")
        tests = BinaryTests.of(self.survey, target)
        self._grow(tests, packed_rows(self.survey, values, target, tests, (weights, responses)), target)

    def _grow(self, tests: BinaryTests, packed: tuple[Table, Channels], target: str) -> Words:
        if len(tests) > MOST_TESTS:
            raise ModelError("forest", f"the questions allow more than {MOST_TESTS} tests", "ask fewer values")
        rules = self._rules(tests, packed[1], len(self.survey.question(target).values))
        seeds = np.random.default_rng(self.random_state).integers(2**64, size=self.n_estimators, dtype=np.uint64)
        self.forest_ = Forest.grown(tests, packed, rules, seeds)
        return seeds

    def _out_of_bag(self, responses: Responses, seeds: Words, target: str) -> Estimate:
        """Each response is judged, in its signed copies, by the trees that have not drawn it; none: it is left out."""
        if not self.bootstrap:
            raise QueryError("oob_score", "without bootstrap no response is out of bag", "set bootstrap to True")
        hard = self.choice_.mode == FAITHFUL
        inside = draws_of(seeds, len(responses))
        return out_of_bag(
            lambda rows, drawn: self.forest_.vote_outside(rows, drawn, hard=hard), responses, inside, target
        )

    @property
    def _grown(self) -> dict[str, Any]:
        return {"forest": self.forest_.to_json()}

    def _restore_grown(self, learnt: dict[str, Any], target: str) -> None:
        self.forest_ = Forest.from_json(learnt.get("forest"), self.survey, target)

    @property
    def text(self) -> str:
        """How large the forest is, and how often its trees ask each question."""
        asked = self.forest_.tests.question[self.forest_.test[self.forest_.test != LEAF]]
        counts = np.bincount(asked, minlength=len(self.survey.questions))
        order = [index for index in np.argsort(-counts, kind="stable").tolist() if counts[index]]
        lines = [f"  {self.survey.questions[index].name}: asked {counts[index]} times" for index in order]
        return "\n".join([f"{len(self.forest_)} trees of {len(self.forest_.test)} nodes in all", *lines])

    def probabilities(self, values: Values) -> NDArray[np.float64]:
        """The vote of the trees for rows of value indices: soft, or in faithful mode hard."""
        return self.forest_.vote(values, hard=self.choice_.mode == FAITHFUL)

    def _rules(self, tests: BinaryTests, channels: Channels, classes: int) -> Rules:
        """The growing rules of a mode, which depend on how many groups are in fact disguised."""
        if self.n_estimators < 1:
            raise QueryError("n_estimators", "a forest has at least one tree", "give a positive number")
        disguised = len({*channels.tests["group"].tolist(), channels.target} - {-1})
        robust = self.choice_.rules == ROBUST
        return Rules(
            classes=classes,
            bootstrap=self.bootstrap,
            candidates=self.max_features or max(1, isqrt(len(tests))),
            max_depth=DEEPEST if self.max_depth is None else self.max_depth,
            least_gain=0.0 if robust or disguised else -1.0,
            least_leaf=SMALLEST_LEAF if self.min_samples_leaf is None else float(self.min_samples_leaf),
            least_size=4.0 if robust and disguised > 1 else 0.0,
            kappa=1.0 if robust else 0.0,
            shrinkage=2.0 if robust else 0.0,
            clipped=(2 if disguised == 1 else 0) if robust else 1,
        )
