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

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from collector.errors import DeniableError, ModelError, QueryError
from collector.output import write_text
from collector.store.registry import (
    ACCEPTED,
    FAILED,
    HOLDS,
    IMPORTS,
    INTERRUPTED,
    KEPT,
    PROMOTED,
    REPLACED,
    STARTED,
    WITHDRAWN,
    Run,
)
from collector.store.simulated import Simulated
from collector.store.store import Published, Store
from collector.survey.fields import Fields
from miner.evaluation.accuracy import majority
from miner.figures.estimate import FEWEST, Estimate
from miner.learners.classifier import survey_target
from miner.learners.kinds import KINDS
from miner.learners.mode_classifier import accuracy_gain
from miner.models.model import Model, Training, read_model, write_model
from miner.models.training import measured, out_of_bag, tested
from miner.responses.distinct import distinct_rows
from miner.responses.responses import Responses
from miner.retrain.drift import Drift, counted_once, marginals, shifts
from miner.retrain.held_out import dealt_responses, digest
from miner.retrain.lock import run_lock
from miner.retrain.result import Challenge, Result, asks_the_same, labels_of
from miner.retrain.settings import FEWEST_NEW, Settings
from miner.retrain.standing import Standing

BUSY, WAITING, HELD, RESTORED = "busy", "waiting", "held", "restored"
UNTIL = "look who answers; then take their file back (collector import --undo), or accept them (--accept)"
UNTIL_NAMED = "name another file for the champion of this version, or replace the old model (--accept)"
UNLIKE = "unlike"
"""The figure of a run that is held because the champion's version asks other questions."""
WHY = "why"
"""The figure of a held run that says in words what was seen."""
IDENTICAL = "identical"
"""The figure that has how many responses are alike in all codes, at most."""


