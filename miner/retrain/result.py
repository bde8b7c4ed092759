"""Compare the models of a run of the scheduled job, and write the result in one line of a log."""

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from collector.store.registry import IMPORTS, REPLACED
from collector.store.simulated import Simulated
from collector.survey.survey import Survey
from miner.figures.estimate import Estimate
from miner.learners.mode_classifier import Labels
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
        version: Number of the champion's version if it is of another version, which only a better model replaces.
        unlike: Whether the champion is of a version that asks other questions, so that nothing can be compared.
    """

    challenger: Model
    champion: Model | None
    gain: Estimate | None
    level: float
    alone: str = "there is no champion for this version of the survey"
    version: int | None = None
    unlike: bool = False

    @property
    def is_refused(self) -> bool:
        """Return whether the champion stays, by a one-sided normal test of the paired difference in accuracy.

        A challenger is refused if it is significantly worse than a champion of its own version, or not significantly
        better than one of another version.
        """
        if self.gain is None:
            return False
        if self.gain.standard_error is None:
            return self.version is not None
        if self.version is not None:
            return self.gain.estimate <= NormalDist().inv_cdf(1 - self.level) * self.gain.standard_error
        return self.gain.estimate < NormalDist().inv_cdf(self.level) * self.gain.standard_error

    @property
    def why(self) -> str:
        """Return the reason for the outcome in words."""
        if self.gain is None:
            return self.alone
        test, champion = (
            ("worse", "champion") if self.version is None else ("better", f"champion of version {self.version}")
        )
        passes = self.is_refused == (self.version is None)
        verdict = f"significantly {test}" if passes else f"not significantly {test}"
        if self.gain.model_based:
            return f"{verdict} than the {champion}, by a model of the answers; by how much is not known"
        error = f"standard error {self.gain.standard_error or 0.0:.4f}"
        return f"{verdict} than the {champion}: {self.gain.estimate:+z.4f} in accuracy ({error})"


def asks_the_same(survey: Survey, newer: Survey) -> bool:
    """Return whether a newer version has every question of a version, with the same values in the same order."""
    there = {question.name: question.values for question in newer.questions}
    return all(there.get(question.name) == question.values for question in survey.questions)


def labels_of(model: Model, survey: Survey) -> Labels:
    """Return the predictions of a model from values of a survey that asks the model's questions."""
    names = [question.name for question in survey.questions]
    columns = [names.index(question.name) for question in model.survey.questions]
    return lambda values: model.classifier.probabilities(values[:, columns]).argmax(axis=1)


@dataclass(frozen=True)
class Result:
    """Result of a run, for one line of a log.

    Attributes:
        survey: Name of the survey.
        result: Outcome: ``promoted``, ``kept``, ``held`` (the responses have drifted, and the drift is not accepted
            yet), ``waiting`` (too few new responses), ``restored`` (the model before is back) or ``busy`` (another run
            is active).
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
        figures = {name: figure for name, figure in (self.figures or {}).items() if name not in {IMPORTS, REPLACED}}
        return named | ({} if self.figures is None else {"figures": figures})
