"""The modes of fitting: `faithful` (the paper's rules), `robust` (aware of noise), `latent` (model-based) and `auto`.

faithful   the seed papers' rules on estimated counts
robust     the same counts, with splits that stand out from the noise and predictions that lean on the parent's
latent     robust rules on soft copies: plain rows that a mixture holds for the truth (`miner.latent.model`)
auto       latent, unless robust is expected to be right more often (`miner.learners.mode_choice`)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from collector.errors import QueryError
from miner.estimates.estimate import Estimate, mean_estimate
from miner.estimates.ratios import Difference
from miner.evaluation.accuracy import FEWEST_ASKED
from miner.evaluation.copies import Copies, asked_questions
from miner.latent.logit_model import latent_copies
from miner.responses.responses import NOT_ASKED, Responses, Values

AUTO, FAITHFUL, ROBUST, LATENT = MODES = ("auto", "faithful", "robust", "latent")
FEWEST_RESPONSES = 30  # that a mixture is fitted to and judged with
MOST_DRAWN = 2**19  # signed copies on which two classifiers are compared, where they cannot all be written out
JUDGES = 3  # one response in so many is kept out where a twin is judged
Labels = Callable[[Values], NDArray[np.intp]]
"""From value indices, shape (rows, questions of the survey), to class indices, shape (rows,)."""


@dataclass(frozen=True)
class Choice:
    """The mode that was taken.

    Attributes:
        mode: ``faithful``, ``robust`` or ``latent``.
        why: In words.
        gain: Accuracy of latent less that of robust on responses kept out; None where nothing was judged.
    """

    mode: str
    why: str
    gain: Estimate | None = None

    @property
    def rules(self) -> str:
        """The growing rules: ``faithful`` or ``robust``."""
        return FAITHFUL if self.mode == FAITHFUL else ROBUST

    @property
    def as_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"mode": self.mode, "why": self.why, "gain": None if self.gain is None else self.gain.as_json}


def asked_for(mode: str) -> Choice:
    """The choice of somebody who names a mode.

    Raises:
        QueryError: If there is no such mode.
    """
    if mode not in MODES:
        raise QueryError("mode", "there is no such mode", f"use one of: {', '.join(MODES)}")
    return Choice(mode, "as asked for")


def accuracy_gain(
    responses: Responses, first: Labels, second: Labels, target: str, rng: np.random.Generator
) -> Difference:
    """How much more often the second classifier is right than the first, from the same disguised responses.

    Args:
        responses: That trained neither.
        first: Predicts class indices.
        second: Likewise.
        target: Name of the class question.
        rng: Draws copies where there are too many to write out (`miner.evaluation.copies`).

    Where questions are sampled and hardly anybody was asked them all, a model of these responses
    (`miner.latent.logit_model`) fills in the rest. It ranks the two and no more: the difference is too small, and the
    standard error is that of the model's rows (docs/learners.md).
    """
    names = asked_questions(responses.survey, None, target)
    if responses.asked_all([*names, target]).sum() < min(FEWEST_ASKED, len(responses)):
        return _gain_by_model(responses, first, second, target, rng)
    terms, counts, size = gain_terms(responses, first, second, target, rng)
    return Difference(**asdict(mean_estimate(terms, (-size, size), counts)))


def _gain_by_model(
    responses: Responses, first: Labels, second: Labels, target: str, rng: np.random.Generator
) -> Difference:
    rows = latent_copies(responses, target, rng)
    column = [question.name for question in responses.survey.questions].index(target)
    seen = rows.values.copy()
    seen[:, column] = NOT_ASKED
    right = [(labels(seen) == rows.values[:, column]).astype(np.float64) for labels in (first, second)]
    terms = np.bincount(rows.origin, rows.weights * (right[1] - right[0]), minlength=len(responses)).astype(np.float64)
    found = mean_estimate(terms, (-1.0, 1.0), np.ones(len(responses)))
    return replace(Difference(**asdict(found)), interval=None, model_based=True)


def gain_terms(
    responses: Responses, first: Labels, second: Labels, target: str, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """What `accuracy_gain` is the mean of.

    Returns:
        Terms, how many responses each stands for, and the largest size that a term could have.
    """
    copies, rows = Copies.of(responses, target, asked_questions(responses.survey, None, target), rng, MOST_DRAWN)
    right = [(labels(rows)[copies.place] == copies.cls).astype(np.int8) for labels in (first, second)]
    return copies.terms(right[1] - right[0]), copies.counts, copies.size
