"""Du & Zhan's ID3 on disguised responses, with scikit-learn's manners."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from collector.survey import Survey
from miner.classifier import survey_target
from miner.counts import Level
from miner.criteria import Criterion, Faithful, Robust
from miner.evaluate.accuracy import tree_accuracy
from miner.grow import grow
from miner.modal import ModalClassifier
from miner.modes import AUTO, FAITHFUL, ROBUST
from miner.responses import Codes, Responses, Values
from miner.tree import Tree

CRITERIA: dict[str, type[Criterion]] = {FAITHFUL: Faithful, ROBUST: Robust}


class ID3Classifier(ModalClassifier):
    """Du & Zhan's MRR ID3 (2003, section 4): a greedy tree on estimated counts, split by every value of a question.

    Args:
        survey: The published design the responses were collected under.
        target: Name of the class question; the survey's own if None.
        mode: ``faithful`` (the paper's rules), ``robust`` (splits that stand out from the noise), ``latent``
            (robust, on what a mixture holds for the truth), or ``auto``: which of the last two the responses advise.
        max_depth: The most questions asked on a path; None for as many as there are.
        random_state: A seed, a `numpy.random.Generator`, or None for a fresh one. Only a mixture takes chances.

    Attributes:
        tree_: The `miner.tree.Tree`.
    """

    def __init__(
        self,
        survey: Survey,
        target: str | None = None,
        *,
        mode: str = AUTO,
        max_depth: int | None = None,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        super().__init__(survey, target)
        self.mode = mode
        self.max_depth = max_depth
        self.random_state = random_state

    def _learn_codes(self, codes: Codes, target: str) -> None:
        self._grow(Level.at_root(self.survey, codes, target))

    def _learn_rows(self, values: Values, weights: NDArray[np.float64], responses: int, target: str) -> None:
        del responses  # the weights say it all
        self._grow(Level.of_plain(self.survey, values, target, weights))

    def _grow(self, level: Level) -> None:
        self.tree_ = grow(level, CRITERIA[self.choice_.rules](), self.max_depth)

    @property
    def _grown(self) -> dict[str, Any]:
        return {"tree": self.tree_.to_json()}

    def _restore_grown(self, learnt: dict[str, Any], target: str) -> None:
        self.tree_ = Tree.from_json(learnt.get("tree"), self.survey, target)

    @property
    def text(self) -> str:
        """The tree, indented: conditions, predictions with their probability, estimated counts."""
        return self.tree_.show(self.survey, survey_target(self.survey, self.target))

    def probabilities(self, values: Values) -> NDArray[np.float64]:
        """The leaf a row of value indices comes to, or the node that asks for what is unknown: what it predicts."""
        return self.tree_.predict_proba(values)

    def score(self, X: pd.DataFrame | ArrayLike, y: ArrayLike | None = None) -> float:  # noqa: N803 - scikit-learn's
        """Accuracy estimated from disguised test responses (Du & Zhan's Eq. 15); `X` and `y` as for `fit`."""
        responses = Responses(self.survey, self.full_codes(X, y))
        return tree_accuracy(responses, self.tree_, survey_target(self.survey, self.target)).estimate
