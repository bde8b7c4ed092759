"""Summarise earlier runs for the next run: the run to compare with, the held model, and changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from collector.store.registry import ACCEPTED, HOLDS, IMPORTS, KEPT, PROMOTED, WITHDRAWN, Run
from miner.retrain.settings import Settings

DECIDES = ("champion", "model", "mode", "n_estimators", "max_features", "target", "hold_out", "seed")
"""Settings that another model comes of. The others say when to train only."""


@dataclass(frozen=True)
class Standing:
    """Finished runs of the scheduled job on one published version.

    Attributes:
        runs: Runs, sorted from the oldest to the newest.
        imports: Number of responses of each imported file that are in the store now, by the digest of the file.
    """

    runs: Sequence[Run]
    imports: Mapping[str, int]

    @classmethod
    def of(cls, runs: Sequence[Run], imports: Mapping[str, int]) -> "Standing":
        """Summarise all registered runs that finished training."""
        return cls([run for run in runs if run.result in {PROMOTED, KEPT}], imports)

    def taken_back(self, run: Run | None) -> int:
        """Return the number of a run's responses that were removed by ``collector import --undo``."""
        had = run.figures.get(IMPORTS, {}) if run else {}
        return sum(max(0, count - self.imports.get(digest, 0)) for digest, count in had.items())

    @property
    def remark(self) -> str:
        """Return a remark on removed responses of the last training, or an empty text."""
        count, withdrawn = self.taken_back(self.last), self.withdrawn
        said = f"; {count} responses that the last training had were taken back" if count else ""
        return said + (f"; {withdrawn} responses were withdrawn since the last training" if withdrawn else "")

    @property
    def withdrawn(self) -> int:
        """Return the number of responses that were withdrawn since the last run began."""
        return int(self.last.figures.get(WITHDRAWN, 0)) if self.last else 0

    def may_be_new(self, responses: int) -> int:
        """Return the largest number of responses that may have arrived after the last run.

        It is larger than `new` after withdrawals, because a response that was withdrawn may have been old or new.
        """
        return self._more(self.last, responses) + self.withdrawn if self.last else responses

    def new(self, responses: int) -> int:
        """Return the number of responses that certainly arrived after the last run.

        The number is too small if old responses have been withdrawn since the last run.
        """
        return self.new_since(self.last, responses) if self.last else responses

    def new_since(self, run: Run, responses: int) -> int:
        """Return the number of responses that arrived after a given run."""
        return max(0, self._more(run, responses))

    def _more(self, run: Run, responses: int) -> int:
        return responses - (run.responses - self.taken_back(run))

    def made(self, champion: str | None) -> Run | None:
        """Return the run that trained the champion with the given digest, or None."""
        return next((run for run in self.runs if run.result == PROMOTED and run.model == champion), None)

    @property
    def last(self) -> Run | None:
        """Return the last finished run."""
        return self.runs[-1] if self.runs else None

    @property
    def held(self) -> Run | None:
        """Return the last run if its model is on hold (not promoted) because nobody has accepted a drift yet.

        If responses between the last two runs were removed, no run is returned, and drift is tested again.
        """
        if self.last is None or HOLDS not in self.last.figures:
            return None
        older = self._not_held.figures.get(IMPORTS, {}) if self._not_held else {}
        came = {name: count for name, count in self.last.figures.get(IMPORTS, {}).items() if count > older.get(name, 0)}
        gone = any(self.imports.get(name, 0) < count for name, count in came.items())
        return None if gone else self.last

    @property
    def compared(self) -> Run | None:
        """Return the last run whose model was not held, or None if responses of the run were removed or withdrawn.

        Responses that arrived after the returned run count as new responses (newcomers).
        """
        last = self._not_held
        return None if last is None or WITHDRAWN in last.figures or self.taken_back(last) else last

    @property
    def _not_held(self) -> Run | None:
        return next((run for run in reversed(self.runs) if HOLDS not in run.figures), None)

    @property
    def earlier(self) -> list[Run]:
        """Return the runs whose figures may show a trend: those after the last accepted drift that were not held."""
        since = self.start.number if self.start else 0
        runs = [run for run in self.runs if run.number > since and not run.figures.keys() & {HOLDS, WITHDRAWN}]
        return [run for run in runs if not self.taken_back(run)]

    @property
    def start(self) -> Run | None:
        """Return the run after which the last responses with an accepted drift arrived, or None.

        Responses that arrived before the returned run are left out of comparisons with new responses.
        """
        numbers = [run.figures[ACCEPTED] for run in self.runs if ACCEPTED in run.figures]
        return next((run for run in self.runs if numbers and run.number == numbers[-1]), None)

    def changed(self, settings: Settings) -> list[str]:
        """Return the keys of settings that have changed since the last run and that affect the model."""
        if self.last is None:
            return []
        now = settings.as_json
        return [key for key in DECIDES if self.last.settings.get(key) != now[key]]
