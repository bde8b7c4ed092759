"""Define the base class of classifiers with several modes: `faithful`, `robust`, `latent` and `auto`.

Mode `faithful` applies the rules of the papers to estimated counts. Mode `robust` also uses estimated counts, but
splits must exceed the noise, and predictions are shrunk towards the parent's prediction. Mode `latent` uses robust
rules on soft copies, which are plain rows drawn from a fitted model of the answers (`miner.effects.copies`). Mode
`auto` is latent, unless robust is clearly better on held-out responses (`miner.learners.choice.chooser`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from math import inf
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from collector.errors import ModelError, QueryError
from collector.survey.survey import Group
from miner.effects.copies import latent_copies
from miner.evaluation.accuracy import FEWEST_ASKED
from miner.evaluation.copies import asked_questions, signed_sums
from miner.figures.estimate import Difference
from miner.figures.means import mean_estimate
from miner.learners.choice.chooser import FEWEST_RESPONSES, Candidate, Contest, LearnerComparison
from miner.learners.classifier import DisguisedClassifier
from miner.learners.kinds import simplest
from miner.responses.plain_rows import PlainRows, stacked
from miner.responses.responses import NOT_ASKED, Data, Responses, Values
from miner.weights.layout import uncountable

AUTO, FAITHFUL, ROBUST, LATENT = MODES = ("auto", "faithful", "robust", "latent")
MOST_DRAWN = 2**19  # number of signed copies drawn to compare two classifiers if there are too many to list
Labels = Callable[[Values], NDArray[np.intp]]
"""From value indices, shape (rows, questions of the survey), to class indices, shape (rows,)."""


@dataclass(frozen=True)
class Choice:
    """Chosen mode of a fitted classifier.

    Attributes:
        mode: ``faithful``, ``robust`` or ``latent``.
        why: Reason for the choice, in words.
        comparison: Comparison on held-out responses, including the simplest classifiers, or None if nothing was
            compared.
    """

    mode: str
    why: str
    comparison: LearnerComparison | None = None

    @property
    def rules(self) -> str:
        """Return the rules of growth, ``faithful`` or ``robust``."""
        return FAITHFUL if self.mode == FAITHFUL else ROBUST


def asked_for(mode: str) -> Choice:
    """Return the choice if the user names a mode.

    Raises:
        QueryError: If the mode does not exist.
    """
    if mode not in MODES:
        raise QueryError("mode", "the mode does not exist", f"use one of: {', '.join(MODES)}")
    return Choice(mode, "as asked for")


def forced_choice(responses: Responses, target: str) -> Choice | None:
    """Return the choice of the mode if only one mode is possible, otherwise None."""
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
    """Return whether a group's codes in a response may be neither the truth nor its complement."""
    return group.channel.coin.fixed not in {0, 1}


