"""Run the scheduled job: train a model (challenger), and promote it if it is not worse than the champion.

The register in the store (`collector.store.registry`) is written before and after every important step. A run that is
killed at any point leaves a readable champion, and a register that the next run can repair:

    start     the run is registered, then trains
    announce  the challenger's file lies next to the champion's; its digest is registered
    promote   one rename makes it the champion
    end       the result is registered

If the responses have drifted, the challenger is held. While the challenger is held, its file lies next to the
champion's file, and the champion stays in use. A run with `--accept` makes the challenger the champion, or trains
another challenger.

After a withdrawal, the first run leaves no model that learnt from the withdrawn response: it trains another one, or
erases the old one where it must wait.

If the champion's file has the challenger's digest, the challenger was promoted, whatever the register says.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from collector.database.address import Place
from collector.errors import DeniableError, ModelError
from collector.store.invitation import pepper_path
from collector.store.registry import (
    ACCEPTED,
    FAILED,
    HOLDS,
    IMPORTS,
    INTERRUPTED,
    KEPT,
    PROMOTED,
    STARTED,
    WITHDRAWN,
    Run,
)
from collector.store.simulated import Simulated
from collector.store.store import Published, Store
from collector.survey.fields import Fields
from miner.estimates.estimate import FEWEST, Estimate
from miner.evaluation.accuracy import majority
from miner.learners.classifier import survey_target
from miner.learners.kinds import KINDS
from miner.learners.mode_classifier import Labels, accuracy_gain
from miner.models.model import Model, Training, read_model, write_model
from miner.models.training import measured, out_of_bag, tested
from miner.responses.distinct import distinct_rows
from miner.responses.responses import Responses
from miner.retrain.drift import Drift, counted_once, marginals, shifts
from miner.retrain.held_out import dealt_responses, digest
from miner.retrain.result import Challenge, Result
from miner.retrain.settings import FEWEST_NEW, Settings
from miner.retrain.standing import Standing

BUSY, WAITING, HELD = "busy", "waiting", "held"
UNTIL = "look who answers; then take their file back (collector import --undo), or accept them (--accept)"
WHY = "why"
"""The figure of a held run that says in words what was seen."""
IDENTICAL = "identical"
"""The figure that has how many responses are alike in all codes, at most."""


def retrain(store: Store, name: str, settings: Settings, *, force: bool = False, accept: bool = False) -> Result:
    """Run the scheduled job once, on the newest version of a survey.

    Args:
        store: Store in which the survey is published.
        name: Name of the survey.
        settings: Settings of the scheduled job.
        force: Whether to train even if there are too few new responses.
        accept: Whether to promote the held model, or the newly trained model, even if the responses have drifted.

    Raises:
        StoreError: If the store does not contain the survey.
        DeniableError: If the model cannot be trained. A failed run is registered, and the champion stays.
    """
    published = store.published(name)
    simulated = store.imports.simulated(published)
    with _lock(store.path, name) as alone:
        if not alone:
            return Result(name, BUSY, "another run is at work", simulated=simulated)
        _settle(store, published, settings.champion)
        done = _Run(store, published, settings, simulated, force=force, accept=accept).done()
        return replace(done, simulated=simulated)


@contextmanager
def _lock(place: Place, name: str) -> Iterator[bool]:
    """Lock the runs of a survey, and return whether no other run is active.

    The operating system releases the lock when the process ends.
    """
    store = place if isinstance(place, Path) else pepper_path(place)  # one run at a time on each host
    with store.with_name(f".{store.name}.{name}.retrain").open("w") as turn:
        try:
            fcntl.flock(turn, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def _settle(store: Store, published: Published, champion: Path) -> None:
    """Register the results of runs that were killed, as the champion's file shows them."""
    now = digest(champion)
    for run in store.registry.runs(published.fingerprint):
        if run.result == STARTED:
            promoted = run.model is not None and run.model == now
            store.registry.end(run.number, PROMOTED if promoted else INTERRUPTED, run.figures)


