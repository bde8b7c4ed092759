"""Compare the models of a run of the scheduled job, and write the result in one line of a log."""

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from collector.store.registry import IMPORTS
from collector.store.simulated import Simulated
from miner.estimates.estimate import Estimate
from miner.models.model import Model


@dataclass(frozen=True)
class Challenge:
    """Comparison of a newly trained model (challenger) with the model in use (champion) on held-out responses.

    Attributes:
        challenger: Newly trained model with its figures.
        champion: Model in use, or None if this version of the survey has no model yet.
        gain: Accuracy of the challenger minus that of the champion.
        level: Level of the test.
        alone: Reason in words why there is no champion to compare with.
    """

    challenger: Model
    champion: Model | None
    gain: Estimate | None
    level: float
    alone: str = "there is no champion for this version of the survey"

    @property
    def is_worse(self) -> bool:
        """Return whether the challenger is significantly worse, by a one-sided normal test of the paired difference."""
        if self.gain is None or self.gain.standard_error is None:
            return False
        return self.gain.estimate < NormalDist().inv_cdf(self.level) * self.gain.standard_error

    @property
    def why(self) -> str:
        """Return the reason for the outcome in words."""
        if self.gain is None:
            return self.alone
        verdict = "significantly worse" if self.is_worse else "not significantly worse"
        if self.gain.model_based:
            return f"{verdict} than the champion, by a model of the answers; by how much is not known"
        error = f"standard error {self.gain.standard_error or 0.0:.4f}"
        return f"{verdict} than the champion: {self.gain.estimate:+z.4f} in accuracy ({error})"


@dataclass(frozen=True)
class Result:
    """Result of a run, for one line of a log.

    Attributes:
        survey: Name of the survey.
        result: Outcome: ``promoted``, ``kept``, ``held`` (the responses have drifted, and the drift is not accepted
            yet), ``waiting`` (too few new responses) or ``busy`` (another run is active).
        why: Reason in words.
        run: Number of the run in the register, or None for a run that did nothing.
        figures: Measured figures.
        simulated: Record of simulated responses, or None if no response is known to be simulated.
    """

    survey: str
    result: str
    why: str
    run: int | None = None
    figures: dict[str, Any] | None = None
    simulated: Simulated | None = None

    @property
    def as_json(self) -> dict[str, Any]:
        """Return the result as plain JSON values."""
        named: dict[str, Any] = {"survey": self.survey, "result": self.result, "why": self.why, "run": self.run}
        named["simulated"] = None if self.simulated is None else self.simulated.as_json
        figures = {name: figure for name, figure in (self.figures or {}).items() if name != IMPORTS}
        return named | ({} if self.figures is None else {"figures": figures})
