"""Compare classifiers on held-out responses, and choose one of them or a pool of all.

Each candidate is fitted to all folds but one. Each fitted candidate predicts the rows behind the responses of the
remaining fold (`miner.behind.rows.drawn_rows`). The log odds of the predictions are scaled, and intercepts added, so
that they fit the other folds best. Scaled log odds are compared by discrimination, not by calibration. Without scaling,
a learner that ignores the disguise would lose, because it is never calibrated.

Among single candidates, the choice is the simplest one that is not worse than the best by more than one standard error
of the paired difference (Breiman et al. 1984). The pool of all candidates (`miner.learners.choice.pool`) is preferred,
unless it is worse than the best single choice by more than two standard errors, or as many as have the same probability
under the t distribution.

Few responses are dealt into folds more than once. Standard errors include the scatter of fits, because they are
computed from the results of all folds, with a correction for the responses that the fits share (Nadeau & Bengio 2003).
They are never smaller than the scatter of responses alone. If there are only two folds, the pool is always chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from collector.errors import DeniableError, QueryError
from miner.arrays import Floats, Positions
from miner.behind.rows import Rows, drawn_rows
from miner.evaluation.auc import auc_difference
from miner.evaluation.copies import Copies, asked_questions
from miner.figures.estimate import Estimate
from miner.figures.means import mean_estimate
from miner.learners.choice.plan import FOLDS, Budget, deals_of, folds_of
from miner.learners.choice.pool import Pool, logarithms_of
from miner.learners.classifier import DisguisedClassifier
from miner.responses.distinct import distinct_rows
from miner.responses.plain_rows import PlainRows, stacked
from miner.responses.responses import Responses
from miner.steps import Advance

MOST_JUDGES = 6_000  # largest number of responses that candidates are judged on, in all folds together
JUDGING_DRAWS = 64  # rows drawn for each response; with fewer, the mean loss favours candidates that predict little
MOST_DRAWN = 2**19  # number of signed copies drawn for a fold if there are too many to list
FEWEST_RESPONSES = 30  # smallest number of responses for a comparison
POOL = "pool"
POOLED = 2.0  # standard errors by which the pool may be worse and still be chosen, if they were known exactly
MEASURES = ("log-loss", "auc", "accuracy")
NO_TIME = "no time"


class Candidate(NamedTuple):
    """Classifier that takes part in a comparison.

    Attributes:
        name: Name of the candidate, as people read it.
        make: Function that makes an unfitted classifier.
        offered: Whether the classifier may be chosen. A classifier that may not be chosen is a baseline.
    """

    name: str
    make: Callable[[], DisguisedClassifier]
    offered: bool = True


class Compared(NamedTuple):
    """Result of a comparison for one candidate or for the pool.

    Attributes:
        name: Name of the candidate.
        behind: Difference in the measure by which the candidate is worse than the chosen candidate, or None if the
            candidate could not be fitted.
        standard_error: Standard error of `behind`, which is a paired difference.
        problem: Reason why the candidate could not be fitted.
    """

    name: str
    behind: float | None
    standard_error: float | None
    problem: str = ""


@dataclass(frozen=True)
class LearnerComparison:
    """Result of a comparison: the compared candidates, and the chosen candidate.

    Attributes:
        by: Measure, one of `MEASURES`.
        responses: Number of responses that candidates were judged on.
        rows: Results, from the simplest candidate to the pool.
        chosen: Name of the chosen candidate.
        pool: Weights of the fitted candidates in the pool. Candidates that may not be chosen have weight 0.
    """

    by: str
    responses: int
    rows: tuple[Compared, ...]
    chosen: str
    pool: Pool = field(compare=False)

    @property
    def why(self) -> str:
        """Return the reason for the choice in one line."""
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
        """Return the names of the fitted candidates, in the order of the pool's weights."""
        return [row.name for row in self.rows if row.behind is not None and row.name != POOL]

    @property
    def table(self) -> list[list[str]]:
        """Return a table as text: how much worse each candidate is than the chosen one, and the standard error."""
        return [
            [each.name, each.problem, ""]
            if each.behind is None
            else [each.name, f"{each.behind:+z.4f}", f"{each.standard_error:.4f}"]
            for each in self.rows
        ]

    @property
    def as_json(self) -> dict[str, Any]:
        """Return the comparison as plain JSON values."""
        rows = [row._asdict() for row in self.rows]
        return {"by": self.by, "responses": self.responses, "chosen": self.chosen, "compared": rows}


def corrected_error(means: Floats, tested: float) -> float:
    """Return the standard error of the mean of results on folds whose fits share responses (Nadeau & Bengio 2003).

    Args:
        means: Result of each fold of each deal, at least two, shape (folds,).
        tested: Number of responses that a fit is tested on, as a multiple of those that it learns from.
    """
    return float(means.std(ddof=1) * sqrt(1 / len(means) + tested))


