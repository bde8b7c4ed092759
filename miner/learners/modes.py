"""The modes of fitting: `faithful` (the paper's rules), `robust` (aware of noise), `latent` (model-based) and `auto`.

faithful   the rules of the papers, on estimated counts
robust     the same counts; splits must exceed the noise, and predictions are shrunk towards the parent's
latent     robust rules on soft copies: plain rows drawn from a fitted model of the answers (`miner.effects.copies`)
auto       latent, unless robust is clearly better on held-out responses (`miner.learners.choice.chooser`)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace

import numpy as np
from numpy.typing import NDArray

from collector.errors import QueryError
from collector.survey.survey import Group
from miner.effects.copies import latent_copies
from miner.estimates.estimate import mean_estimate
from miner.estimates.ratios import Difference
from miner.evaluation.accuracy import FEWEST_ASKED
from miner.evaluation.copies import asked_questions, signed_sums
from miner.learners.choice.chooser import FEWEST_RESPONSES, LearnerComparison
from miner.responses.responses import NOT_ASKED, Responses, Values
from miner.weights.layout import uncountable

AUTO, FAITHFUL, ROBUST, LATENT = MODES = ("auto", "faithful", "robust", "latent")
MOST_DRAWN = 2**19  # signed copies on which two classifiers are compared, where they cannot all be written out
Labels = Callable[[Values], NDArray[np.intp]]
"""From value indices, shape (rows, questions of the survey), to class indices, shape (rows,)."""


@dataclass(frozen=True)
class Choice:
    """The mode of a fitted classifier.

    Attributes:
        mode: ``faithful``, ``robust`` or ``latent``.
        why: In words.
        comparison: Comparison on held-out responses, the simplest classifiers included; None if nothing was compared.
    """

    mode: str
    why: str
    comparison: LearnerComparison | None = None

    @property
    def rules(self) -> str:
        """The growing rules: ``faithful`` or ``robust``."""
        return FAITHFUL if self.mode == FAITHFUL else ROBUST


def asked_for(mode: str) -> Choice:
    """The choice when the user names a mode.

    Raises:
        QueryError: If there is no such mode.
    """
    if mode not in MODES:
        raise QueryError("mode", "there is no such mode", f"use one of: {', '.join(MODES)}")
    return Choice(mode, "as asked for")


def forced_choice(responses: Responses, target: str) -> Choice | None:
    """The choice where only one mode is possible; otherwise None."""
    if responses.survey.sampling is not None:
        return Choice(LATENT, "not everybody was asked every question, and the other modes count whole responses")
    if (problem := uncountable(responses.survey, target)) is not None:
        return Choice(LATENT, f"{problem}, and the other modes count values")
    if len(responses) < FEWEST_RESPONSES:
        return Choice(ROBUST, f"fewer than {FEWEST_RESPONSES} responses")
    if not any(may_replace(group) for group in responses.survey.groups):
        return Choice(ROBUST, "nothing is disguised")
    return None


def may_replace(group: Group) -> bool:
    """Whether a response may contain something other than the truth, or its complement, of a group."""
    return group.channel.coin.fixed not in {0, 1}


def accuracy_gain(
    responses: Responses, first: Labels, second: Labels, target: str, rng: np.random.Generator
) -> Difference:
    """Accuracy of the second classifier minus that of the first, estimated from the same disguised responses.

    Args:
        responses: Not used for training either classifier.
        first: Predicts class indices.
        second: Likewise.
        target: Name of the class question.
        rng: Draws copies if there are too many to enumerate (`miner.evaluation.copies`).

    In a split questionnaire where too few respondents were asked all questions, a model of these responses
    (`miner.effects.copies`) completes the rows. The result only ranks the two classifiers: the difference is too
    small, and the standard error is that of the model's rows (docs/results/learners.md).
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
    """The terms whose mean is `accuracy_gain`.

    Returns:
        Terms, the number of responses each represents, and the largest possible absolute value of a term.
    """
    copies, rows = signed_sums(responses, target, asked_questions(responses.survey, None, target), rng, MOST_DRAWN)
    right = [np.eye(len(responses.survey.question(target).values))[labels(rows)] for labels in (first, second)]
    return copies.weighed(right[1] - right[0]), copies.counts, copies.size
