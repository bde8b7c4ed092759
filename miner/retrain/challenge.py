"""A newly trained model beside the champion."""

from dataclasses import dataclass
from statistics import NormalDist

from miner.estimates.estimate import Estimate
from miner.models.model import Model


@dataclass(frozen=True)
class Challenge:
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
        if self.gain is None or self.gain.standard_error is None:
            return False
        return self.gain.estimate < NormalDist().inv_cdf(self.level) * self.gain.standard_error

    @property
    def why(self) -> str:
        """In words."""
        if self.gain is None:
            return "there is no champion for this version of the survey"
        verdict = "significantly worse" if self.is_worse else "not significantly worse"
        if self.gain.model_based:
            return f"{verdict} than the champion, by a model of the answers; by how much is not known"
        error = f"standard error {self.gain.standard_error or 0.0:.4f}"
        return f"{verdict} than the champion: {self.gain.estimate:+.4f} in accuracy ({error})"