def restore_champion(store: Store, name: str, settings: Settings) -> Result:
    """Put the model back that the last promotion replaced, or raise `QueryError` if it is not kept."""
    published = store.published(name)
    with run_lock(store.path, name) as alone:
        if not alone:
            return Result(name, BUSY, "another run is at work")
        _settle(store, published, settings.champion)
        return _Run(store, published, settings, None, force=False, accept=False).restored()


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
    with run_lock(store.path, name) as alone:
        if not alone:
            return Result(name, BUSY, "another run is at work", simulated=simulated)
        _settle(store, published, settings.champion)
        done = _Run(store, published, settings, simulated, force=force, accept=accept).done()
        return replace(done, simulated=simulated)


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
            until = UNTIL_NAMED if UNLIKE in held.figures else UNTIL
            said = f"run {held.number} is held: {seen}; {new} more responses came since; {until}"
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
        if challenge.unlike and not self._accept:
            return self._hold(number, challenge, figures | {UNLIKE: True}, challenge.alone, UNTIL_NAMED)
        if drift and not self._accept:
            return self._hold(number, challenge, figures, seen, UNTIL)
        if drift and compared is not None:
            figures[ACCEPTED] = compared.number
            seen += "; this is accepted"
        why = f"{seen}; {challenge.why}" if seen else challenge.why
        why += (f"; changed settings: {', '.join(changed)}" if changed else "") + self._standing.remark
        if challenge.is_refused:
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

    def _hold(self, number: int, challenge: Challenge, figures: dict[str, Any], seen: str, until: str) -> Result:
        """Keep the champion until somebody decides, and store the challenger's file next to the champion's file."""
        if not challenge.is_refused:
            write_model(challenge.challenger, self._candidate)
        figures[HOLDS] = "" if challenge.is_refused else self._candidate_digest()
        figures[WHY] = seen
        if not self._registry.end(number, KEPT, figures):
            return self._disturbed(number)
        return Result(self._survey.name, HELD, f"{seen}; {until}", number, figures)

    def _accepted(self, held: Run) -> Result:
        """Make the held challenger the champion."""
        figures = {name: figure for name, figure in held.figures.items() if name not in {HOLDS, WHY, UNLIKE}}
        compared = self._standing.compared
        figures |= {ACCEPTED: compared.number} if compared else {}
        figures |= self._replaced(held.responses)
        number = self._registry.start(self._version, held.settings, held.responses, held.figures.get(IMPORTS))
        current = {run.number: run.figures for run in self._registry.runs(self._version)}
        stands = current[held.number].get(HOLDS) == held.figures[HOLDS]
        if not stands or not self._registry.announce(number, figures, held.figures[HOLDS]):
            return self._disturbed(number)
        self._put_in_use(number, figures)
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
        figures |= self._replaced(model.training.n_train + model.training.n_test)
        if not self._registry.announce(number, figures, self._candidate_digest()):
            self._candidate.unlink()
            return False
        self._put_in_use(number, figures)
        return True

    def _put_in_use(self, number: int, figures: dict[str, Any]) -> None:
        """Make the candidate the champion, and keep the model before it one step back only."""
        self._registry.release(run.number for run in self._runs() if run.number != number)
        self._candidate.replace(self._settings.champion)
        self._registry.end(number, PROMOTED, figures)

    def _replaced(self, responses: int) -> dict[str, str]:
        """Return the champion's file as a figure if it may be kept once it is replaced.

        It is kept if at least `FEWEST_NEW` responses came since a run trained it, and none was deleted.
        """
        now = digest(self._settings.champion)
        made = next((run for run in self._runs() if now is not None and run.model == now), None)
        if made is None:  # or its digest was erased, because a response was deleted
            return {}
        same = any(run.number == made.number for run in self._standing.runs)
        joined = self._standing.new_since(made, responses) if same else responses
        return {REPLACED: self._settings.champion.read_text("utf-8")} if joined >= FEWEST_NEW else {}

    def restored(self) -> Result:
        """Put the replaced champion back into use."""
        kept = next((run for run in self._runs() if REPLACED in run.figures), None)
        if kept is None:
            problem = "no earlier model is kept: none was replaced, fewer than 20 joined, or a response was deleted"
            raise QueryError("--back", problem, "train a model (miner train)")
        write_text(self._candidate, kept.figures[REPLACED])
        self._candidate.replace(self._settings.champion)
        self._registry.release([kept.number])
        return Result(self._survey.name, RESTORED, f"the model that run {kept.number} replaced is in use again")

    def _challenge(self, number: int, learnt: Responses, held_out: Responses) -> Challenge:
        champion, unlike = self._champion(), ""
        if champion is not None and not asks_the_same(champion.survey, self._survey):
            version = self._other_version(champion)
            champion, unlike = None, f"the champion is of version {version}, which asks other questions"
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
            labels = [labels_of(model, self._survey) for model in (champion, challenger)]
            gain = accuracy_gain(held_out, labels[0], labels[1], self._target, rng)
        version = None if champion is None else self._other_version(champion)
        forgets = champion is None and self._learnt_from_deleted(self._settings.champion)
        alone = "the model before learnt from deleted responses" if forgets else unlike or Challenge.alone
        return Challenge(challenger, champion, gain, self._settings.level, alone, version, unlike=bool(unlike))

    def _champion(self) -> Model | None:
        """Return the champion, of any version, if it has the target, and its training responses still exist.

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
        return model if model.target == self._target else None

    def _other_version(self, model: Model) -> int | None:
        """Return the number of a model's version, or 0 if it is not published, or None for the version of this run."""
        found = self._store.version_of(self._survey.name, model.survey.fingerprint)
        if found is None:
            return 0
        return None if found.fingerprint == self._version else found.version

    def _figures(
        self, challenge: Challenge, learnt: Responses, held_out: Responses
    ) -> tuple[dict[str, Any], list[Drift]]:
        """Return the figures to register: the outcome, the estimates for later comparisons, and the drift."""
        everybody = Responses(self._survey, np.concatenate([learnt.codes, held_out.codes]))
        now = marginals(everybody)
        last, start = self._standing.compared, self._standing.start
        compared, before = dict(now), _marginals(last) if last else {}
        earlier = [_marginals(run) for run in self._standing.earlier] if last else []
        figures: dict[str, Any] = challenge.challenger.training.as_json
        figures |= {name: found.as_json for name, found in out_of_bag(challenge.challenger.classifier).items()}
        if challenge.gain is not None:
            figures["gain"] = challenge.gain.as_json
        if challenge.champion is not None and challenge.version is None:
            accuracy = measured(challenge.champion.classifier, held_out, self._target, self._settings.seed).accuracy
            figures["champion"] = {"model": digest(self._settings.champion), "accuracy": accuracy.as_json}
            known = self._accuracy_before(last)
            if known is not None and not accuracy.model_based:
                what = f"accuracy in predicting {self._target}"
                before[what], compared[what] = known, accuracy
        drift = shifts(counted_once(self._survey, before), compared, _marginals(start) if start else None, earlier)
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
    known = run.figures.get("marginals", {})
    return {what: Estimate.from_fields(Fields(figure, f"register, {what}")) for what, figure in known.items()}
