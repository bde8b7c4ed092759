"""How accurate a model will be, before anybody has answered: the whole survey rehearsed many times over.

Each rehearsal draws respondents, disguises their answers, trains as ``miner train`` would, and judges the model on
plain answers: the accuracy that disguised test responses estimate. Respondents are drawn from four fifths of a
pilot's rows, with replacement where these are fewer, and the model is judged on the other fifth; five rehearsals judge
on every row once. Rows that come twice tell less than as many others would: what that costs is measured, by drawing
from half of the rows as well, and taken off, as an error that falls with one over the number of different rows. Without
a pilot respondents come from the priors, in which no answer tells anything about another, and a model can only learn
noise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from collector.errors import QueryError
from collector.survey import Survey
from miner.classifier import DisguisedClassifier, survey_target
from miner.estimate import NORMAL_975, Range
from miner.model import KINDS
from miner.responses import Values
from miner.simulation import simulate
from miner.training import measured

LEARNERS = ("id3", "forest")
TEST_PARTS = 3  # one response in so many is kept out of training, as `miner train` does unless told otherwise
JUDGE_PARTS = 5  # one pilot row in so many is judged on
SEEDS = 2**32
FEWEST_ROWS = 30  # of a pilot
DRAWN_ROWS = 20_000  # of judges, where they come from the priors


@dataclass(frozen=True)
class Forecast:
    """What to expect of one kind of model.

    Attributes:
        kind: ``id3`` or ``forest``.
        accuracy: The mean over rehearsals.
        standard_error: Of that mean, and of the pilot, whose people are a sample themselves.
        spread: Standard deviation between surveys: one survey's model may be better or worse.
        test_error: The standard error to expect of the accuracy as `miner train` will estimate it.
        baseline: Accuracy of always predicting the most frequent class.
    """

    kind: str
    accuracy: float
    standard_error: float
    spread: float
    test_error: float
    baseline: float

    @property
    def interval(self) -> Range:
        """Of the accuracy, 95 %."""
        reach = NORMAL_975 * self.standard_error
        return max(0.0, self.accuracy - reach), min(1.0, self.accuracy + reach)

    @property
    def as_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {**vars(self), "interval": list(self.interval)}


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
    found: dict[str, list[_Result]] = {kind: [] for kind in LEARNERS}
    baselines = []
    for people in _everybody(rehearsal, rng):
        classes = np.bincount(people.source[:, column])
        baselines.append(float((people.judges[:, column] == classes.argmax()).mean()))
        for kind, results in found.items():
            results.append(_rehearsed(rehearsal, kind, people, rng))
            after_each()
    judges = DRAWN_ROWS if rehearsal.pilot is None else len(rehearsal.pilot)
    return [_summed(kind, results, float(np.mean(baselines)), judges) for kind, results in found.items()]


def _check(rehearsal: Rehearsal) -> None:
    if rehearsal.respondents < 2 * TEST_PARTS:
        raise QueryError("respondents", "there are too few to train a model and test it", "ask more people")
    if rehearsal.pilot is not None and len(rehearsal.pilot) < FEWEST_ROWS:
        raise QueryError("pilot", f"it has fewer than {FEWEST_ROWS} rows", "ask more people, or leave it out")
    if rehearsal.times < 2:  # noqa: PLR2004 - one has no spread
        raise QueryError("rehearsals", "one alone has no spread", "make 2 or more")


@dataclass(frozen=True, eq=False)
class _People:
    """Whom to draw respondents from, whom to judge on, and how many train a model."""

    source: Values
    judges: Values
    trained: int

    def respondents(self, rows: int, rng: np.random.Generator) -> Values:
        """As many as train a model, from the first so many rows of the source."""
        return self.source[rng.choice(rows, self.trained, replace=rows < self.trained)]


def _everybody(rehearsal: Rehearsal, rng: np.random.Generator) -> Iterator[_People]:
    """The people of each rehearsal."""
    trained = rehearsal.respondents - rehearsal.respondents // TEST_PARTS
    dealt = np.arange(0)
    for number in range(rehearsal.times):
        if rehearsal.pilot is None:
            source, judges = (_drawn(rehearsal.survey, rows, rng) for rows in (trained, DRAWN_ROWS))
        else:
            part = number % JUDGE_PARTS
            dealt = dealt if part else rng.permutation(len(rehearsal.pilot))
            judged = np.arange(len(dealt)) % JUDGE_PARTS == part
            source, judges = rehearsal.pilot[dealt[~judged]], rehearsal.pilot[dealt[judged]]
        yield _People(source, judges, trained)


def _drawn(survey: Survey, rows: int, rng: np.random.Generator) -> Values:
    columns = [
        rng.choice(len(each.values), rows, p=[float(share) for share in each.prior]) for each in survey.questions
    ]
    return np.stack(columns, axis=1).astype(np.int16)


@dataclass(frozen=True)
class _Result:
    """Of one rehearsal: accuracy from all rows, as it would be from rows without end, and the error of its test."""

    accuracy: float
    foretold: float
    test_error: float


def _rehearsed(rehearsal: Rehearsal, kind: str, people: _People, rng: np.random.Generator) -> _Result:
    survey, rows = rehearsal.survey, len(people.source)
    model = _fitted(rehearsal, kind, people.respondents(rows, rng), rng)
    accuracy = foretold = _accuracy(model, people.judges)
    if rows < people.trained:
        fewer = _accuracy(_fitted(rehearsal, kind, people.respondents(rows // 2, rng), rng), people.judges)
        foretold += (1 - rows / people.trained) * (accuracy - fewer)
    size = max(2, rehearsal.respondents // TEST_PARTS)
    tests = simulate(survey, people.judges[rng.integers(len(people.judges), size=size)], rng)
    tested = measured(model, tests, survey_target(survey, None), int(rng.integers(SEEDS)))
    return _Result(accuracy, foretold, tested.accuracy.standard_error or 0.0)


def _fitted(rehearsal: Rehearsal, kind: str, learnt: Values, rng: np.random.Generator) -> DisguisedClassifier:
    model = KINDS[kind](rehearsal.survey).set_params(random_state=int(rng.integers(SEEDS)), mode=rehearsal.mode)
    fitted: DisguisedClassifier = model.fit(simulate(rehearsal.survey, learnt, rng).frame)
    return fitted


def _accuracy(model: DisguisedClassifier, judges: Values) -> float:
    """On plain answers."""
    column = model.survey.questions.index(model.survey.question(survey_target(model.survey, None)))
    return float((model.probabilities(judges).argmax(axis=1) == judges[:, column]).mean())


def _summed(kind: str, results: Sequence[_Result], baseline: float, judges: int) -> Forecast:
    foretold = np.array([each.foretold for each in results])
    accuracy = float(np.clip(foretold.mean(), 0, 1))
    error = sqrt(float(foretold.var(ddof=1)) / len(results) + accuracy * (1 - accuracy) / judges)
    spread = float(np.std([each.accuracy for each in results], ddof=1))
    test_error = float(np.mean([each.test_error for each in results]))
    return Forecast(kind, accuracy, error, spread, test_error, baseline)
