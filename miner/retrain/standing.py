"""The record of earlier runs for the next: the run to compare with, what is held, what has changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from collector.store.registry import KEPT, PROMOTED, Run
from miner.retrain.settings import Settings

HOLDS = "held"
"""The figure of a run whose challenger waits for a word: the digest of its file, or empty where it was worse anyway."""
ACCEPTED = "accepted"
"""The figure of a run whose drift was accepted: the number of the run after which the accepted responses came."""
IMPORTS = "imports"
"""The figure that has, by the digest of each file that was imported before the run, how many responses came in it."""
DECIDES = ("champion", "model", "mode", "n_estimators", "max_features", "target", "hold_out", "seed")
"""Settings that another model comes of. The others say when to train only."""


@dataclass(frozen=True)
class Standing:
    """The runs on one published version that trained to their end.

    Attributes:
        runs: The oldest first.
        imports: How many responses of each file, by its digest, are in the store now.
    """

    runs: Sequence[Run]
    imports: Mapping[str, int]

    @classmethod
    def of(cls, runs: Sequence[Run], imports: Mapping[str, int]) -> "Standing":
        """The standing after all runs."""
        return cls([run for run in runs if run.result in {PROMOTED, KEPT}], imports)

    def taken_back(self, run: Run | None) -> int:
        """The number of a run's responses that were taken back with the file they came in (collector import --undo)."""
        had = run.figures.get(IMPORTS, {}) if run else {}
        return sum(max(0, count - self.imports.get(digest, 0)) for digest, count in had.items())

    @property
    def remark(self) -> str:
        """An addition to the reason, if responses that the last training had were taken back."""
        count = self.taken_back(self.last)
        return f"; {count} responses that the last training had were taken back" if count else ""

    def new(self, responses: int) -> int:
        """The number of these responses that the last run had not, or a few fewer where some were withdrawn since."""
        return self.new_since(self.last, responses) if self.last else responses

    def new_since(self, run: Run, responses: int) -> int:
        """The number of these responses that an earlier run had not."""
        return max(0, responses - (run.responses - self.taken_back(run)))

    def made(self, champion: str | None) -> Run | None:
        """The run that made the champion with this digest; None if there is none."""
        return next((run for run in self.runs if run.result == PROMOTED and run.model == champion), None)

    @property
    def last(self) -> Run | None:
        """The last run."""
        return self.runs[-1] if self.runs else None

    @property
    def held(self) -> Run | None:
        """The last run, if it was held: somebody has yet to say that its drift is accepted.

        None where some of the responses that came before it, and after the run before, were taken back: whether the
        others drifted is tested anew. Older responses that are taken back say nothing of those that were held.
        """
        if self.last is None or HOLDS not in self.last.figures:
            return None
        older = self._not_held.figures.get(IMPORTS, {}) if self._not_held else {}
        came = {name: count for name, count in self.last.figures.get(IMPORTS, {}).items() if count > older.get(name, 0)}
        gone = any(self.imports.get(name, 0) < count for name, count in came.items())
        return None if gone else self.last

    @property
    def compared(self) -> Run | None:
        """The last run that was not held. Those who came after it are the newcomers.

        None where responses that it had were taken back: then those now are no longer those, and some more.
        """
        return None if self.taken_back(self._not_held) else self._not_held

    @property
    def _not_held(self) -> Run | None:
        return next((run for run in reversed(self.runs) if HOLDS not in run.figures), None)

    @property
    def start(self) -> Run | None:
        """The run after which the responses came that were accepted last. Newcomers are compared with those from there.

        None where no drift was accepted: then all are compared with.
        """
        numbers = [run.figures[ACCEPTED] for run in self.runs if ACCEPTED in run.figures]
        return next((run for run in self.runs if numbers and run.number == numbers[-1]), None)

    def changed(self, settings: Settings) -> list[str]:
        """The settings, by key, from which another model comes than from those of the last run."""
        if self.last is None:
            return []
        now = settings.as_json
        return [key for key in DECIDES if self.last.settings.get(key) != now[key]]
