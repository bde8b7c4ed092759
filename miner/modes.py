"""Which mode to learn in: the paper's rules, noise-aware rules, or behind the disguise; or what the responses advise.

    faithful   the seed papers' rules on estimated counts
    robust     the same counts, with splits that stand out from the noise and predictions that lean on the parent's
    latent     robust rules on soft copies: plain rows that a mixture holds for the truth (`miner.latent.model`)
    auto       latent, unless responses kept out say that robust is better

The judging responses are disguised too, and train neither candidate. The difference between two models on the same
signed copies has less noise than either accuracy, yet under much disguise it may still be all noise. So it is weighed
against a prior: latent one point ahead, give or take three. The prior is an assumption, set after a first look at a
few benchmark cells; it is not an estimate from them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from collector.errors import QueryError
from miner.estimate import Estimate, mean_estimate
from miner.evaluate.copies import Copies, asked_questions
from miner.latent.model import fit_latent, soft_copies
from miner.responses import Responses, Values

AUTO, FAITHFUL, ROBUST, LATENT = MODES = ("auto", "faithful", "robust", "latent")
FEWEST_RESPONSES = 30  # that a mixture is fitted to and judged with
JUDGES = 3  # one response in so many judges the candidates
PRIOR_GAIN, PRIOR_SPREAD = 0.01, 0.03  # of latent over robust in accuracy: assumed, not measured
Labels = Callable[[Values], NDArray[np.intp]]
"""From value indices, shape (rows, questions of the survey), to class indices, shape (rows,)."""


@dataclass(frozen=True)
class Choice:
    """The mode that was taken.

    Attributes:
        mode: ``faithful``, ``robust`` or ``latent``.
        why: In words.
        gain: Accuracy of latent less that of robust on the judging responses; None where nothing was judged.
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


def advised(
    fitted: Callable[[str, Responses], Labels], responses: Responses, target: str, rng: np.random.Generator
) -> Choice:
    """The mode that the responses advise: latent, unless robust is expected to be right more often.

    Args:
        fitted: Fits a model in a mode, and tells what it predicts.
        responses: All there are to learn from.
        target: Name of the class question.
        rng: Deals the judging responses, and draws their copies where there are too many.
    """
    if len(responses) < FEWEST_RESPONSES:
        return Choice(ROBUST, f"fewer than {FEWEST_RESPONSES} responses")
    if all(group.channel.truth in {0, 1} for group in responses.survey.groups):
        return Choice(ROBUST, "nothing is disguised")
    dealt = rng.permutation(len(responses))
    count = len(responses) // JUDGES
    judges, learnt = responses.take(np.sort(dealt[:count])), responses.take(np.sort(dealt[count:]))
    gain = accuracy_gain(judges, fitted(ROBUST, learnt), fitted(LATENT, learnt), target, rng)
    error = gain.standard_error or 0.0
    expected = expected_gain(gain.estimate, error)
    why = (
        f"latent gains {gain.estimate:+.3f} in accuracy (standard error {error:.3f}) over robust on {count} responses "
        f"kept out; {expected:+.3f} is expected after all"
    )
    return Choice(LATENT if expected >= 0 else ROBUST, why, gain)


def expected_gain(measured: float, error: float) -> float:
    """The gain to expect: what was measured and what the prior says, each weighed by its precision.

    Args:
        measured: On responses kept out.
        error: Its standard error, 0 or more.
    """
    trust = PRIOR_SPREAD**2 / (PRIOR_SPREAD**2 + error**2)
    return trust * measured + (1 - trust) * PRIOR_GAIN


def accuracy_gain(
    responses: Responses, first: Labels, second: Labels, target: str, rng: np.random.Generator
) -> Estimate:
    """How much more often the second classifier is right than the first, from the same disguised responses.

    Args:
        responses: That trained neither.
        first: Predicts class indices.
        second: Likewise.
        target: Name of the class question.
        rng: Draws copies where there are too many to write out (`miner.evaluate.copies`).
    """
    copies, rows = Copies.of(responses, target, asked_questions(responses.survey, None, target), rng)
    right = [(labels(rows)[copies.place] == copies.cls).astype(np.int8) for labels in (first, second)]
    return mean_estimate(copies.terms(right[1] - right[0]), (-copies.size, copies.size), copies.counts)


def soft_rows(responses: Responses, rng: np.random.Generator) -> tuple[Values, NDArray[np.float64]]:
    """What the latent mode learns from: plain rows, and what each counts."""
    copies = soft_copies(responses, fit_latent(responses, rng), rng)
    return copies.values, copies.weights