def as_likely(errors: float, freedom: int) -> float:
    """Return the quantile of a t distribution that is as probable as a number of errors of a normal distribution."""
    from scipy.special import ndtr, stdtrit  # type: ignore[import-untyped] # noqa: PLC0415 - it takes .1 s to import

    return float(stdtrit(freedom, ndtr(errors)))


class _Trial(NamedTuple):
    """Fold of the comparison: responses that the candidates were not fitted to, and the fitted candidates.

    Attributes:
        deal: Number of the deal, from 0.
        places: Positions of the fold's responses among all responses that candidates are judged on.
        fold: Responses of the fold.
        fitted: Fitted candidates by name.
        problems: Reasons why candidates could not be fitted, by name.
    """

    deal: int
    places: Positions
    fold: Responses
    fitted: dict[str, DisguisedClassifier]
    problems: dict[str, str]


@dataclass(frozen=True, eq=False)
class Contest:
    """Candidates of a comparison, and its settings.

    Attributes:
        candidates: Candidates, sorted from simple to complex.
        target: Name of the class question.
        by: Measure, one of `MEASURES`.
        pooled: Whether the pool may be chosen.
        plain: Plain rows that all candidates learn from, and that no candidate is judged on.
        budget: Time budget that decides which candidates are fitted, or None to fit all.
        advance: Function that is called after each fit, and after judging.
    """

    candidates: Sequence[Candidate]
    target: str
    by: str = MEASURES[0]
    pooled: bool = True
    plain: PlainRows | None = None
    budget: Budget | None = None
    advance: Advance = field(default=lambda: None)

    def decided(self, responses: Responses, rng: np.random.Generator) -> LearnerComparison | None:
        """Compare the candidates and choose one of them, or the pool.

        The comparison is None if there are fewer responses than `FEWEST_RESPONSES`.

        Args:
            responses: Disguised responses.
            rng: Random generator that assigns folds, and draws rows and copies.

        Raises:
            QueryError: If the measure does not exist, no candidate that may be chosen can be fitted, or too few
                respondents were asked all questions to compute the measure.
        """
        if self.by not in MEASURES:
            raise QueryError("by", "the measure does not exist", f"use one of: {', '.join(MEASURES)}")
        every = rng.permutation(np.flatnonzero(responses.asked_all([self.target])))
        if len(every) < FEWEST_RESPONSES:
            return None
        number, deals = folds_of(responses.survey, len(every)), deals_of(responses.survey, len(every))
        judged = MOST_JUDGES
        if self.budget is not None:
            deals, judged = self.budget.plan.deals, self.budget.plan.judged
        known, trials = responses.take(np.sort(every[:judged])), []
        for deal in range(deals):
            dealt = rng.permutation(len(known))
            trials += [self._trial(known, deal, np.sort(dealt[fold::number])) for fold in range(number)]
        judges = drawn_rows(known, self._with_plain(known, rng), self.target, rng, JUDGING_DRAWS)
        found = _Judgement(self, trials, judges, rng).comparison()
        self.advance()
        return found

    def _with_plain(self, responses: Responses, rng: np.random.Generator) -> Responses:
        return responses if self.plain is None else stacked(responses, self.plain, rng)

    def _trial(self, responses: Responses, deal: int, fold: Positions) -> _Trial:
        learnt = responses.take(np.setdiff1d(np.arange(len(responses)), fold))
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
        return _Trial(deal, fold, responses.take(fold), fitted, problems)


