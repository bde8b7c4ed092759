"""Forecast the accuracy of a model before the survey, by simulating the survey many times.

Each simulation (a rehearsal) draws respondents, disguises their answers, trains as ``miner train`` does, and tests the
model on plain answers.

In a rehearsal with a pilot, respondents are drawn from four fifths of the pilot's rows, and the model is tested on the
remaining fifth. A pilot with fewer rows than respondents has its rows drawn repeatedly, all equally often. In five
rehearsals, each row of the pilot is used once for testing. Repeated rows contain less information than the same number
of distinct rows. The loss of accuracy by repeated rows is measured in a simulated population
(`miner.planning.pilot_population`), and added to the forecast. Without a pilot, respondents are drawn from the priors,
with independent answers, so that a model can only learn noise.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from typing import Any, NamedTuple

import numpy as np

from collector.disclosure.precision import NORMAL_975
from collector.errors import QueryError
from collector.survey.survey import Survey
from miner.arrays import Floats
from miner.figures.estimate import Range
from miner.learners.classifier import DisguisedClassifier, survey_target
from miner.learners.kinds import KINDS
from miner.models.training import measured
from miner.planning.pilot_population import PilotPopulation, drawn_by_priors
from miner.responses.responses import Values
from miner.simulation.simulation import simulate

LEARNERS = ("id3", "forest")
TEST_PARTS = 3  # one of this many responses is held out of training, as by default in `miner train`
JUDGE_PARTS = 5  # one of this many pilot rows is held out for testing
SEEDS = 2**32
FEWEST_ROWS = 30  # smallest number of rows of a pilot
DRAWN_ROWS = 20_000  # number of people to test on that are drawn from the priors
LIKE_JUDGES = 5_000  # number of simulated people that models are tested on
NEAR = 0.02  # largest error of a published forecast accuracy, in 99 of 100 cases
NORMAL_995 = 2.5758293035489004


@dataclass(frozen=True)
class Forecast:
    """Expected accuracy of one kind of model.

    Attributes:
        kind: Kind of model, ``id3`` or ``forest``.
        accuracy: Mean accuracy over rehearsals, published only if it is `near`.
        standard_error: Standard error of the mean accuracy, including the sampling of the pilot.
        pilot_needed: Number of pilot rows needed to forecast the accuracy to within `NEAR` in 99 of 100 cases, or None
            if the pilot has enough rows or there is no pilot.
        spread: Standard deviation of the accuracy between surveys.
        test_error: Expected standard error of the accuracy that `miner train` estimates, or None if too few respondents
            are asked all questions of the model.
        baseline: Accuracy of always predicting the most frequent class.
    """

    kind: str
    accuracy: float
    standard_error: float
    pilot_needed: int | None
    spread: float
    test_error: float | None
    baseline: float

    @property
    def interval(self) -> Range:
        """Return the 95 % interval of the accuracy."""
        reach = NORMAL_975 * self.standard_error
        return max(0.0, self.accuracy - reach), min(1.0, self.accuracy + reach)

    @property
    def near(self) -> bool:
        """Return whether the accuracy is forecast to within `NEAR`, and is therefore published."""
        return self.pilot_needed is None

    @property
    def reach(self) -> float:
        """Return the error of the forecast that is not exceeded in 99 of 100 cases."""
        return NORMAL_995 * self.standard_error

    @property
    def as_json(self) -> dict[str, Any]:
        """Return the forecast as plain JSON values. If an accuracy is not `near`, it is None in the JSON values."""
        return {**vars(self), "accuracy": self.accuracy if self.near else None, "interval": list(self.interval)}


@dataclass(frozen=True, eq=False)
class ForecastSettings:
    """Settings of a forecast.

    Attributes:
        survey: Survey with its design.
        respondents: Number of respondents.
        mode: Mode of the models, one that ``miner train`` takes.
        times: Number of simulated surveys, at least 2.
        pilot: Value indices of a pilot, shape (rows, questions), or None to draw from the priors.
    """

    survey: Survey
    respondents: int
    mode: str
    times: int
    pilot: Values | None

    @property
    def trained(self) -> int:
        """Return the number of respondents whose responses train a model."""
        return self.respondents - self.respondents // TEST_PARTS


def forecast(rehearsal: ForecastSettings, rng: np.random.Generator, after_each: Callable[[], None]) -> list[Forecast]:
    """Forecast the accuracy of a tree and a forest by simulated surveys.

    Args:
        rehearsal: Settings of the forecast.
        rng: Random generator; a seeded one makes the result reproducible.
        after_each: Function that is called after each trained model, `times` times for each of `LEARNERS`.

    Raises:
        QueryError: If the survey names no class question, or there are too few respondents, pilot rows or rehearsals.
    """
    target = survey_target(rehearsal.survey, None)
    _check(rehearsal)
    column = rehearsal.survey.column(target)
    model_people = _pilot_population(rehearsal, rng)
    found: dict[str, list[_Result]] = {kind: [] for kind in LEARNERS}
    baselines = []
    for people in _everybody(rehearsal, rng):
        classes = np.bincount(people.source[:, column])
        baselines.append(float((people.judges[:, column] == classes.argmax()).mean()))
        for kind, results in found.items():
            results.append(_rehearsed(rehearsal, kind, people, model_people, rng))
            after_each()
    return [_summed(kind, results, float(np.mean(baselines)), rehearsal.pilot) for kind, results in found.items()]


def _pilot_population(rehearsal: ForecastSettings, rng: np.random.Generator) -> PilotPopulation | None:
    """Return the simulated population, or None without a pilot or if no pilot row is drawn twice."""
    if rehearsal.pilot is None or len(rehearsal.pilot) * (JUDGE_PARTS - 1) // JUDGE_PARTS >= rehearsal.trained:
        return None
    return PilotPopulation.of(rehearsal.survey, rehearsal.pilot, rng)


def _check(rehearsal: ForecastSettings) -> None:
    if rehearsal.respondents < 2 * TEST_PARTS:
        raise QueryError("respondents", "there are too few respondents to train and test a model", "ask more people")
    if rehearsal.pilot is not None and len(rehearsal.pilot) < FEWEST_ROWS:
        raise QueryError("pilot", f"it has fewer than {FEWEST_ROWS} rows", "ask more people, or leave out the target")
    classes = rehearsal.survey.column(survey_target(rehearsal.survey, None))
    if rehearsal.pilot is not None and len(np.unique(rehearsal.pilot[:, classes])) == 1:
        problem = "all its rows are of one class, which any model predicts"
        raise QueryError("pilot", problem, "give rows of several classes, or leave out the target")
    if rehearsal.times < 2:  # one has no spread
        raise QueryError(
            "rehearsals", "there are fewer than two repetitions, which show no spread", "make two repetitions or more"
        )


@dataclass(frozen=True, eq=False)
class _People:
    """Rows of people that respondents are drawn from, and rows that models are tested on."""

    source: Values
    judges: Values


def _everybody(rehearsal: ForecastSettings, rng: np.random.Generator) -> Iterator[_People]:
    dealt = np.arange(0)
    for number in range(rehearsal.times):
        if rehearsal.pilot is None:
            yield _People(*(drawn_by_priors(rehearsal.survey, rows, rng) for rows in (rehearsal.trained, DRAWN_ROWS)))
        else:
            part = number % JUDGE_PARTS
            dealt = dealt if part else rng.permutation(len(rehearsal.pilot))
            judged = np.arange(len(dealt)) % JUDGE_PARTS == part
            yield _People(rehearsal.pilot[dealt[~judged]], rehearsal.pilot[dealt[judged]])


def _respondents(source: Values, count: int, rng: np.random.Generator) -> Values:
    """Draw a given number of rows, each as often as any other or once more."""
    whole, rest = divmod(count, len(source))
    return np.concatenate([np.repeat(source, whole, axis=0), source[rng.choice(len(source), rest, replace=False)]])


@dataclass(frozen=True)
class _Result:
    """Result of one simulated survey.

    Attributes:
        accuracy: Accuracy on the pilot rows held out for testing.
        judges: Number of held-out pilot rows.
        test_error: Standard error of a test with disguised responses, or None if no accuracy can be estimated.
        likely: Accuracies in the simulated population, or None if no row is repeated.
    """

    accuracy: float
    judges: int
    test_error: float | None
    likely: "_Likely | None"


class _Likely(NamedTuple):
    """Accuracies of three models in a simulated population.

    The first model is trained on distinct people, and two models on people who occur several times.
    """

    fresh: float
    few: float
    again: float


def _rehearsed(
    rehearsal: ForecastSettings,
    kind: str,
    people: _People,
    model_people: PilotPopulation | None,
    rng: np.random.Generator,
) -> _Result:
    model = _fitted(rehearsal, kind, _respondents(people.source, rehearsal.trained, rng), rng)
    size = max(2, rehearsal.respondents // TEST_PARTS)
    tests = simulate(rehearsal.survey, people.judges[rng.integers(len(people.judges), size=size)], rng)
    tested = measured(model, tests, survey_target(rehearsal.survey, None), int(rng.integers(SEEDS)))
    return _Result(
        _accuracy(model, people.judges),
        len(people.judges),
        tested.accuracy.standard_error,
        None if model_people is None else _likely(rehearsal, kind, model_people, len(people.source), rng),
    )


def _likely(
    rehearsal: ForecastSettings, kind: str, model_people: PilotPopulation, rows: int, rng: np.random.Generator
) -> _Likely:
    fresh, judges = model_people.people(rehearsal.trained, rng), model_people.people(LIKE_JUDGES, rng)
    few = _respondents(fresh[:rows], rehearsal.trained, rng)
    return _Likely(*(_accuracy(_fitted(rehearsal, kind, learnt, rng), judges) for learnt in (fresh, few, few)))


def _fitted(rehearsal: ForecastSettings, kind: str, learnt: Values, rng: np.random.Generator) -> DisguisedClassifier:
    model = KINDS[kind](rehearsal.survey).set_params(random_state=int(rng.integers(SEEDS)), mode=rehearsal.mode)
    fitted: DisguisedClassifier = model.fit(simulate(rehearsal.survey, learnt, rng))
    return fitted


def _accuracy(model: DisguisedClassifier, judges: Values) -> float:
    column = model.survey.column(survey_target(model.survey, None))
    return float((model.probabilities(judges).argmax(axis=1) == judges[:, column]).mean())


def _summed(kind: str, results: Sequence[_Result], baseline: float, pilot: Values | None) -> Forecast:
    found = np.array([each.accuracy for each in results])
    likely = np.array([each.likely for each in results if each.likely is not None])
    corrections = _of_likeness(likely) if len(likely) else _of_pilot(results)
    accuracy = float(np.clip(found.mean() + corrections.cost, 0, 1))
    judges = DRAWN_ROWS if pilot is None else len(pilot)
    error = sqrt(accuracy * (1 - accuracy) / judges + corrections.variance)
    needed = None if pilot is None else _pilot_needed(error, len(pilot))
    errors = [each.test_error for each in results if each.test_error is not None]
    test_error = float(np.mean(errors)) if errors else None
    return Forecast(kind, accuracy, error, needed, corrections.spread, test_error, baseline)


class _Told(NamedTuple):
    """Accuracy lost by repeated rows, variance of the forecast without test rows, and spread between surveys."""

    cost: float
    variance: float
    spread: float


def _of_likeness(likely: Floats) -> _Told:
    """Compute the loss of accuracy by repeated rows and the variance of the forecast from all simulated surveys.

    Two models of the same people share the sampling error of the people, as all rehearsals share that of the pilot.
    """
    fresh, few, again = likely.T
    cost = fresh - (few + again) / 2
    shared = max(0.0, float(np.cov(few, again)[0, 1]))
    own = float(np.mean((few - again) ** 2)) / 2
    return _Told(float(cost.mean()), shared + (own + float(cost.var(ddof=1))) / len(likely), float(fresh.std(ddof=1)))


def _of_pilot(results: Sequence[_Result]) -> _Told:
    """Compute the variances for the case in which no row is repeated and the loss is 0.

    The variance due to the test rows is not part of the variance between surveys.
    """
    found = np.array([each.accuracy for each in results])
    scatter = float(found.var(ddof=1))
    luck = float(np.mean([each.accuracy * (1 - each.accuracy) / each.judges for each in results]))
    return _Told(0.0, scatter / len(found), sqrt(max(0.0, scatter - luck)))


def _pilot_needed(error: float, rows: int) -> int | None:
    """Return the number of pilot rows for an error of at most `NEAR`, rounded up to hundreds.

    The error of the forecast is proportional to 1 / sqrt(pilot rows).
    """
    needed = rows * (NORMAL_995 * error / NEAR) ** 2
    return None if needed <= rows else ceil(needed / 100) * 100
