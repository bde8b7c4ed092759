"""Compare classifiers on held-out responses, and choose: one of them, or a pool of all.

Each candidate is fitted to all folds but one and predicts the rows behind the responses of that one
(`miner.behind.rows.drawn_rows`). Its log odds are scaled, and intercepts added, as fits the other folds best: so
discrimination is compared, not calibration, which a learner that ignores the disguise never has. Of the single
candidates the simplest is taken that is not behind the best by more than one standard error of the paired difference
(Breiman et al. 1984). The pool of all (`miner.learners.choice.pool`) is taken instead, unless it
is behind that one by more than two. Such an error knows how responses scatter, not how fits do: where there are two
folds only, the pool is taken in any case.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from collector.errors import DeniableError, QueryError
from miner.arrays import Floats, Positions
from miner.behind.rows import Rows, drawn_rows
from miner.estimates.estimate import Estimate, mean_estimate
from miner.evaluation.auc import auc_difference
from miner.evaluation.copies import Copies, asked_questions
from miner.learners.choice.plan import FOLDS, Budget, folds_of
from miner.learners.choice.pool import Pool, logarithms_of
from miner.learners.classifier import DisguisedClassifier
from miner.responses.plain_rows import PlainRows, Stacked
from miner.responses.responses import Responses
from miner.steps import Advance

MOST_JUDGES = 6_000  # responses in all folds together; of more, a random sample
MOST_DRAWN = 2**19  # signed copies of a fold, where they cannot all be written out
FEWEST_RESPONSES = 30  # that anything is compared on
POOL = "pool"
POOLED = 2.0  # standard errors that the pool may be behind: a mean of several does not scatter as one does
MEASURES = ("log-loss", "auc", "accuracy")
NO_TIME = "no time"


class Candidate(NamedTuple):
    """A classifier to compare.

    Attributes:
        name: For people.
        make: An unfitted one.
        offered: Whether it may be chosen; otherwise it is there to be beaten.
    """

    name: str
    make: Callable[[], DisguisedClassifier]
    offered: bool = True


class Compared(NamedTuple):
    """One candidate, or the pool.

    Attributes:
        name: Its name.
        behind: By how much it is worse than the chosen one, in the measure; None where it could not be fitted.
        standard_error: Standard error of `behind`, a paired difference.
        problem: Why it could not be fitted.
    """

    name: str
    behind: float | None
    standard_error: float | None
    problem: str = ""


@dataclass(frozen=True)
class LearnerComparison:
    """The candidates that were compared, and the one chosen.

    Attributes:
        by: One of `MEASURES`.
        responses: Number of responses that candidates were judged on.
        rows: From the simplest to the pool.
        chosen: Name of one of them.
        pool: Weights of the candidates that could be fitted, in order; 0 unless chosen, or in a pool that is.
    """

    by: str
    responses: int
    rows: tuple[Compared, ...]
    chosen: str
    pool: Pool = field(compare=False)

    @property
    def why(self) -> str:
        """The reason in one line."""
        others = [row for row in self.rows if row.behind is not None and row.name != self.chosen]
        worse, better = (
            "; ".join(f"{row.name} {abs(row.behind or 0):.4f} ({row.standard_error:.4f})" for row in some)
            for some in (
                [row for row in others if (row.behind or 0) >= 0],
                [row for row in others if (row.behind or 0) < 0],
            )
        )
        measure = f"{self.by.replace('-', ' ')} on disguised responses kept out in turn, {self.responses} in all"
        said = f"; worse by (standard error) {worse}" if worse else ""
        said += f"; better, but not clearly or not on offer, by {better}" if better else ""
        return f"chosen by {measure}{said}"

    @property
    def fitted(self) -> list[str]:
        """Names of the candidates that the weights of the pool are of."""
        return [row.name for row in self.rows if row.behind is not None and row.name != POOL]

    @property
    def table(self) -> list[list[str]]:
        """A table for people: a row for each candidate, how far it is behind, and the standard error."""
        return [
            [each.name, each.problem, ""]
            if each.behind is None
            else [each.name, f"{each.behind:+z.4f}", f"{each.standard_error:.4f}"]
            for each in self.rows
        ]

    @property
    def as_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        rows = [row._asdict() for row in self.rows]
        return {"by": self.by, "responses": self.responses, "chosen": self.chosen, "compared": rows}


class _Trial(NamedTuple):
    """One fold: its responses, which no candidate here was fitted to, and the candidates."""

    fold: Responses
    fitted: dict[str, DisguisedClassifier]
    problems: dict[str, str]


@dataclass(frozen=True, eq=False)
class Contest:
    """Candidates, and how to compare them.

    Attributes:
        candidates: From the simplest to the most complex.
        target: Name of the class question.
        by: One of `MEASURES`.
        pooled: Whether the pool may be chosen.
        plain: Rows that all candidates learn from, and none is judged on.
        budget: Says for which candidates there is time; None for all.
        advance: Called after each fit, and after judging.
    """

    candidates: Sequence[Candidate]
    target: str
    by: str = MEASURES[0]
    pooled: bool = True
    plain: PlainRows | None = None
    budget: Budget | None = None
    advance: Advance = field(default=lambda: None)

    def decided(self, responses: Responses, rng: np.random.Generator) -> LearnerComparison | None:
        """Compare, and choose; None if there are fewer than `FEWEST_RESPONSES`.

        Args:
            responses: Disguised.
            rng: Deals folds, and draws rows and copies.

        Raises:
            QueryError: If there is no such measure, no candidate on offer can be fitted, or the measure is not known
                because too few respondents were asked all questions.
        """
        if self.by not in MEASURES:
            raise QueryError("by", "there is no such measure", f"use one of: {', '.join(MEASURES)}")
        every = rng.permutation(np.flatnonzero(responses.asked_all([self.target])))
        if len(every) < FEWEST_RESPONSES:
            return None
        some, number = every[:MOST_JUDGES], folds_of(responses.survey, len(every))
        folds = [np.sort(some[fold::number]) for fold in range(number)]
        trials = [self._trial(responses, fold, np.setdiff1d(some, fold)) for fold in folds]
        known = responses.take(np.concatenate(folds))
        judges = drawn_rows(known, self._with_plain(known, rng), self.target, rng)
        found = _Judgement(self, trials, judges, rng).comparison()
        self.advance()
        return found

    def _with_plain(self, responses: Responses, rng: np.random.Generator) -> Responses:
        return responses if self.plain is None else Stacked.of(responses, self.plain, rng)

    def _trial(self, responses: Responses, fold: Positions, others: Positions) -> _Trial:
        learnt = responses.take(others)
        fitted, problems = {}, {}
        for each in self.candidates:
            if self.budget is not None and not self.budget.allows(each.name):
                problems[each.name] = NO_TIME
                continue
            try:
                fitted[each.name] = each.make().fit(learnt, plain=self.plain)
            except DeniableError as error:
                problems[each.name] = error.problem
            if self.budget is not None:
                self.budget.spent_on_fold(each.name)
            self.advance()
        return _Trial(responses.take(fold), fitted, problems)


class _Judgement:
    """The candidates that could be fitted on each fold, and the pool, judged."""

    def __init__(self, contest: Contest, trials: list[_Trial], judges: Rows, rng: np.random.Generator) -> None:
        self.contest, self.trials, self.judges, self.rng = contest, trials, judges, rng
        self.problems = {name: problem for trial in trials for name, problem in trial.problems.items()}
        self.names = [each.name for each in contest.candidates if each.name not in self.problems]
        self.offered = [each.name for each in contest.candidates if each.offered and each.name in self.names]
        if not self.offered:
            raise QueryError("auto", "no candidate can be fitted", next(iter(self.problems.values())))
        self.entrants = [*self.names, *([POOL] if contest.pooled else [])]
        ends = np.cumsum([0, *(len(trial.fold) for trial in trials)])
        self.folds = [np.arange(*ends[number : number + 2]) for number in range(len(trials))]
        self.logs = np.concatenate(
            [self._logs(trial, judges.take(fold).values) for trial, fold in zip(trials, self.folds, strict=True)],
            axis=1,
        )
        self.pools = {each: [self._pool(each, number) for number in range(len(trials))] for each in self.entrants}

    def _logs(self, trial: _Trial, values: Any) -> Floats:  # noqa: ANN401 - value indices
        """Shape (candidates, rows, classes)."""
        return np.stack([logarithms_of(trial.fitted[name].probabilities(values)) for name in self.names])

    def _members(self, entrant: str) -> list[int]:
        return list(range(len(self.names))) if entrant == POOL else [self.names.index(entrant)]

    def _pool(self, entrant: str, without: int | None = None) -> Pool:
        """The weights of an entrant, fitted without one of the folds."""
        kept = np.concatenate([fold for number, fold in enumerate(self.folds) if number != without])
        judges = self.judges.take(kept)
        return Pool.fitted(self.logs[self._members(entrant)][:, self.judges.positions(kept)], judges)

    def comparison(self) -> LearnerComparison:
        """Choose."""
        offered = self.offered
        single = offered[0]
        for name in offered[1:]:
            single = name if self._behind(single, name)[0] > 0 else single
        lags = {name: self._behind(name, single) for name in offered}
        chosen = next(name for name in offered if lags[name][0] <= lags[name][1])
        chosen = POOL if self._pool_is_taken(chosen) else chosen
        rows = []
        for each in [*(each.name for each in self.contest.candidates), *self.entrants[len(self.names) :]]:
            behind, error = (None, None) if each in self.problems else self._behind(each, chosen)
            rows.append(Compared(each, behind, error, self.problems.get(each, "")))
        found, weights = self._pool(chosen), np.zeros(len(self.names))
        weights[self._members(chosen)] = found.weights
        pool = Pool(weights, found.intercepts)
        return LearnerComparison(self.contest.by, len(self.judges.first), tuple(rows), chosen, pool)

    def _pool_is_taken(self, single: str) -> bool:
        """Whether the pool is taken in place of the chosen single candidate; with few folds always."""
        if not self.contest.pooled or len(self.trials) < FOLDS:
            return self.contest.pooled
        lag, doubt = self._behind(POOL, single)
        return lag <= POOLED * doubt

    def _behind(self, entrant: str, other: str) -> tuple[float, float]:
        """The amount by which an entrant is worse than another, and the standard error of this paired difference."""
        if self.contest.by == MEASURES[0]:
            terms = self._losses[entrant] - self._losses[other]
            return float(terms.mean()), float(terms.std(ddof=1) / sqrt(len(terms)))
        found = [self._gain(number, entrant, other) for number in range(len(self.trials))]
        errors = [each.standard_error or 0.0 for each in found]
        return float(np.mean([each.estimate for each in found])), sqrt(sum(each**2 for each in errors)) / len(found)

    @cached_property
    def _losses(self) -> dict[str, Floats]:
        return {
            entrant: np.concatenate(
                [
                    self.judges.take(fold).losses(
                        pool.probabilities(self.logs[self._members(entrant)][:, self.judges.positions(fold)])
                    )
                    for fold, pool in zip(self.folds, self.pools[entrant], strict=True)
                ]
            )
            for entrant in self.entrants
        }

    @cached_property
    def _copies(self) -> list[tuple[Copies, Floats]]:
        """Signed copies of each fold, and the candidates' logarithms for their rows."""
        names = asked_questions(self.trials[0].fold.survey, None, self.contest.target)
        found = [Copies.of(trial.fold, self.contest.target, names, self.rng, MOST_DRAWN) for trial in self.trials]
        return [(copies, self._logs(trial, rows)) for trial, (copies, rows) in zip(self.trials, found, strict=True)]

    def _gain(self, number: int, entrant: str, other: str) -> Estimate:
        """Accuracy or AUC of the other less that of the entrant, on the signed copies of a fold: unbiased."""
        copies, logs = self._copies[number]
        predicted = [self.pools[each][number].probabilities(logs[self._members(each)]) for each in (other, entrant)]
        if self.contest.by == "accuracy":
            right = [(each.argmax(axis=1)[copies.place] == copies.cls).astype(np.int8) for each in predicted]
            return mean_estimate(copies.terms(right[0] - right[1]), (-copies.size, copies.size), copies.counts)
        classes = predicted[0].shape[1]
        found = auc_difference(copies, predicted[0], predicted[1], range(1 if classes == 2 else classes))
        if found is None:
            raise QueryError("by", "a class is estimated to have no member in some fold", "use log-loss")
        return found
