"""Grow a Random Response Forest: many randomised trees on disguised responses, and their vote.

Szucs (2013) grows each tree on a bootstrap sample and tries m random tests at each node. A node splits by the smallest
Gini impurity of the estimated counts, and trees predict by majority vote. In faithful mode the m random tests may
include tests already used on the path, so that a node may become a leaf by chance. For a survey without groups, tests
already used on the path are excluded, as in standard forests. In robust mode, the expected gain from noise is
subtracted, predictions are shrunk towards the parent's prediction, and votes are averaged probabilities.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from collector.errors import ModelError, QueryError
from collector.survey.survey import Survey
from miner.evaluation.accuracy import copies_accuracy
from miner.forest.forest import Forest
from miner.forest.packing import BinaryTests, packed_parts, packed_responses, packed_rows
from miner.forest.records import BOUNDED, LEAF, SHARES, SIGNED, Channels, Rules, Table
from miner.forest.summed import ROOM, grown
from miner.forest.tried import tests_tried
from miner.forest.voting import MOST_TESTS
from miner.learners.choice.chooser import MEASURES
from miner.learners.classifier import survey_target
from miner.learners.mode_classifier import AUTO, FAITHFUL, ROBUST, ModeClassifier
from miner.responses.plain_rows import PlainRows
from miner.responses.responses import Data, Responses, Values
from miner.trees.axes import Axes
from miner.trees.packed_rows import PackedRows
from miner.trees.passes import by_tensors
from miner.trees.tensors import many_coins
from miner.weights.layout import Disguise, check_countable

DEEPEST = 2**30
NO_GAIN = 1e-12  # gain that counts as none, because of rounding
EVERY = -1  # value of `n_jobs` that stands for all processors
JUDGES = 3  # one of this many responses is in no bootstrap sample if the accuracy is estimated
LARGEST_LEAF, LEAF_SHARE = 10.0, 1 / 200  # of the default smallest leaf: tried on seeds that no result is made with


class ForestClassifier(ModeClassifier):
    """Random Response Forest (Szucs 2013).

    Args:
        survey: Published survey that collected the responses.
        target: Name of the class question, or None for the survey's class question.
        mode: ``faithful`` (the paper's rules), ``robust`` (gains corrected for noise, soft votes), ``latent`` (robust
            rules on draws from a fitted model of the answers), or ``auto``. The mode ``auto`` chooses robust or latent
            (`miner.learners.choice.chooser`).
        by: Measure that ``auto`` compares on held-out disguised responses: ``log-loss``, ``auc`` or ``accuracy``.
        n_estimators: Number of trees.
        max_features: Number of binary tests tried at each node, or their share of all tests, above 0 and at most 1.
            ``"sqrt"`` and ``"log2"`` are functions of the number of all tests. The default None means ``"sqrt"``.
        max_depth: Largest number of splits on a path, or None for no limit.
        min_samples_leaf: Smallest estimated count of a leaf. The default None of `min_samples_leaf` means 0 in faithful
            mode, where an empty leaf gets its parent's prediction. In other modes None means 10 or, with fewer than
            2,000 responses, one 200th of their number, at least 1.
        bootstrap: Whether each tree draws its responses with replacement.
        oob_score: Whether to estimate the accuracy. The accuracy is estimated by a second forest from a random two
            thirds of the responses. The second forest is tested on the remaining third of the responses
            (docs/learners.md).
        n_jobs: Number of threads on which trees are grown. If `n_jobs` is None or -1, one thread is used for each
            processor. The number of threads does not change the forest.
        random_state: Seed, `numpy.random.Generator`, or None for a new generator.

    Attributes:
        forest_: Fitted `Forest`.
        oob_model_: Second forest, if `oob_score` is set.
        oob_estimate_: Accuracy of the second forest, with a confidence interval computed as in a test on held-out
            responses (`miner.figures.estimate.Estimate`). The forest itself is slightly more accurate on average,
            because it learns from all responses.
    """

    LEAST: ClassVar[Mapping[str, int]] = {"n_estimators": 1, "max_depth": 0}

    def __init__(  # noqa: PLR0913 - scikit-learn's manners: every parameter has a name
        self,
        survey: Survey,
        target: str | None = None,
        *,
        mode: str = AUTO,
        by: str = MEASURES[0],
        n_estimators: int = 100,
        max_features: float | str | None = None,
        max_depth: int | None = None,
        min_samples_leaf: float | None = None,
        bootstrap: bool = True,
        oob_score: bool = False,
        n_jobs: int | None = None,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        super().__init__(survey, target)
        self.mode = mode
        self.by = by
        self.n_estimators = n_estimators
        self.max_features = max_features
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit(self, data: Data, plain: PlainRows | None, target: str) -> None:
        super()._fit(data, plain, target)
        if self.oob_score and len(data):
            self._judge(data.in_memory(), plain)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        jobs: Any = self.n_jobs
        if jobs is not None and (not isinstance(jobs, Integral) or (int(jobs) < 1 and jobs != EVERY)):
            raise QueryError(
                "n_jobs", "the value is not a number of threads", f"give 1 or more, or {EVERY} for all processors"
            )
        tests_tried(self.max_features, 1)

    def _learn(self, data: Data, plain: PlainRows | None, target: str) -> None:
        tests, disguise = BinaryTests.of(self.survey, target), Disguise.of(self.survey, target)
        if plain is not None and not len(data):
            packed = packed_rows(plain, target, tests)
        elif self.choice_.rules == ROBUST and many_coins(disguise) and by_tensors(data, plain, disguise):
            check_countable(self.survey, target)
            classes = len(self.survey.question(target).values)
            every = PackedRows(Axes(self.survey, disguise), data, ROOM)
            rules = self._rules(tests, len(data), inf, classes, disguised=len(self.survey.groups))
            self.forest_ = grown(every, tests, rules, self._seeds, jobs=self._jobs)
            return
        elif isinstance(data, Responses):
            packed = packed_responses(self.survey, data.codes, target, tests, plain)
        else:
            packed = packed_parts(self.survey, data.code_parts(), target, tests)
        self._grow(tests, packed, target)

    @property
    def _jobs(self) -> int | None:
        return None if self.n_jobs == EVERY else self.n_jobs

    @property
    def _seeds(self) -> NDArray[np.uint64]:
        return np.random.default_rng(self.random_state).integers(2**64, size=self.n_estimators, dtype=np.uint64)

    def _grow(self, tests: BinaryTests, packed: tuple[Table, Channels], target: str) -> None:
        if len(tests) > MOST_TESTS:
            raise ModelError(
                "forest", f"the questions allow more than {MOST_TESTS} tests", "use questions with fewer values"
            )
        (table, channels), classes = packed, len(self.survey.question(target).values)
        most = table.draws if self.bootstrap else table.unit * float(table.times.sum())
        disguised = len({*channels.tests["group"].tolist(), channels.target} - {-1})
        rules = self._rules(tests, table.draws, most, classes, disguised=disguised)
        self.forest_ = Forest.grown(tests, packed, rules, self._seeds, self._jobs)

    def _recount(self, people: float) -> None:
        self.forest_ = self.forest_.counting(people)

    def _judge(self, responses: Responses, plain: PlainRows | None) -> None:
        """Grow a second forest in the same mode, and estimate its accuracy from the remaining responses."""
        count = len(responses) // JUDGES
        if not count:
            raise QueryError(
                "oob_score", "there are too few responses to keep some out for testing", "collect more responses first"
            )
        dealt = np.random.default_rng(self.random_state).permutation(len(responses))
        self.oob_model_ = twin = clone(self).set_params(mode=self.choice_.mode, oob_score=False)
        twin._fit(responses.take(np.sort(dealt[count:])), plain, self._target)  # noqa: SLF001 - codes are checked
        judges = responses.take(np.sort(dealt[:count]))
        self.oob_estimate_ = copies_accuracy(
            judges, lambda values: twin.probabilities(values).argmax(axis=1), self._target
        )

    @property
    def oob_score_(self) -> float:
        """Return the accuracy estimated in `oob_estimate_`, under scikit-learn's name."""
        return self.oob_estimate_.estimate

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Return the mean decrease in impurity over trees (`miner.trees.criteria`), shape (features,)."""
        mean: NDArray[np.float64] = self._importances.mean(axis=0)
        return mean

    @property
    def feature_importances_std_(self) -> NDArray[np.float64]:
        """Return the standard deviation of the decrease in impurity over trees, shape (features,).

        The standard deviation over trees includes the sampling of respondents, the coins and the randomness of growth,
        for *one* tree. The standard deviation of the mean importance was measured to be 1.7 to 3.4 times smaller
        (docs/results/learners.md). Without bootstrap, the standard deviation over trees includes only the randomness of
        growth. In latent mode the standard deviation over trees excludes the uncertainty of the mixture, which all
        trees share.
        """
        deviation: NDArray[np.float64] = self._importances.std(axis=0, ddof=min(1, len(self.forest_) - 1))
        return deviation

    @property
    def _importances(self) -> NDArray[np.float64]:
        """Return the decreases in impurity of each tree, shape (trees, features)."""
        sums = self.forest_.importances(len(self.survey.questions))
        return np.delete(sums, self.survey.questions.index(self.survey.question(self._target)), axis=1)

    @property
    def _target(self) -> str:
        return survey_target(self.survey, self.target)

    @property
    def _grown(self) -> dict[str, Any]:
        return {"forest": self.forest_.to_json()}

    def _restore_grown(self, learnt: dict[str, Any], target: str) -> None:
        self.forest_ = Forest.from_json(learnt.get("forest"), self.survey, target)

    @property
    def text(self) -> str:
        """Return the size of the forest, and how often its trees split on each question, as text."""
        asked = self.forest_.tests.question[self.forest_.test[self.forest_.test != LEAF]]
        counts = np.bincount(asked, minlength=len(self.survey.questions))
        order = [index for index in np.argsort(-counts, kind="stable").tolist() if counts[index]]
        lines = [f"  {self.survey.questions[index].name}: asked {counts[index]} times" for index in order]
        return "\n".join([f"{len(self.forest_)} trees of {len(self.forest_.test)} nodes in all", *lines])

    @property
    def used_(self) -> list[str]:
        """Return the names of the questions that at least one tree splits on."""
        asked = {*self.forest_.tests.question[self.forest_.test[self.forest_.test != LEAF]].tolist()}
        return [question.name for index, question in enumerate(self.survey.questions) if index in asked]

    def probabilities(self, values: Values) -> NDArray[np.float64]:
        """Return the vote of the trees for rows of value indices.

        In faithful mode each tree votes for one class. In all modes but faithful, the trees' probabilities are
        averaged.
        """
        return self.forest_.vote(values, hard=self.choice_.mode == FAITHFUL)

    def _rules(self, tests: BinaryTests, draws: int, most: float, classes: int, *, disguised: int) -> Rules:
        """Return the rules by which trees grow in the chosen mode.

        The growth rules depend on the number of disguised groups.
        """
        plain = not self.survey.groups
        robust = self.choice_.rules == ROBUST
        smallest = min(LARGEST_LEAF, max(1.0, draws * LEAF_SHARE)) if robust else 0.0
        return Rules(
            classes=classes,
            bootstrap=self.bootstrap,
            candidates=tests_tried(self.max_features, len(tests)),
            max_depth=DEEPEST if self.max_depth is None else self.max_depth,
            least_gain=0.0 if robust else -1.0 if plain else NO_GAIN,
            least_leaf=smallest if self.min_samples_leaf is None else float(self.min_samples_leaf),
            least_size=4.0 if robust and disguised > 1 else 0.0,
            kappa=1.0 if robust else 0.0,
            shrinkage=2.0 if robust else 0.0,
            clipped=(BOUNDED if disguised == 1 else SIGNED) if robust else SHARES,
            most=inf if robust else float(most),
            every=not (plain or robust),
        )
