"""Fit additive scores: each answer adds to the score of each class.

Initial scores are those of naive Bayes, from a noisy table of value by class for each question. Because questions are
correlated, initial scores are multiplied by a weight (0, 1/4, 1/2, 3/4 or 1) that makes many predictions correct.

An optional correction improves the scores of each question once, by a shrunken Newton step along noisy sums of
residuals. Correcting scores by noisy sums of residuals is a private form of boosting with trees of one question (Nori,
Caruana, Bu, Shen & Kulkarni 2021).

All computations on records use integers: scores are in units of 1/1024 nat, and residuals in units of 1/1024 record,
rounded towards 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from collector.errors import ModelError
from collector.survey.survey import Survey
from miner.arrays import Floats
from miner.behind.kernels import softmax
from miner.release.family import features_of
from miner.release.noise import Counts, Noise
from miner.release.parts.class_tables import read_tables
from miner.release.parts.shrinkage import laplace_variance
from miner.release.table import TrustedTable
from miner.responses.responses import Values
from miner.trees.criteria import normalised

NAT = 1024  # number of units of a score in one nat, and of a residual in one record
QUARTERS = 4  # number of units of a weight in the whole
WEIGHING = Fraction(1, 20)  # share of a budget spent on the choice of a weight
COUNTING = Fraction(2, 5)  # share of the budget spent on the initial scores, if a correction follows
SIGNAL = 10.0  # expected variance of the scores of all questions together, in nats squared
LARGEST = 1.5  # largest change of a score by a correction, in nats
KNOWN = 0.8  # share of a class's variance at a value that remains once the other questions are known
ONE = 2**20  # largest unscaled probability, before division by the sum
FAR = 14 * NAT  # distance below the best score from which the probability is 0
POWERS = np.floor(ONE * np.exp(-np.arange(FAR + 1) / NAT)).astype(np.int64)


def shares_of(scores: Counts) -> Counts:
    """Return class probabilities from scores, in whole units of 1/1024, shape (rows, classes)."""
    behind = scores.max(axis=1, keepdims=True) - scores
    powers = POWERS[np.minimum(behind, FAR)]
    shares: Counts = powers * NAT // powers.sum(axis=1, keepdims=True)
    return shares


SHARES = shares_of(np.stack([np.zeros(2 * FAR + 1, np.int64), np.arange(-FAR, FAR + 1)], axis=1))[
    :, 1
]  # of two classes


@dataclass(frozen=True, eq=False)
class ScoreTables:
    """Tables of the score that each answer adds to each class.

    Attributes:
        features: Indices of the predictor questions.
        base: Score of each class before any answer, in 1/1024 nat, shape (classes,).
        tables: Scores of each question in 1/1024 nat, shape (values, classes).
    """

    features: tuple[int, ...]
    base: Counts
    tables: tuple[Counts, ...]

    def scores(self, values: Values) -> Counts:
        """Return the scores of rows of value indices in 1/1024 nat, shape (rows, classes).

        An unknown value (-1) adds 0.
        """
        found = np.tile(self.base, (len(values), 1))
        for feature, table in zip(self.features, self.tables, strict=True):
            padded = np.concatenate([table, np.zeros_like(table[:1])])  # the last row for -1
            found += padded.take(values[:, feature], axis=0)
        return found

    def probabilities(self, values: Values) -> Floats:
        """Return class probabilities of rows of value indices, shape (rows, classes)."""
        return likely(self.scores(values), NAT)

    def weighed(self, quarters: int) -> Self:
        """Return the scores with all tables multiplied by `quarters` / 4."""
        return replace(self, tables=tuple(quarters * each // QUARTERS for each in self.tables))

    def text(self, survey: Survey, target: str) -> str:
        """Return the number of tables, as text."""
        del survey
        return f"{len(self.tables)} tables of scores: what each answer adds for each {target}"

    @property
    def learnt(self) -> dict[str, Any]:
        """Return the scores as plain JSON values."""
        return {"base": self.base.tolist(), "scores": [each.tolist() for each in self.tables]}

    @classmethod
    def restored(cls, learnt: Any, survey: Survey, target: str) -> Self:  # noqa: ANN401 - whatever JSON held
        """Read the scores from JSON values, and check them.

        Raises:
            DeniableError: If the scores do not fit the survey and the target.
        """
        base, tables = read_tables(learnt, ("base", "scores"), survey, target)
        if max(np.abs(each).max() for each in (base, *tables)) > FAR * FAR:
            raise ModelError("learnt", "a score is outside its possible range", "release the model again")
        return cls(tuple(features_of(survey, target)), base, tables)


def fitted_scores(table: TrustedTable, epsilon: Fraction, noise: Noise, *, corrected: bool) -> ScoreTables:
    """Fit additive scores to a table with epsilon-differential privacy for adding or removing a record.

    Args:
        table: Trusted table of true answers.
        epsilon: Total privacy budget.
        noise: Source of the noise of all queries.
        corrected: Whether the scores of each question are corrected.
    """
    features = features_of(table.survey, table.target)
    first = epsilon * COUNTING if corrected else epsilon
    counting = first * (1 - WEIGHING) / len(features)
    cells = [noise.laplace(table.value_counts(each), 1, counting) for each in features]
    scores = _weighed(_counted(features, cells, laplace_variance(float(counting))), table, first * WEIGHING, noise)
    return _corrected(scores, cells, table, (epsilon - first) / len(features), noise) if corrected else scores


def _counted(features: Sequence[int], cells: Sequence[Counts], spread: float) -> ScoreTables:
    """Estimate initial additive scores from noisy tables of value by class."""
    totals = np.average([each.sum(axis=0) for each in cells], axis=0, weights=[1 / len(each) for each in cells])
    shares = normalised(np.maximum(totals, 1.0))
    tables = []
    for each in cells:
        positive = np.maximum(each, 0.0)
        expected = positive.sum(axis=1, keepdims=True) * shares
        ratios = np.log((positive + 1) / (expected + 1))
        doubt = (1 + spread / np.maximum(expected, 1.0)) * len(cells) / SIGNAL
        tables.append(_nats(ratios * expected / (expected + doubt)))
    return ScoreTables(tuple(features), _nats(np.log(shares)), tuple(tables))


def _weighed(scores: ScoreTables, table: TrustedTable, epsilon: Fraction, noise: Noise) -> ScoreTables:
    """Multiply scores by one of five weights, chosen privately so that many predictions are correct."""
    gains = scores.scores(table.values) - scores.base
    right = [count_right(QUARTERS * scores.base + quarters * gains, table) for quarters in range(QUARTERS + 1)]
    return scores.weighed(noise.flip(right, 1, epsilon, monotone=True))


def count_right(scores: Counts, table: TrustedTable) -> int:
    """Return the number of records whose class has the largest score."""
    return int((scores.argmax(axis=1) == table.labels).sum())


def _corrected(
    scores: ScoreTables, cells: Sequence[Counts], table: TrustedTable, epsilon: Fraction, noise: Noise
) -> ScoreTables:
    """Correct the scores of each question once, at a cost of `epsilon` for each question."""
    running, tables = scores.scores(table.values), list(scores.tables)
    sensitivity = NAT * min(len(scores.base) - 1, 2)
    spread = laplace_variance(float(epsilon / sensitivity)) / NAT**2
    for number, feature in enumerate(scores.features):
        column = table.values[:, feature]
        missed = noise.laplace(misses(running, table.labels, column, len(tables[number])), sensitivity, epsilon)
        step = _nats(_step(missed / NAT, cells[number], spread, SIGNAL / len(cells)))
        tables[number] = tables[number] + step
        running += step.take(column, axis=0)
    return replace(scores, tables=tuple(tables))


def likely(scores: Counts, nat: int) -> Floats:
    """Return class probabilities from scores, which are logarithms of probabilities times `nat`."""
    return softmax((scores - scores.max(axis=1, keepdims=True)) / nat)


def misses(scores: Counts, labels: NDArray[np.int16], column: NDArray[np.int16], kinds: int) -> Counts:
    """Return the sums of residuals over the rows with each value of a question, in units of 1/1024 record.

    The residual of a row is 1 - probability for the row's class, and minus the probability for any other class.

    Returns:
        For two classes, sums of the residuals of the second class, shape (values, 1), which one row changes by at most
        1024. For more than two classes, sums of the residuals of all classes, shape (values, classes), which one row
        changes by at most 2048.
    """
    missed = _missed_of_two(scores, labels) if scores.shape[1] == 2 else _missed(scores, labels)  # two
    sums = [np.bincount(column, weights=each, minlength=kinds) for each in missed.T]  # exact below 2^53
    return np.rint(np.stack(sums, axis=1)).astype(np.int64)


def _missed(scores: Counts, labels: NDArray[np.int16]) -> Counts:
    missed, rows = -shares_of(scores), np.arange(len(labels))
    missed[rows, labels] = 0
    missed[rows, labels] = -missed.sum(axis=1)
    return missed


def _missed_of_two(scores: Counts, labels: NDArray[np.int16]) -> Counts:
    """Return the residuals of the second of two classes."""
    second = labels == 1
    ahead = scores[:, 1] - scores[:, 0]
    wrong = SHARES[np.clip(np.where(second, -ahead, ahead), -FAR, FAR) + FAR]
    missed: Counts = np.where(second, wrong, -wrong)[:, None]
    return missed


def _step(missed: Floats, cells: Counts, spread: float, signal: float) -> Floats:
    """Return a Newton step of the scores, shrunk towards 0.

    Args:
        missed: Noisy sums of residuals in records, shape (values, classes), or (values, 1) for two classes.
        cells: Noisy counts, shape (values, classes).
        spread: Variance of the noise in `missed`.
        signal: Expected variance of the scores of a question.
    """
    if missed.shape[1] == 1:
        missed = np.concatenate([-missed, missed], axis=1)  # both scores move, their difference twice as far
    positive = np.maximum(cells, 1.0)
    shares = np.clip(normalised(positive), 0.02, 0.98)
    curve = KNOWN * np.maximum(cells.sum(axis=1, keepdims=True), 0) * shares * (1 - shares)
    curve *= 2 if missed.shape[1] == 2 else 1  # two classes, see above
    step: Floats = missed * curve * signal / (curve**2 * signal + curve + spread)
    return step.clip(-LARGEST, LARGEST)


def _nats(scores: Floats) -> Counts:
    return np.rint(NAT * scores).astype(np.int64)