def accuracy_gain(
    responses: Responses, first: Labels, second: Labels, target: str, rng: np.random.Generator
) -> Difference:
    """Return the accuracy of the second classifier minus that of the first, from the same disguised responses.

    If too few respondents of a split questionnaire were asked all questions, a model of the responses
    (`miner.effects.copies`) completes the rows. With rows completed by a model, the result only ranks the classifiers:
    the difference is too small, and its standard error is that of the model's rows (docs/results/learners.md).

    Args:
        responses: Responses that neither classifier was trained on.
        first: Function of the first classifier, which predicts class indices.
        second: Function of the second classifier, which predicts class indices.
        target: Name of the class question.
        rng: Random generator that draws copies if there are too many to list (`miner.evaluation.copies`).
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
    """Return the per-response terms whose mean is `accuracy_gain`.

    Returns:
        Terms, the number of responses that each term represents, and the largest possible absolute value of a term.
    """
    copies, rows = signed_sums(responses, target, asked_questions(responses.survey, None, target), rng, MOST_DRAWN)
    right = [np.eye(len(responses.survey.question(target).values))[labels(rows)] for labels in (first, second)]
    return copies.weighed(right[1] - right[0]), copies.counts, copies.size


class ModeClassifier(DisguisedClassifier):
    """Base class of classifiers with several modes.

    Attributes:
        MOST_EXPLAINED: Largest number of responses that the latent mode learns from. If there are more responses, the
            latent mode draws `MOST_EXPLAINED` of them at random.
        choice_: `Choice` of the mode, with its reason.
    """

    MOST_EXPLAINED: ClassVar[float] = inf
    mode: str
    by: str
    random_state: int | np.random.Generator | None

    def _fit(self, data: Data, plain: PlainRows | None, target: str) -> None:
        rng = np.random.default_rng(self.random_state)
        if not len(data):
            self.choice_ = asked_for(FAITHFUL if self.mode == FAITHFUL else ROBUST)
        elif self.mode == AUTO:
            data = responses = data.in_memory()
            self.choice_ = forced_choice(responses, target) or self.compared(responses, target, plain, rng)
        else:
            self.choice_ = asked_for(self.mode)
        if self.choice_.mode != LATENT:
            if self.survey.sampling is not None and len(data):
                problem = f"{self.choice_.mode} counts whole responses, and not everybody was asked every question"
                raise QueryError("mode", problem, "use latent")
            self._learn(data, plain, target)
            return
        known = self._drawn(data.in_memory(), rng)
        if plain is not None:
            known = stacked(known, plain, rng)
        copies = latent_copies(known, target, rng)
        rows = PlainRows.of(self.survey, copies.values, copies.weights * copies.times)
        self._learn(known.take([]), rows, target)
        self._recount(len(data) + (0.0 if plain is None else float(plain.weights.sum())))

    def _drawn(self, responses: Responses, rng: np.random.Generator) -> Responses:
        """Return all responses, or `MOST_EXPLAINED` of them, drawn at random.

        If responses are drawn, the reason for the choice says so.
        """
        if len(responses) <= self.MOST_EXPLAINED:
            return responses
        some = rng.permutation(len(responses))[: int(self.MOST_EXPLAINED)]
        why = f"{self.choice_.why}; learnt from {len(some)} of {len(responses)} responses, drawn at random"
        self.choice_ = replace(self.choice_, why=why)
        return responses.take(np.sort(some))

    def compared(self, responses: Responses, target: str, plain: PlainRows | None, rng: np.random.Generator) -> Choice:
        """Compare the modes latent and robust by the measure `by`, and choose robust only if it is clearly better.

        The simplest classifiers take part in the comparison.

        If there are more responses than the latent mode learns from, robust is chosen without a comparison.
        """
        if len(responses) > self.MOST_EXPLAINED:
            return Choice(ROBUST, f"it learns from all responses, and latent from {int(self.MOST_EXPLAINED)} at most")
        beaten = [Candidate(name, make, offered=False) for name, make in simplest(self.survey, target)]
        modes = [Candidate(mode, partial(self.twin, mode)) for mode in (LATENT, ROBUST)]
        found = Contest([*beaten, *modes], target, self.by, pooled=False, plain=plain).decided(responses, rng)
        if found is None:
            return Choice(ROBUST, "too few responses to the class question")
        return Choice(found.chosen, found.why, found)

    def twin(self, mode: str) -> Self:
        """Return an unfitted copy of this classifier in a given mode."""
        twin: Self = clone(self).set_params(mode=mode)
        if "oob_score" in twin.get_params():
            twin.set_params(oob_score=False)
        return twin

    @property
    def learnt(self) -> dict[str, Any]:
        """Return the fitted state as plain JSON values: the mode, its reason, and the state fitted in this mode."""
        return {"mode": self.choice_.mode, "why": self.choice_.why} | self._grown

    @property
    @abstractmethod
    def _grown(self) -> dict[str, Any]:
        """Return the state that was fitted in the chosen mode, as plain JSON values."""

    def _restore(self, learnt: Any, target: str) -> None:  # noqa: ANN401 - whatever JSON held
        if (
            not isinstance(learnt, dict)
            or learnt.get("mode") not in MODES[1:]
            or not isinstance(learnt.get("why"), str)
        ):
            raise ModelError("learnt", "the model does not name the mode that was used", "train the model again")
        self.choice_ = Choice(learnt["mode"], learnt["why"])
        self._restore_grown(learnt, target)

    @abstractmethod
    def _restore_grown(self, learnt: dict[str, Any], target: str) -> None:
        """Read the state that was fitted in the chosen mode."""

    @abstractmethod
    def _learn(self, data: Data, plain: PlainRows | None, target: str) -> None:
        """Fit as `fit` does, by the rules of the chosen mode."""

    @abstractmethod
    def _recount(self, people: float) -> None:
        """Scale the counts of the fitted model to the given total number of people.

        In latent mode, a row of the fit may represent several people.
        """
