"""Boost small trees by the likelihood of the codes sent (`miner.boosting.boosting`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from collector.errors import ModelError, QueryError
from collector.survey.fields import Fields
from collector.survey.survey import Survey
from miner.arrays import Floats
from miner.behind.rows import Rows
from miner.boosting.boosting import Boosted, BoostedTree, Growth, boosted
from miner.learners.logit import LikelihoodClassifier
from miner.learnt import AGAIN, numbers
from miner.responses.possible import predictors
from miner.responses.responses import Values

DEEPEST = 8
TRACES = 1e-6  # gain that rounding may leave if there is no gain
SIZES = {2**depth - 1 for depth in range(DEEPEST + 1)}  # possible numbers of nodes with a question in a tree


class BoostedClassifier(LikelihoodClassifier):
    """Gradient boosting (Friedman 2001) on the answers that may be behind disguised responses.

    Args:
        survey: Published survey that collected the responses.
        target: Name of the class question, or None for the survey's class question.
        n_estimators: Largest number of boosting rounds. Boosting ends earlier if the fit to held-out responses gets
            worse.
        max_depth: Largest number of questions on a path of a tree. The default None of `max_depth` means 3 in the first
            ensemble of trees and 5 in the second.
        learning_rate: Share of each tree's step that is taken, above 0 and at most 1.
        random_state: Seed, `numpy.random.Generator`, or None for a new generator.

    Attributes:
        boosted_: Fitted model (`miner.boosting.boosting.Boosted`).
    """

    LEAST: ClassVar[Mapping[str, int]] = {"n_estimators": 1, "max_depth": 1}
    PATIENCE: ClassVar[int] = 15
    boosted_: Boosted

    def __init__(  # noqa: PLR0913 - scikit-learn's manners: every parameter has a name
        self,
        survey: Survey,
        target: str | None = None,
        *,
        n_estimators: int = 300,
        max_depth: int | None = None,
        learning_rate: float = 0.1,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        super().__init__(survey, target)
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.learning_rate = learning_rate
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not 0 < self.learning_rate <= 1 or (self.max_depth or 0) > DEEPEST:
            raise QueryError(
                "learning_rate, max_depth",
                f"the learning rate is not above 0 and at most 1, or the depth is above {DEEPEST}",
                "leave out the two parameters",
            )

    def _learn(self, rows: Rows, target: str, rng: np.random.Generator) -> None:
        questions = self.survey.questions
        careful = Growth(
            features=predictors(self.survey, target),
            kinds=tuple(len(each.values) for each in questions),
            ordered=tuple(each.in_order for each in questions),
            depth=self.max_depth or 3,
            rate=self.learning_rate,
            ridge=5.0,
            least_gain=4.0,
            rounds=self.n_estimators,
            patience=self.PATIENCE,
        )
        eager = replace(careful, depth=self.max_depth or 5, ridge=1.0, least_gain=TRACES)
        self.boosted_ = boosted(rows, (careful, eager), rng)

    def probabilities(self, values: Values) -> Floats:
        """Return class probabilities for rows of value indices.

        A row with an unknown answer to a node's question goes to the second child of the node.
        """
        return self._sound(values, self.boosted_.probabilities(values))

    @property
    def learnt(self) -> dict[str, Any]:
        """Return the intercept, and the splits and leaves of each tree."""
        names = [question.name for question in self.survey.questions]
        rounds = [
            [
                {
                    "splits": [
                        None if asked < 0 else {"question": names[asked], "values": np.flatnonzero(passes).tolist()}
                        for asked, passes in zip(tree.question.tolist(), tree.passes, strict=True)
                    ],
                    "leaves": tree.leaf.tolist(),
                }
                for tree in trees
            ]
            for trees in self.boosted_.rounds
        ]
        return {"intercept": self.boosted_.intercept.tolist(), "rounds": rounds}

    def _restore(self, learnt: Any, target: str) -> None:  # noqa: ANN401 - whatever JSON held
        classes = len(self.survey.question(target).values)
        given = Fields(learnt, "learnt")
        rounds = given.take_list("rounds", list)
        if any(len(trees) != (1 if classes == 2 else classes) for trees in rounds):
            raise ModelError("learnt", "the trees of the model do not fit the classes", AGAIN)
        self.boosted_ = Boosted(
            numbers(given, "intercept", (classes,)),
            tuple(tuple(self._tree(Fields(tree, "learnt, tree"), target) for tree in trees) for trees in rounds),
        )

    def _tree(self, given: Fields, target: str) -> BoostedTree:
        """Read a tree from JSON values.

        Raises:
            DeniableError: If the tree does not fit the survey.
        """
        splits, questions = given.take("splits", list), self.survey.questions
        features = predictors(self.survey, target)
        nodes = len(splits)
        if nodes not in SIZES:
            raise ModelError(given.place, "a level of a tree is incomplete", AGAIN)
        question = np.full(nodes, -1, np.int64)
        passes = np.zeros((nodes, max(len(each.values) for each in questions)), np.bool_)
        for place, split in enumerate(splits):
            if split is not None:
                part = Fields(split, "learnt, split")
                column = self.survey.column(part.take("question", str))
                some = numbers(part, "values", (None,), np.int64)
                if column not in features or not {*some} <= {*range(len(questions[column].values))}:
                    raise ModelError(
                        part.place, "a split does not name values of a question other than the class", AGAIN
                    )
                question[place], passes[place, some] = column, True
        return BoostedTree(question, passes, numbers(given, "leaves", (nodes + 1,)))

    @property
    def text(self) -> str:
        """Return the number of trees, as text."""
        trees = [tree for trees in self.boosted_.rounds for tree in trees]
        most = max((len(tree.leaf) for tree in trees), default=1)
        return f"{len(trees)} boosted trees of up to {most} leaves, {len(self.boosted_.rounds)} rounds"
