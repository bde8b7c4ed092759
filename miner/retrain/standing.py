"""What earlier runs leave for the next one to reckon with: what it is compared with, what is held, what has changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from collector.store.registry import KEPT, PROMOTED, Run
from miner.retrain.settings import Settings

HOLDS = "held"
"""The figure of a run whose challenger waits for a word: the digest of its file, or empty where it was worse anyway."""
DECIDES = ("champion", "model", "mode", "target", "hold_out", "seed")
"""Settings that another model comes of. The others say when to train only."""


@dataclass(frozen=True)
class Standing:
    """The runs on one published version that trained to their end.

    Attributes:
        runs: The oldest first.
    """

    runs: Sequence[Run]

    @classmethod
    def of(cls, runs: Sequence[Run]) -> Standing:
        """From all runs."""
        return cls([run for run in runs if run.result in {PROMOTED, KEPT}])

    @property
    def last(self) -> Run | None:
        """The last run."""
        return self.runs[-1] if self.runs else None

    @property
    def held(self) -> Run | None:
        """The last run, if it was held: somebody has yet to say that its drift is accepted."""
        return self.last if self.last and HOLDS in self.last.figures else None

    @property
    def compared(self) -> Run | None:
        """The last run that was not held. Drift is told from there: what is held does not become the custom."""
        return next((run for run in reversed(self.runs) if HOLDS not in run.figures), None)

    def changed(self, settings: Settings) -> list[str]:
        """The settings, by key, from which another model comes than from those of the last run."""
        if self.last is None:
            return []
        now = settings.as_json
        return [key for key in DECIDES if self.last.settings.get(key) != now[key]]
