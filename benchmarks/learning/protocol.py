"""The protocol of every accuracy benchmark: deal, split, disguise, learn, test on rows that are not disguised.

In every repetition the attributes and the class are dealt afresh into equal groups, two thirds of the rows are
disguised and learnt from, and accuracy and AUC are measured on the others as they are. One mixture is fitted to each
disguise, for all learners that need one; ``auto`` takes the mode that the default would.

Runs are appended to a file as they end, so that a benchmark that is stopped goes on where it was
(`benchmarks.learning.runs`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from sklearn.metrics import roc_auc_score

from benchmarks.data.coded import Bits, Table, bit_survey, dealt
from miner.behind.mixture.model import SoftCopies
from miner.effects.copies import latent_copies
from miner.learners.classifier import DisguisedClassifier, survey_target
from miner.learners.forest import ForestClassifier
from miner.learners.id3 import ID3Classifier
from miner.learners.mode_classifier import AUTO, FAITHFUL, LATENT, MODES, ROBUST, ModeClassifier, forced_choice
from miner.responses.plain_rows import PlainRows
from miner.responses.responses import Responses, Values, values_of_codes
from miner.simulation.simulation import simulate

STREAM = 53  # of seeds; what was chosen with which: docs/results/papers.md
KINDS: dict[str, type[ModeClassifier]] = {"id3": ID3Classifier, "forest": ForestClassifier}
AS_IF_TRUE = "as if true"  # a learner, too: it takes the responses for true
LEARNERS = (*(f"{kind} {mode}" for kind in KINDS for mode in MODES), f"id3 {AS_IF_TRUE}")
Scores = tuple[float, float, str]
"""Accuracy and AUC, NaN where it is not defined; and the mode that was taken."""


@dataclass(frozen=True)
class Cell:
    """One design.

    Attributes:
        truth: Truth probability of every group.
        groups: How many; 0 for one for each question.
        class_disguised: Whether the class is disguised with the rest, or sent as it is.
        channel: Channel of every group.
    """

    truth: str
    groups: int
    class_disguised: bool = True
    channel: str = "complement"


def disguised_split(table: Table, cell: Cell, repetition: int) -> tuple[Responses, Bits]:
    """Two thirds of the rows as responses, and the others as value indices."""
    generator = np.random.default_rng((STREAM, repetition))
    questions = table.bits.shape[1] + cell.class_disguised
    home = dealt(questions, cell.groups or questions, generator)
    survey = bit_survey(table, home if cell.class_disguised else np.append(home, -1), cell.truth, cell.channel)
    order = generator.permutation(len(table.labels))
    learnt = len(order) * 2 // 3
    return simulate(survey, table.values[order[:learnt]], generator), table.values[order[learnt:]]


@dataclass(frozen=True, eq=False)
class Contest:
    """All learners on the same disguised responses.

    Attributes:
        responses: To learn from; the survey's target is the class.
        test: Rows of value indices.
        seed: Seed of whatever takes chances.
    """

    responses: Responses
    test: Values
    seed: int

    def scores(self, learner: str) -> Scores:
        """Of one of `LEARNERS`."""
        if learner in self._found:
            return self._found[learner]
        kind, _, mode = learner.partition(" ")
        self._found[learner] = self._as_if_true(kind) if mode == AS_IF_TRUE else self._modal(kind, mode)
        return self._found[learner]

    @cached_property
    def _found(self) -> dict[str, Scores]:
        return {}

    @cached_property
    def _copies(self) -> SoftCopies:
        rng = np.random.default_rng((STREAM, self.seed))
        return latent_copies(self.responses, self._target, rng)

    @property
    def _target(self) -> str:
        return survey_target(self.responses.survey, None)

    def _modal(self, kind: str, mode: str) -> Scores:
        idle = forced_choice(self.responses, self._target)
        if mode == AUTO:
            return self.scores(f"{kind} {self._chosen(kind) if idle is None else idle.mode}")
        if mode == LATENT and idle is not None:  # it learns from the same rows there
            return (*self.scores(f"{kind} {ROBUST}")[:2], LATENT)
        model = KINDS[kind](self.responses.survey).set_params(mode=mode, random_state=self.seed)
        if mode == LATENT:
            copies = self._copies
            model.fit(PlainRows.of(model.survey, copies.values, copies.weights * copies.times))
        else:
            model.fit(self.responses.frame)
        return (*score(model, self.test), mode)

    def _chosen(self, kind: str) -> str:
        """The mode that the default takes."""
        model = KINDS[kind](self.responses.survey).set_params(random_state=self.seed)
        rng = np.random.default_rng((STREAM, self.seed, 1))
        return str(model.compared(self.responses, self._target, None, rng).mode)

    def _as_if_true(self, kind: str) -> Scores:
        """The baseline that costs nothing: plain ID3, or the forest that is robust where nothing is disguised."""
        survey = self.responses.survey
        mode = FAITHFUL if kind == "id3" else ROBUST
        model = KINDS[kind](survey).set_params(mode=mode, random_state=self.seed)
        values = values_of_codes(survey.questions, self.responses.codes)
        return *score(model.fit(PlainRows.of(survey, values)), self.test), ""


def score(model: DisguisedClassifier, test: Values) -> tuple[float, float]:
    """Accuracy and AUC on rows of value indices; of several classes each against the rest, weighted by frequency."""
    target = [question.name for question in model.survey.questions].index(survey_target(model.survey, None))
    truth, probabilities = test[:, target], model.probabilities(test)
    right = float((probabilities.argmax(axis=1) == truth).mean())
    present, counts = np.unique(truth, return_counts=True)
    if len(present) == 1:
        return right, float("nan")
    areas = [roc_auc_score(truth == cls, probabilities[:, cls]) for cls in present.tolist()]
    return right, float(np.average(areas, weights=counts))