class _Run:
    def __init__(  # noqa: PLR0913 - one for each thing a run needs
        self,
        store: Store,
        published: Published,
        settings: Settings,
        simulated: Simulated | None,
        *,
        force: bool,
        accept: bool,
    ) -> None:
        self._store, self._settings, self._simulated = store, settings, simulated
        self._survey = survey = published.survey
        self._version = published.fingerprint
        self._registry = store.registry
        self._target = survey_target(survey, settings.target)
        self._standing = Standing.of(self._registry.runs(self._version), store.imports.counts(published))
        self._force, self._accept = force, accept

    def done(self) -> Result:
        """Do the run: wait, promote the held model, or train a new model and judge it.

        Whatever comes of it, no model is left that learnt from a withdrawn response.
        """
        erased: list[str] = []
        try:
            result = self._done()
        finally:
            if any(run.figures.get(WITHDRAWN) for run in self._runs()):
                files = (self._settings.champion, self._candidate)
                erased = [path.name for path in files if self._learnt_from_deleted(path)]
                for name in erased:
                    self._settings.champion.with_name(name).unlink()
        if self._settings.champion.name in erased:
            said = f"the model in use learnt from a withdrawn response, and was erased ({', '.join(erased)})"
            return replace(result, why=f"{result.why}; {said}")
        return result

    def _done(self) -> Result:
        deleted = self._registry.deleted(self._version)
        held = self._standing.held
        waits = held is not None and not self._standing.taken_back(held)  # its model learnt from nothing that is gone
        if held and waits and self._accept and self._candidate_digest() == held.figures[HOLDS] != "":
            return self._accepted(held)
        if held and not self._accept:
            self._registry.wait(self._version)
            new = self._standing.new(self._store.count(self._survey))
            seen = held.figures.get(WHY, "its responses drifted")
            said = f"run {held.number} is held: {seen}; {new} more responses came since; {UNTIL}"
            return Result(self._survey.name, HELD, said)
        learnt, held_out = dealt_responses(self._store, self._survey, self._settings.hold_out)
        why = self._reason_to_wait(len(learnt), len(held_out))
        if why is not None:
            why += self._standing.remark
            self._registry.wait(self._version)
            return Result(self._survey.name, WAITING, why)
        count = len(learnt) + len(held_out)
        number = self._registry.start(self._version, self._settings.as_json, count, self._standing.imports)
        if self._registry.deleted(self._version) != deleted:
            return self._disturbed(number)
        try:
            return self._trained(number, learnt, held_out)
        except DeniableError as error:
            self._registry.end(number, FAILED, {"error": str(error)})
            raise

    def _reason_to_wait(self, learnt: int, held_out: int) -> str | None:
        """Return the reason for not training in words, or None if there is a reason to train."""
        count, last = learnt + held_out, self._standing.last
        new = self._standing.new(count)
        if new < self._settings.minimum_new:
            few = f"{new} new responses since the last training"
            if not self._reason_to_hurry():
                return f"{few}; {self._settings.minimum_new} are waited for"
            if new < FEWEST_NEW and last and self._standing.may_be_new(count) > 0:
                return f"{few}; figures of fewer than {FEWEST_NEW} would tell who answered in between"
        if not learnt or held_out < FEWEST:
            least = f"{FEWEST} to test on" if learnt else "1 to train on"
            return f"{count} responses leave fewer than {least}; more are waited for"
        return None

    def _reason_to_hurry(self) -> bool:
        """Return whether training is due even with hardly any new responses."""
        champion = self._settings.champion
        lost = self._standing.last is not None and (not champion.exists() or self._learnt_from_deleted(champion))
        waits = self._accept and self._standing.held is not None
        gone = bool(self._standing.taken_back(self._standing.last))
        return self._force or waits or bool(self._standing.changed(self._settings)) or lost or gone

    def _trained(self, number: int, learnt: Responses, held_out: Responses) -> Result:
        challenge, changed = self._challenge(number, learnt, held_out), self._standing.changed(self._settings)
        figures, drift = self._figures(challenge, learnt, held_out)
        seen, compared = self._seen(figures, drift), self._standing.compared
        if drift and not self._accept:
            return self._hold(number, challenge, figures, seen)
        if drift and compared is not None:
            figures[ACCEPTED] = compared.number
            seen += "; this is accepted"
        why = f"{seen}; {challenge.why}" if seen else challenge.why
        why += (f"; changed settings: {', '.join(changed)}" if changed else "") + self._standing.remark
        if challenge.is_worse:
            if not self._registry.end(number, KEPT, figures):
                return self._disturbed(number)
            return Result(self._survey.name, KEPT, why, number, figures)
        if not self._promote(number, challenge.challenger, figures):
            return self._disturbed(number)
        return Result(self._survey.name, PROMOTED, why, number, figures)

    def _disturbed(self, number: int) -> Result:
        """End a run whose responses were not those that are left, without any figure of them."""
        self._registry.end(number, INTERRUPTED, {})
        why = "responses were deleted or imported while the run was at work; the next run will use what is left"
        return Result(self._survey.name, WAITING, why)

    def _seen(self, figures: dict[str, Any], drift: list[Drift]) -> str:
        """Return words on the responses since a run: their number, and their drift from earlier responses."""
        compared = self._standing.compared
        if compared is None:
            return ""
        came = f"{self._standing.new_since(compared, figures['n_train'] + figures['n_test'])} responses came since run"
        if not drift:
            return f"{came} {compared.number}, without drift beyond chance"
        more = f" and {len(drift) - 1} more" if len(drift) > 1 else ""
        first = min(drift, key=lambda shift: shift.p).line
        alike = f"{figures[IDENTICAL]} are identical, {compared.figures.get(IDENTICAL, 'an unknown number')} were then"
        return f"{came} {compared.number} and drifted beyond chance: {first}{more}; {alike}"

    def _hold(self, number: int, challenge: Challenge, figures: dict[str, Any], seen: str) -> Result:
        """Keep the champion after a drift, and store the challenger's file next to the champion's file."""
        if not challenge.is_worse:
            write_model(challenge.challenger, self._candidate)
        figures[HOLDS] = "" if challenge.is_worse else self._candidate_digest()
        figures[WHY] = seen
        if not self._registry.end(number, KEPT, figures):
            return self._disturbed(number)
        return Result(self._survey.name, HELD, f"{seen}; {UNTIL}", number, figures)

    def _accepted(self, held: Run) -> Result:
        """Make the held challenger the champion."""
        figures = {name: figure for name, figure in held.figures.items() if name not in {HOLDS, WHY}}
        compared = self._standing.compared
        figures |= {ACCEPTED: compared.number} if compared else {}
        number = self._registry.start(self._version, held.settings, held.responses, held.figures.get(IMPORTS))
        current = {run.number: run.figures for run in self._registry.runs(self._version)}
        stands = current[held.number].get(HOLDS) == held.figures[HOLDS]
        if not stands or not self._registry.announce(number, figures, held.figures[HOLDS]):
            return self._disturbed(number)
        self._candidate.replace(self._settings.champion)
        self._registry.end(number, PROMOTED, figures)
        return Result(
            self._survey.name, PROMOTED, f"the drift that held run {held.number} is accepted", number, figures
        )

    @property
    def _candidate(self) -> Path:
        champion = self._settings.champion
        return champion.with_name(f"{champion.name}.candidate")

    def _candidate_digest(self) -> str:
        return digest(self._candidate) or ""

    def _runs(self) -> list[Run]:
        """Return the runs on all versions of the survey, as the register has them now."""
        versions = {each.fingerprint for each in self._store.surveys() if each.name == self._survey.name}
        return [run for version in sorted(versions) for run in self._registry.runs(version)]

    def _learnt_from_deleted(self, path: Path) -> bool:
        """Return whether a file has a model of a run that may have learnt from a response that was deleted since."""
        runs, now = self._runs(), digest(path)
        known = {each for run in runs for each in (run.model, run.figures.get(HOLDS))}
        if now is None or now in known or not any(WITHDRAWN in run.figures for run in runs):
            return False
        with suppress(DeniableError):  # what cannot be read is no model of a run
            return read_model(path).training.seed is None
        return False

    def _promote(self, number: int, model: Model, figures: dict[str, Any]) -> bool:
        """Make a model the champion, and return False if a response was deleted since the run began."""
        write_model(model, self._candidate)
        if not self._registry.announce(number, figures, self._candidate_digest()):
            self._candidate.unlink()
            return False
        self._candidate.replace(self._settings.champion)
        self._registry.end(number, PROMOTED, figures)
        return True

    def _challenge(self, number: int, learnt: Responses, held_out: Responses) -> Challenge:
        champion = self._champion()
        seed = int(np.random.SeedSequence((self._settings.seed, number)).generate_state(1)[0])
        classifier = KINDS[self._settings.model](self._survey, self._target)
        classifier.set_params(random_state=seed, **self._settings.parameters).fit(learnt)
        evaluation = measured(classifier, held_out, self._target, seed)
        outcome = tested(evaluation, majority(learnt, self._target), held_out, classifier)
        training = Training(len(learnt), len(held_out), self._settings.hold_out, None, outcome, 0, self._simulated)
        challenger = Model(self._settings.model, self._survey, self._target, classifier, training)
        gain = None
        if champion is not None:
            rng = np.random.default_rng((self._settings.seed, number))
            gain = accuracy_gain(held_out, _labels(champion), _labels(challenger), self._target, rng)
        forgets = champion is None and self._learnt_from_deleted(self._settings.champion)
        alone = {"alone": "the model before learnt from deleted responses"} if forgets else {}
        return Challenge(challenger, champion, gain, self._settings.level, **alone)

    def _champion(self) -> Model | None:
        """Return the champion if it fits the survey's version and target, and its training responses still exist.

        Raises:
            ModelError: If the model cannot be read, or belongs to another survey and would be overwritten.
        """
        path = self._settings.champion
        if not path.exists():
            return None
        model = read_model(path)
        if model.survey.name != self._survey.name:
            problem = f'it is a model of another survey, "{model.survey.name}"'
            raise ModelError(str(path), problem, "name another file for the champion of this survey")
        if self._learnt_from_deleted(path) or self._standing.taken_back(self._standing.made(digest(path))):
            return None
        same = model.survey.fingerprint == self._survey.fingerprint and model.target == self._target
        return model if same else None

    def _figures(
        self, challenge: Challenge, learnt: Responses, held_out: Responses
    ) -> tuple[dict[str, Any], list[Drift]]:
        """Return the figures to register: the outcome, the estimates for later comparisons, and the drift."""
        everybody = Responses(self._survey, np.concatenate([learnt.codes, held_out.codes]))
        now = marginals(everybody)
        last, start = self._standing.compared, self._standing.start
        compared, before = dict(now), _marginals(last) if last else {}
        figures: dict[str, Any] = challenge.challenger.training.as_json
        figures |= {name: found.as_json for name, found in out_of_bag(challenge.challenger.classifier).items()}
        if challenge.gain is not None:
            figures["gain"] = challenge.gain.as_json
        if challenge.champion is not None:
            accuracy = measured(challenge.champion.classifier, held_out, self._target, self._settings.seed).accuracy
            figures["champion"] = {"model": digest(self._settings.champion), "accuracy": accuracy.as_json}
            earlier = self._accuracy_before(last)
            if earlier is not None and not accuracy.model_based:
                what = f"accuracy in predicting {self._target}"
                before[what], compared[what] = earlier, accuracy
        drift = shifts(counted_once(self._survey, before), compared, _marginals(start) if start else None)
        beyond = [each for each in drift if each.p < self._settings.level]
        figures[IDENTICAL] = int(np.bincount(distinct_rows(everybody.codes)[1]).max())
        figures["drift"] = [each.as_json for each in beyond]
        figures[IMPORTS] = dict(self._standing.imports)
        figures["marginals"] = {what: figure.as_json for what, figure in now.items()}
        return figures, beyond

    def _accuracy_before(self, last: Run | None) -> Estimate | None:
        """Return the accuracy of the champion when it was last measured.

        The champion's accuracy is None if other responses are held out now, or a drift was accepted.
        """
        others = {"hold_out", "seed"} & set(self._standing.changed(self._settings))
        if last is None or others or self._standing.start is not None:
            return None
        figures, champion = last.figures, digest(self._settings.champion)
        known = figures.get("champion", {})
        if last.result == PROMOTED:
            known = {"model": last.model, "accuracy": figures["accuracy"]}
        if known.get("model") != champion:
            return None
        before = Estimate.from_fields(Fields(known["accuracy"], "register, accuracy"))
        return None if before.model_based else before


def _marginals(run: Run) -> dict[str, Estimate]:
    return {
        what: Estimate.from_fields(Fields(figure, f"register, {what}"))
        for what, figure in run.figures.get("marginals", {}).items()
    }


def _labels(model: Model) -> Labels:
    return lambda values: model.classifier.probabilities(values).argmax(axis=1)
