"""Expected accuracy of a model before the survey: the survey is simulated many times.

Each rehearsal draws respondents, disguises their answers, trains as ``miner train`` would, and judges the model on
plain answers: the accuracy that disguised test responses estimate. Respondents are drawn from four fifths of a pilot's
rows, each as often as any other where these are fewer, and the model is judged on the other fifth; five rehearsals
judge on every row once. Rows that come twice tell less than as many others would: what that costs is measured in a
population made in the pilot's likeness (`miner.planning.pilot_population`), where a model that learns from as few rows
can be set beside one that learns from fresh people, and is added. Without a pilot respondents come from the priors, in
which no answer tells anything about another, and a model can only learn noise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from typing import Any, NamedTuple

import numpy as np

from collector.errors import QueryError
from collector.survey.survey import Survey
from miner.arrays import Floats
from miner.estimates.estimate import NORMAL_975, Range
from miner.learners.classifier import DisguisedClassifier, survey_target
from miner.models.model import KINDS
from miner.models.training import measured
from miner.planning.pilot_population import Likeness
from miner.planning.simulated_precision import drawn_by_priors
from miner.responses.responses import Values
from miner.simulation.simulation import simulate

LEARNERS = ("id3", "forest")
TEST_PARTS = 3  # one response in so many is kept out of training, as `miner train` does unless told otherwise
JUDGE_PARTS = 5  # one pilot row in so many is judged on
SEEDS = 2**32
FEWEST_ROWS = 30  # of a pilot
DRAWN_ROWS = 20_000  # of judges, where they come from the priors
LIKE_JUDGES = 5_000  # people in the pilot's likeness that models are judged on
NEAR = 0.02  # of an accuracy: as near as a pilot should foretell it, 99 times in 100
NORMAL_995 = 2.5758293035489004


@dataclass(frozen=True)
class Forecast:
    """What to expect of one kind of model.

    Attributes:
        kind: ``id3`` or ``forest``.
        accuracy: The mean over rehearsals, and the middle of the interval. Published only where it is `near`.
        standard_error: Of that mean, and of the pilot, whose people are a sample themselves.
        pilot_needed: How many rows a pilot needs to foretell the accuracy to `NEAR`, 99 times in 100; None if this one
            does, and if there is none.
        spread: Standard deviation between surveys: one survey's model may be better or worse.
        test_error: The standard error to expect of the accuracy as `miner train` will estimate it; None if it will not,
            too few being asked all that the model looks at.
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
        """Of the accuracy, 95 %."""
        reach = NORMAL_975 * self.standard_error
        return max(0.0, self.accuracy - reach), min(1.0, self.accuracy + reach)

    @property
    def near(self) -> bool:
        """Whether the accuracy is foretold to `NEAR`: else the interval is all that can be told."""
        return self.pilot_needed is None

    @property
    def reach(self) -> float:
        """How far off the accuracy may be, 99 times in 100."""
        return NORMAL_995 * self.standard_error

    @property
    def as_json(self) -> dict[str, Any]:
        """Plain JSON values; the accuracy None where it is not `near`."""
        return {**vars(self), "accuracy": self.accuracy if self.near else None, "interval": list(self.interval)}


@dataclass(frozen=True, eq=False)
class Rehearsal:
    """How rehearsals are made.

    Attributes:
        survey: The design.
        respondents: How many will answer.
        mode: Of the models, as for ``miner train``.
        times: How many rehearsals, at least 2.
        pilot: Value indices, shape (rows, questions); None to draw from the priors.
    """

    survey: Survey
    respondents: int
    mode: str
    times: int
    pilot: Values | None

    @property
    def trained(self) -> int:
        """How many respondents train a model."""
        return self.respondents - self.respondents // TEST_PARTS


def forecast(rehearsal: Rehearsal, rng: np.random.Generator, after_each: Callable[[], None]) -> list[Forecast]:
    """Rehearse a survey, for a tree and a forest.

    Args:
        rehearsal: What to rehearse.
        rng: Makes the result reproducible.
        after_each: Called after every model that was trained, `times` for each of `LEARNERS`.

    Raises:
        QueryError: If the survey names no target, or there are too few respondents, pilot rows or rehearsals.
    """
    target = survey_target(rehearsal.survey, None)
    _check(rehearsal)
    column = rehearsal.survey.questions.index(rehearsal.survey.question(target))
    likeness = _likeness(rehearsal, rng)
    found: dict[str, list[_Result]] = {kind: [] for kind in LEARNERS}
    baselines = []
    for people in _everybody(rehearsal, rng):
        classes = np.bincount(people.source[:, column])
        baselines.append(float((people.judges[:, column] == classes.argmax()).mean()))
        for kind, results in found.items():
            results.append(_rehearsed(rehearsal, kind, people, likeness, rng))
            after_each()
    return [_summed(kind, results, float(np.mean(baselines)), rehearsal.pilot) for kind, results in found.items()]


def _likeness(rehearsal: Rehearsal, rng: np.random.Generator) -> Likeness | None:
    """People like the pilot's; None where there is no pilot, or no row of it comes twice."""
    if rehearsal.pilot is None or len(rehearsal.pilot) * (JUDGE_PARTS - 1) // JUDGE_PARTS >= rehearsal.trained:
        return None
    return Likeness.of(rehearsal.survey, rehearsal.pilot, rng)


