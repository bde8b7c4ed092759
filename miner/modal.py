"""Models that learn in one of several modes: the choice, the twin that is judged, and what is kept of it."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from collector.errors import ModelError
from miner.classifier import DisguisedClassifier, survey_target
from miner.modes import AUTO, FAITHFUL, LATENT, MODES, ROBUST, Choice, Labels, advised, asked_for, soft_rows
from miner.responses import Codes, Responses, Values


class ModalClassifier(DisguisedClassifier):
    """What models share that learn in one of several modes (`miner.modes`).

    Attributes:
        choice_: The `miner.modes.Choice` of the mode that was taken, and why.
    """

    mode: str
    random_state: int | np.random.Generator | None

    def _fit_codes(self, codes: Codes, target: str) -> None:
        responses, rng = Responses(self.survey, codes), np.random.default_rng(self.random_state)
        self.choice_ = advised(self._labels, responses, target, rng) if self.mode == AUTO else asked_for(self.mode)
        if self.choice_.mode == LATENT:
            self._learn_rows(*soft_rows(responses, rng), len(responses), target)
        else:
            self._learn_codes(codes, target)

    def _fit_rows(self, values: Values, weights: NDArray[np.float64], responses: int, target: str) -> None:
        self.choice_ = asked_for(FAITHFUL if self.mode == FAITHFUL else ROBUST)
        self._learn_rows(values, weights, responses, target)

    def _labels(self, mode: str, responses: Responses) -> Labels:
        """A twin fitted in a mode: what it predicts."""
        twin = clone(self).set_params(mode=mode)
        twin._fit_codes(responses.codes, survey_target(self.survey, self.target))  # noqa: SLF001 - codes are checked
        return lambda values: twin.probabilities(values).argmax(axis=1)

    @property
    def learnt(self) -> dict[str, Any]:
        """The mode that was taken and why, and what was learnt in it."""
        return {"mode": self.choice_.mode, "why": self.choice_.why} | self._grown

    @property
    @abstractmethod
    def _grown(self) -> dict[str, Any]:
        """What was learnt in the mode, as plain JSON values."""

    def _restore(self, learnt: Any, target: str) -> None:  # noqa: ANN401 - whatever JSON held
        if (
            not isinstance(learnt, dict)
            or learnt.get("mode") not in MODES[1:]
            or not isinstance(learnt.get("why"), str)
        ):
            raise ModelError("learnt", "it does not say the mode that was taken", "train the model again")
        self.choice_ = Choice(learnt["mode"], learnt["why"])
        self._restore_grown(learnt, target)

    @abstractmethod
    def _restore_grown(self, learnt: dict[str, Any], target: str) -> None:
        """Read what was learnt in the mode."""

    @abstractmethod
    def _learn_codes(self, codes: Codes, target: str) -> None:
        """Learn from disguised codes by the rules of the choice."""

    @abstractmethod
    def _learn_rows(self, values: Values, weights: NDArray[np.float64], responses: int, target: str) -> None:
        """Learn from undisguised rows by the rules of the choice."""