class _Judgement:
    """Results of the fitted candidates, and of the pool, on each fold."""

    def __init__(self, contest: Contest, trials: list[_Trial], judges: Rows, rng: np.random.Generator) -> None:
        self.contest, self.trials, self.judges, self.rng = contest, trials, judges, rng
        self.problems = {name: problem for trial in trials for name, problem in trial.problems.items()}
        self.names = [each.name for each in contest.candidates if each.name not in self.problems]
        self.offered = [each.name for each in contest.candidates if each.offered and each.name in self.names]
        if not self.offered:
            name, problem = next(iter(self.problems.items()))
            raise QueryError(
                "auto",
                f"no model can be fitted: {name}: {problem}",
                f"train one by itself (--model {name}) for a remedy",
            )
        self.entrants = [*self.names, *([POOL] if contest.pooled else [])]
        classes = judges.chances.shape[1]
        self.logs = np.empty((trials[-1].deal + 1, len(self.names), len(judges.values), classes))
        for trial in trials:
            rows = judges.positions(trial.places)
            self.logs[trial.deal][:, rows] = self._logs(trial, judges.values[rows])
        self.pools = {each: [self._pool(each, trial) for trial in trials] for each in self.entrants}

    def _logs(self, trial: _Trial, values: Any) -> Floats:  # noqa: ANN401 - value indices
        """Return the logarithms of the probabilities that candidates predict, shape (candidates, rows, classes)."""
        first, row = distinct_rows(values)
        return np.stack([logarithms_of(trial.fitted[name].probabilities(values[first])) for name in self.names])[:, row]

    def _members(self, entrant: str) -> list[int]:
        return list(range(len(self.names))) if entrant == POOL else [self.names.index(entrant)]

    def _pool(self, entrant: str, without: _Trial) -> Pool:
        """Return a pool, or one candidate calibrated, fitted to the other folds of a deal."""
        kept = np.setdiff1d(np.arange(len(self.judges.first)), without.places)
        logs = self.logs[without.deal, self._members(entrant)]
        return Pool.fitted(logs[:, self.judges.positions(kept)], self.judges.take(kept))

    def _last_pool(self, entrant: str) -> Pool:
        """Return a pool, or one candidate calibrated, fitted to all deals, in which each response counts once."""
        deals = len(self.logs)
        judges = replace(self.judges, counts=self.judges.counts / deals)
        logs = np.concatenate(list(self.logs[:, self._members(entrant)]), axis=1)
        return Pool.fitted(logs, Rows.joined([judges] * deals))

    def comparison(self) -> LearnerComparison:
        """Choose a candidate or the pool, and return the comparison."""
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
        found, weights = self._last_pool(chosen), np.zeros(len(self.names))
        weights[self._members(chosen)] = found.weights
        pool = Pool(weights, found.intercepts)
        return LearnerComparison(self.contest.by, len(self.judges.first), tuple(rows), chosen, pool)

    def _pool_is_taken(self, single: str) -> bool:
        """Return whether the pool is chosen in place of the best single candidate."""
        if not self.contest.pooled or len(self.trials) < FOLDS * len(self.logs):
            return self.contest.pooled
        lag, doubt = self._behind(POOL, single)
        return lag <= as_likely(POOLED, len(self.trials) - 1) * doubt

    def _behind(self, entrant: str, other: str) -> tuple[float, float]:
        """Return how much worse a candidate is than another, and the standard error of the difference."""
        deals = len(self.logs)
        if self.contest.by == MEASURES[0]:
            terms = self._losses[entrant] - self._losses[other]
            means = np.array([terms[trial.deal, trial.places].mean() for trial in self.trials])
            scatter = float(terms.mean(axis=0).std(ddof=1)) / sqrt(terms.shape[1])
        else:
            found = [self._gain(number, entrant, other) for number in range(len(self.trials))]
            means = np.array([each.estimate for each in found])
            scatter = sqrt(sum((each.standard_error or 0.0) ** 2 for each in found) * deals) / len(found)
        tested = deals / (len(self.trials) - deals)
        return float(means.mean()), max(corrected_error(means, tested), scatter)

    @cached_property
    def _losses(self) -> dict[str, Floats]:
        """Return the loss of each response in each deal, shape (deals, responses), by entrant."""
        found = {}
        for entrant in self.entrants:
            losses = np.empty((len(self.logs), len(self.judges.first)))
            for trial, pool in zip(self.trials, self.pools[entrant], strict=True):
                logs = self.logs[trial.deal, self._members(entrant)][:, self.judges.positions(trial.places)]
                losses[trial.deal, trial.places] = self.judges.take(trial.places).losses(pool.probabilities(logs))
            found[entrant] = losses
        return found

    @cached_property
    def _copies(self) -> list[tuple[Copies, Floats]]:
        """Return the signed copies of each fold, and the logarithms of the candidates' predictions for them."""
        names = asked_questions(self.trials[0].fold.survey, None, self.contest.target)
        found = [Copies.of(trial.fold, self.contest.target, names, self.rng, MOST_DRAWN) for trial in self.trials]
        return [(copies, self._logs(trial, rows)) for trial, (copies, rows) in zip(self.trials, found, strict=True)]

    def _gain(self, number: int, entrant: str, other: str) -> Estimate:
        """Return an unbiased estimate of the accuracy or AUC of `other` minus that of `entrant`."""
        copies, logs = self._copies[number]
        predicted = [self.pools[each][number].probabilities(logs[self._members(each)]) for each in (other, entrant)]
        if self.contest.by == "accuracy":
            right = [np.eye(each.shape[1])[each.argmax(axis=1)] for each in predicted]
            return mean_estimate(copies.weighed(right[0] - right[1]), (-copies.size, copies.size), copies.counts)
        classes = predicted[0].shape[1]
        found = auc_difference(copies, predicted[0], predicted[1], range(1 if classes == 2 else classes))
        if found is None:
            raise QueryError("by", "a class is estimated to have no member in some fold", "use log-loss")
        return found