def _check(rehearsal: Rehearsal) -> None:
    if rehearsal.respondents < 2 * TEST_PARTS:
        raise QueryError("respondents", "there are too few to train a model and test it", "ask more people")
    if rehearsal.pilot is not None and len(rehearsal.pilot) < FEWEST_ROWS:
        raise QueryError("pilot", f"it has fewer than {FEWEST_ROWS} rows", "ask more people, or leave it out")
    if rehearsal.times < 2:  # noqa: PLR2004 - one has no spread
        raise QueryError("rehearsals", "one alone has no spread", "make 2 or more")


@dataclass(frozen=True, eq=False)
class _People:
    """Whom to draw respondents from, and whom to judge on."""

    source: Values
    judges: Values


def _everybody(rehearsal: Rehearsal, rng: np.random.Generator) -> Iterator[_People]:
    """The people of each rehearsal."""
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
    """So many rows of the source, each as often as any other, or once more."""
    whole, rest = divmod(count, len(source))
    return np.concatenate([np.repeat(source, whole, axis=0), source[rng.choice(len(source), rest, replace=False)]])


@dataclass(frozen=True)
class _Result:
    """Of one rehearsal.

    Attributes:
        accuracy: On the pilot's judges.
        judges: How many these were.
        test_error: Of a test with disguised responses; None where it tells nothing.
        likely: In the pilot's likeness, if that was needed.
    """

    accuracy: float
    judges: int
    test_error: float | None
    likely: _Likely | None


class _Likely(NamedTuple):
    """Accuracies in a population: of a model of fresh people, and of two of few of these, who come more than once."""

    fresh: float
    few: float
    again: float


def _rehearsed(
    rehearsal: Rehearsal, kind: str, people: _People, likeness: Likeness | None, rng: np.random.Generator
) -> _Result:
    model = _fitted(rehearsal, kind, _respondents(people.source, rehearsal.trained, rng), rng)
    size = max(2, rehearsal.respondents // TEST_PARTS)
    tests = simulate(rehearsal.survey, people.judges[rng.integers(len(people.judges), size=size)], rng)
    tested = measured(model, tests, survey_target(rehearsal.survey, None), int(rng.integers(SEEDS)))
    return _Result(
        _accuracy(model, people.judges),
        len(people.judges),
        tested.accuracy.standard_error,
        None if likeness is None else _likely(rehearsal, kind, likeness, len(people.source), rng),
    )


def _likely(rehearsal: Rehearsal, kind: str, likeness: Likeness, rows: int, rng: np.random.Generator) -> _Likely:
    fresh, judges = likeness.people(rehearsal.trained, rng), likeness.people(LIKE_JUDGES, rng)
    few = _respondents(fresh[:rows], rehearsal.trained, rng)
    return _Likely(*(_accuracy(_fitted(rehearsal, kind, learnt, rng), judges) for learnt in (fresh, few, few)))


def _fitted(rehearsal: Rehearsal, kind: str, learnt: Values, rng: np.random.Generator) -> DisguisedClassifier:
    model = KINDS[kind](rehearsal.survey).set_params(random_state=int(rng.integers(SEEDS)), mode=rehearsal.mode)
    fitted: DisguisedClassifier = model.fit(simulate(rehearsal.survey, learnt, rng).frame)
    return fitted


def _accuracy(model: DisguisedClassifier, judges: Values) -> float:
    """On plain answers."""
    column = model.survey.questions.index(model.survey.question(survey_target(model.survey, None)))
    return float((model.probabilities(judges).argmax(axis=1) == judges[:, column]).mean())


def _summed(kind: str, results: Sequence[_Result], baseline: float, pilot: Values | None) -> Forecast:
    found = np.array([each.accuracy for each in results])
    likely = np.array([each.likely for each in results if each.likely is not None])
    told = _of_likeness(likely) if len(likely) else _of_pilot(results)
    accuracy = float(np.clip(found.mean() + told.cost, 0, 1))
    judges = DRAWN_ROWS if pilot is None else len(pilot)
    error = sqrt(accuracy * (1 - accuracy) / judges + told.variance)
    needed = None if pilot is None else _pilot_needed(error, len(pilot))
    errors = [each.test_error for each in results if each.test_error is not None]
    test_error = float(np.mean(errors)) if errors else None
    return Forecast(kind, accuracy, error, needed, told.spread, test_error, baseline)


class _Told(NamedTuple):
    """What rows that come more than once cost; the variance of the forecast but for judges; spread between surveys."""

    cost: float
    variance: float
    spread: float


def _of_likeness(likely: Floats) -> _Told:
    """From the accuracies of `_Likely`, one row for each rehearsal.

    Two models of the same few people share the luck of these, as all rehearsals share the luck of the pilot. The rest
    is the luck of a single model, which rehearsals average out.
    """
    fresh, few, again = likely.T
    cost = fresh - (few + again) / 2
    shared = max(0.0, float(np.cov(few, again)[0, 1]))
    own = float(np.mean((few - again) ** 2)) / 2
    return _Told(float(cost.mean()), shared + (own + float(cost.var(ddof=1))) / len(likely), float(fresh.std(ddof=1)))


def _of_pilot(results: Sequence[_Result]) -> _Told:
    """Where no row comes twice. Of the scatter of accuracies, the luck of the judges is no matter of surveys."""
    found = np.array([each.accuracy for each in results])
    scatter = float(found.var(ddof=1))
    luck = float(np.mean([each.accuracy * (1 - each.accuracy) / each.judges for each in results]))
    return _Told(0.0, scatter / len(found), sqrt(max(0.0, scatter - luck)))


def _pilot_needed(error: float, rows: int) -> int | None:
    """Rows, to the next hundred, with which an error tells an accuracy to `NEAR`: it falls with one over their root."""
    needed = rows * (NORMAL_995 * error / NEAR) ** 2
    return None if needed <= rows else ceil(needed / 100) * 100
