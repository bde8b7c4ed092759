"""Whether withdrawn responses can be computed from a store, its models and its reports after scheduled training.

    python -m benchmarks.collecting.withdrawals          # 20 orders of 10 trials, some minutes
    python -m benchmarks.collecting.withdrawals 2 1      # so many orders and trials

An order is drawn of responses that arrive, runs of `miner.retrain` (some forced), withdrawals and tidying. At the end
come a withdrawal, a run and tidying. The attacker has every row of the store, the register, the champion, the replaced
model, and what runs printed after the last withdrawal. The attacker subtracts the rows that are left from each exact
figure, and guesses the codes of the withdrawn response; where no figure tells, the most frequent code that is left.
The same attacker is tried on a copy of the register from before the last withdrawal, which shows that the attack works.
Prints how often a code was guessed right, how often the most frequent code is right, and the standard error of their
difference, over trials.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.results import ROOT
from collector.store.registry import REPLACED
from collector.store.store import Sent, Store
from collector.survey.survey import Row, Survey
from collector.survey_file.survey_file import read_survey_file
from miner.models.model import read_model
from miner.responses.responses import Responses, value_indices
from miner.retrain.drift import marginals
from miner.retrain.job import retrain
from miner.retrain.settings import Settings
from miner.simulation.simulation import simulate

sys.path.insert(0, str(ROOT / "examples"))
from population import draw_answers  # type: ignore[import-not-found] # an example, and no package

ORDERS, TRIALS, STEPS = 20, 10, 8
CLOSE = 1e-6


def order_of(rng: np.random.Generator) -> list[str]:
    """What happens in one order."""
    drawn = rng.choice(["few", "many", "run", "forced", "withdraw", "tidy"], STEPS, p=[0.2, 0.2, 0.25, 0.1, 0.15, 0.1])
    return ["many", "run", *drawn.tolist(), "many", "run", "withdraw", "run", "tidy"]


class Trial:
    """One store through one order."""

    def __init__(self, folder: Path, survey: Survey, rng: np.random.Generator) -> None:
        self.survey, self.rng = survey, rng
        self.store = Store(folder / "s.db", create=True)
        self.store.publish(survey)
        self.settings = Settings(folder / "champion.json", mode="faithful", minimum_new=20, level=1e-9)
        self.sent: dict[bytes, Row] = {}
        self.reports: list[Mapping[str, Any]] = []
        self.before: list[Mapping[str, Any]] = []
        self.withdrawn: Row = ()

    def go(self, step: str) -> None:
        """Do one step."""
        if step in {"few", "many"}:
            people = draw_answers(int(self.rng.integers(1, 6) if step == "few" else 120), self.rng)
            for codes in simulate(self.survey, value_indices(self.survey, people), self.rng).codes.tolist():
                receipt = self.rng.bytes(32)
                self.sent[receipt] = tuple(codes)
                self.store.receive(self.survey, Sent(tuple(codes), receipt))
        elif step == "withdraw":
            self.before, self.reports = self.registered(), []
            receipt = list(self.sent)[int(self.rng.integers(len(self.sent)))]
            self.withdrawn = self.sent.pop(receipt)
            self.store.withdraw(self.survey, receipt)
        elif step == "tidy":
            self.store.tidy()
        else:
            result = retrain(self.store, self.survey.name, self.settings, force=step == "forced")
            self.reports += [result.figures] if result.figures else []

    def registered(self) -> list[Mapping[str, Any]]:
        """Return the figures of the register, and of the model that it keeps."""
        return [run.figures for run in self.store.registry.runs(self.survey.fingerprint)]

    def models(self) -> Iterator[tuple[int, bool]]:
        """Yield of each model how many responses it learnt from, and whether the rows that are left are as many."""
        left = len(self.sent)
        if self.settings.champion.exists():
            training = read_model(self.settings.champion).training
            yield training.n_train + training.n_test, training.n_train + training.n_test <= left
        for figures in self.registered():
            if REPLACED in figures:
                yield 0, False

    def guesses(self, known: Sequence[Mapping[str, Any]]) -> Row:
        """Return the attacker's guess of the codes that were withdrawn last."""
        rows = np.array(self.store.rows(self.survey), dtype=np.int16)
        frequent = [int(np.bincount(column).argmax()) for column in rows.T]
        for figures in known:
            found = figures.get("marginals", {})
            if not found:
                continue
            guess = [self._fitting(found, rows, column) for column in range(rows.shape[1])]
            frequent = [most if code is None else code for code, most in zip(guess, frequent, strict=True)]
        return tuple(frequent)

    def _fitting(self, found: Mapping[str, Any], rows: np.ndarray[Any, Any], column: int) -> int | None:
        """Return the only code that, added to the rows that are left, gives the figures of a question."""
        question, fits = self.survey.questions[column], []
        for code in question.codes:
            more = rows[0].copy()
            more[column] = code
            figures = marginals(Responses(self.survey, np.vstack([rows, more])))
            names = [f"{question.name} = {value}" for value in question.values]
            if all(abs(figures[name].estimate - (found[name]["estimate"] or 0.0)) < CLOSE for name in names):
                fits.append(code)
        return fits[0] if len(fits) == 1 else None


def trial(survey: Survey, order: Sequence[str], seed: int) -> tuple[float, float, float, bool]:
    """Return the shares of codes that are guessed now, by the most frequent code, and from the register before."""
    with TemporaryDirectory() as folder:
        one = Trial(Path(folder), survey, np.random.default_rng(seed))
        for step in order:
            one.go(step)
        kept = list(one.models())
        known = [*one.registered(), *one.reports]

        def right(figures: Sequence[Mapping[str, Any]]) -> float:
            return float(np.mean([a == b for a, b in zip(one.guesses(figures), one.withdrawn, strict=True)]))

        outcome = right(known), right([]), right(one.before), all(sound for _, sound in kept)
        one.store.close()
    return outcome


def main(arguments: list[str]) -> None:
    """Run and print."""
    orders, trials = tuple(map(int, arguments)) or (ORDERS, TRIALS)
    survey = replace(read_survey_file(ROOT / "examples" / "wellbeing.toml"), name="wellbeing")
    rng, found = np.random.default_rng(60), []
    for order in range(orders):
        steps = order_of(rng)
        found += [trial(survey, steps, 1000 * order + number) for number in range(trials)]
        now, base, before = np.array([each[:3] for each in found]).mean(axis=0)
        gain = np.array([each[0] - each[1] for each in found])
        error = gain.std(ddof=1) / np.sqrt(len(gain)) if len(gain) > 1 else float("nan")
        print(
            f"{len(found)} trials: {now:.3f} of codes guessed, {base:.3f} by the most frequent code (difference "
            f"{gain.mean():+.3f}, standard error {error:.3f}); from a register of before {before:.3f}; models that may "
            f"have learnt from a withdrawn response: {sum(not each[3] for each in found)}",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
