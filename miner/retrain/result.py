"""What came of a run of the scheduled job, as it is logged."""

from dataclasses import dataclass
from typing import Any

from collector.store.simulated import Simulated
from miner.retrain.standing import IMPORTS


@dataclass(frozen=True)
class Result:
    """What came of a run, for one line of log.

    Attributes:
        survey: Its name.
        result: ``promoted``, ``kept``, ``held`` (the responses have drifted, which is not accepted yet), ``waiting``
            (too few new responses) or ``busy`` (another run is at work).
        why: In words.
        run: Its number in the register; None for runs that did nothing.
        figures: What it measured.
        simulated: What is known of simulated ones among the responses; None if nothing says that there are.
    """

    survey: str
    result: str
    why: str
    run: int | None = None
    figures: dict[str, Any] | None = None
    simulated: Simulated | None = None

    @property
    def as_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        named: dict[str, Any] = {"survey": self.survey, "result": self.result, "why": self.why, "run": self.run}
        named["simulated"] = None if self.simulated is None else self.simulated.as_json
        figures = {name: figure for name, figure in (self.figures or {}).items() if name != IMPORTS}
        return named | ({} if self.figures is None else {"figures": figures})
