"""One run of the scheduled job: train, measure on responses never trained on, promote what is not worse.

The register in the store (`collector.registry`) is written before and after everything that matters, so that a run
that is killed anywhere leaves a champion that can be read and a register that the next run can put right:

    start     the run is registered, then trains
    announce  the challenger lies beside the champion; its digest is registered
    promote   one rename makes it the champion
    end       the result is registered

A champion with the announced digest was promoted, whatever the register came to say.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np

from collector.errors import DeniableError, ModelError
from collector.fields import Fields
from collector.registry import FAILED, INTERRUPTED, KEPT, PROMOTED, STARTED, Run
from collector.store import Store
from collector.survey import Survey
from miner.classifier import survey_target
from miner.estimate import Estimate
from miner.evaluate.accuracy import majority
from miner.model import KINDS, Model, Training, read_model, write_model
from miner.modes import Labels, accuracy_gain
from miner.responses import Responses
from miner.retrain.drift import Shift, marginals, shifts
from miner.retrain.held_out import dealt_responses, digest
from miner.retrain.settings import Settings
from miner.training import measured, tested

BUSY, WAITING = "busy", "waiting"


@dataclass(frozen=True)
class Result:
    """What came of a run, for one line of log.

    Attributes:
        survey: Its name.
        result: ``promoted``, ``kept``, ``waiting`` (too few new responses) or ``busy`` (another run is at work).
        why: In words.
        run: Its number in the register; None for runs that did nothing.
        figures: What it measured.
    """

    survey: str
    result: str
    why: str
    run: int | None = None
    figures: dict[str, Any] | None = None

    @property
    def as_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        named = {"survey": self.survey, "result": self.result, "why": self.why, "run": self.run}
        return named | ({} if self.figures is None else {"figures": self.figures})


def retrain(store: Store, name: str, settings: Settings) -> Result:
    """Do one run on the newest version of a survey.

    Raises:
        StoreError: If the store has no such survey.
        DeniableError: If the model cannot be trained; the run is registered as failed, the champion stays.
    """
    survey = store.published(name).survey
    with _lock(store.path, name) as alone:
        if not alone:
            return Result(name, BUSY, "another run is at work")
        _settle(store, survey, settings.champion)
        return _Run(store, survey, settings).done()


@contextmanager
def _lock(store: Path, name: str) -> Iterator[bool]:
    """Whether no other run is at work. The system lets go of the lock when the process ends, however it ends."""
    with store.with_name(f".{store.name}.{name}.retrain").open("w") as turn:
        try:
            fcntl.flock(turn, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def _settle(store: Store, survey: Survey, champion: Path) -> None:
    """Register what came of runs that were killed: it can be told from the champion."""
    now = digest(champion)
    for run in store.registry.runs(survey.fingerprint):
        if run.result == STARTED:
            promoted = run.model is not None and run.model == now
            store.registry.end(run.number, PROMOTED if promoted else INTERRUPTED, run.figures)


@dataclass(frozen=True)
class _Challenge:
    """A newly trained model beside the champion, both measured on the same held-out responses.

    Attributes:
        challenger: With its figures.
        champion: The model in use, if there is one for this version of the survey.
        gain: Accuracy of the challenger less that of the champion.
        level: Of the test.
    """

    challenger: Model
    champion: Model | None
    gain: Estimate | None
    level: float

    @property
    def is_worse(self) -> bool:
        """Whether the challenger is significantly worse: a one-sided normal test of the paired difference."""
        if self.gain is None:
            return False
        return self.gain.estimate < NormalDist().inv_cdf(self.level) * (self.gain.standard_error or 0.0)

    @property
    def why(self) -> str:
        """In words."""
        if self.gain is None:
            return "there is no champion for this version of the survey"
        verdict = "significantly worse" if self.is_worse else "not significantly worse"
        error = f"standard error {self.gain.standard_error or 0.0:.4f}"
        basis = ", by a model of the answers" if self.gain.model_based else ""
        return f"{verdict} than the champion: {self.gain.estimate:+.4f} in accuracy ({error}{basis})"


class _Run:
    """One run that has the lock."""

    def __init__(self, store: Store, survey: Survey, settings: Settings) -> None:
        self._store = store
        self._survey = survey
        self._settings = settings
        self._registry = store.registry
        self._target = survey_target(survey, settings.target)

    def done(self) -> Result:
        """Wait, or train, measure, promote or keep."""
        parts = self._store.dealt(self._survey, self._settings.hold_out)
        learnt, held_out = (dealt_responses(self._survey, part) for part in parts)
        count, last = len(learnt) + len(held_out), self._last()
        new = max(0, count - (last.responses if last else 0))  # responses may have been withdrawn
        why = None
        if new < self._settings.minimum_new:
            why = f"{new} new responses since the last training; {self._settings.minimum_new} are waited for"
        elif not len(learnt) or not len(held_out):
            why = f"{count} responses leave none to {'test on' if len(learnt) else 'train on'}; more are waited for"
        if why is not None:
            self._registry.wait(self._survey.fingerprint)
            return Result(self._survey.name, WAITING, why)
        number = self._registry.start(self._survey.fingerprint, self._settings.as_json, count)
        try:
            return self._trained(number, learnt, held_out, last)
        except DeniableError as error:
            self._registry.end(number, FAILED, {"error": str(error)})
            raise

    def _trained(self, number: int, learnt: Responses, held_out: Responses, last: Run | None) -> Result:
        challenge = self._challenge(number, learnt, held_out)
        figures = self._figures(challenge, learnt, held_out, last)
        if challenge.is_worse:
            self._registry.end(number, KEPT, figures)
            return Result(self._survey.name, KEPT, challenge.why, number, figures)
        self._promote(number, challenge.challenger, figures)
        return Result(self._survey.name, PROMOTED, challenge.why, number, figures)

    def _promote(self, number: int, model: Model, figures: dict[str, Any]) -> None:
        champion = self._settings.champion
        candidate = champion.with_name(f"{champion.name}.candidate")
        write_model(model, candidate)
        self._registry.announce(number, figures, digest(candidate) or "")
        candidate.replace(champion)
        self._registry.end(number, PROMOTED, figures)

    def _challenge(self, number: int, learnt: Responses, held_out: Responses) -> _Challenge:
        champion = self._champion()
        seed = int(np.random.SeedSequence((self._settings.seed, number)).generate_state(1)[0])
        classifier = KINDS[self._settings.model](self._survey, self._target).set_params(random_state=seed)
        if "mode" in classifier.get_params():
            classifier.set_params(mode=self._settings.mode)
        classifier.fit(learnt.frame)
        evaluation = measured(classifier, held_out, self._target, seed)
        outcome = tested(evaluation, majority(learnt, self._target), held_out)
        training = Training(len(learnt), len(held_out), self._settings.hold_out, None, outcome)
        challenger = Model(self._settings.model, self._survey, self._target, classifier, training)
        gain = None
        if champion is not None:
            rng = np.random.default_rng((self._settings.seed, number))
            gain = accuracy_gain(held_out, _labels(champion), _labels(challenger), self._target, rng)
        return _Challenge(challenger, champion, gain, self._settings.level)

    def _champion(self) -> Model | None:
        """The model in use, if it is for this version of the survey and this target.

        Raises:
            ModelError: If it cannot be read, or is another survey's, whose place it would take.
        """
        path = self._settings.champion
        if not path.exists():
            return None
        model = read_model(path)
        if model.survey.name != self._survey.name:
            problem = f'it is a model of another survey, "{model.survey.name}"'
            raise ModelError(str(path), problem, "give each survey a champion of its own")
        same = model.survey.fingerprint == self._survey.fingerprint and model.target == self._target
        return model if same else None

    def _figures(
        self, challenge: _Challenge, learnt: Responses, held_out: Responses, last: Run | None
    ) -> dict[str, Any]:
        """What is registered: the outcome, and the estimates that the next run compares with."""
        everybody = Responses(self._survey, np.concatenate([learnt.codes, held_out.codes]))
        now = marginals(everybody)
        drift = shifts(_marginals(last), now) if last else []
        figures: dict[str, Any] = challenge.challenger.training.as_json
        if challenge.gain is not None:
            figures["gain"] = challenge.gain.as_json
        if challenge.champion is not None:
            accuracy = measured(challenge.champion.classifier, held_out, self._target, self._settings.seed).accuracy
            figures["champion"] = {"model": digest(self._settings.champion), "accuracy": accuracy.as_json}
            drift += self._accuracy_drift(last, accuracy)
        figures["drift"] = [each.as_json for each in drift if each.p < self._settings.level]
        figures["marginals"] = {what: figure.as_json for what, figure in now.items()}
        return figures

    def _accuracy_drift(self, last: Run | None, now: Estimate) -> list[Shift]:
        """How the champion does on those who came since it was last measured, beside those before.

        Nothing where a model of the answers says how it does: then the figures are no means over responses.
        """
        figures, champion = last.figures if last else {}, digest(self._settings.champion)
        known = figures.get("champion", {})
        if last and last.result == PROMOTED:
            known = {"model": last.model, "accuracy": figures["accuracy"]}
        if known.get("model") != champion:
            return []
        what = f"accuracy in predicting {self._target}"
        before = Estimate.from_fields(Fields(known["accuracy"], "register, accuracy"))
        if before.model_based or now.model_based:
            return []
        return shifts({what: before}, {what: now})

    def _last(self) -> Run | None:
        """The last run that trained to its end."""
        runs = [run for run in self._registry.runs(self._survey.fingerprint) if run.result in {PROMOTED, KEPT}]
        return runs[-1] if runs else None


def _marginals(run: Run) -> dict[str, Estimate]:
    return {
        what: Estimate.from_fields(Fields(figure, f"register, {what}"))
        for what, figure in run.figures.get("marginals", {}).items()
    }


def _labels(model: Model) -> Labels:
    return lambda values: model.classifier.probabilities(values).argmax(axis=1)
