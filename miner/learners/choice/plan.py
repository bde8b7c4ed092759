"""Plan an automatic choice before it begins: the fits, their numbers of responses and their expected times.

Expected times are rough constants in seconds of one core (`benchmarks.learning.fit_times`), so that a plan is the same
on every machine. Only under a time limit does the plan depend on the speed of the machine. Fits that would take too
long use fewer responses or are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import prod
from time import monotonic
from typing import Any, NamedTuple

from collector.errors import QueryError
from collector.survey.survey import Survey
from miner.channels.registry import independent_replacements

FOLDS, FEW_FOLDS = 3, 2  # few where fits take long
DEALS = 2  # times that few responses are dealt into folds
MANY_QUESTIONS = 15  # number of questions above which fits to many responses take long
MANY_RESPONSES = 4_000
MOST_LEARNT = {
    "uncorrected": 2**17,
    "logit": 2**15,
    "additive": 2**15,
    "boosted": 2**15,
    "forest robust": 2**17,
    "forest latent": 2**16,
}
"""Responses that each member of a pool learns from, at most: docs/scale.md has what more of them add, and cost. What is
not named learns from all."""
SECONDS = {
    "majority": (0.01, 1e-8),
    "naive-bayes": (0.01, 2e-7),
    "uncorrected": (0.02, 5e-7),
    "logit": (0.15, 2e-5),
    "additive": (0.1, 1e-5),
    "boosted": (0.2, 7.5e-5),
    "forest robust": (0.05, 1e-5),
    "forest latent": (0.1, 3e-5),
}
"""Expected seconds of a fit, by learner: a fixed part, and one for each answer of a different response."""
JUDGING = 3e-5  # seconds of judging a candidate, for each answer in each deal, with all rows drawn for its response
LEAST_JUDGED = 600  # number of responses that candidates are judged on under the shortest time limit
TELLING = 0.05
"""Share of a plan that a fit needs to say how fast the machine is. A shorter fit mostly spends its time on work that is
done once, such as importing libraries and compiling loops."""


def folds_of(survey: Survey, responses: int) -> int:
    """Return the number of folds for a given number of responses to the class question."""
    long = independent_replacements(survey) or len(survey.questions) > MANY_QUESTIONS
    return FEW_FOLDS if long and responses >= MANY_RESPONSES else FOLDS


def deals_of(survey: Survey, responses: int) -> int:
    """Return how many times a given number of responses to the class question is dealt into folds."""
    return DEALS if folds_of(survey, responses) == FOLDS and responses < MANY_RESPONSES else 1


class PlannedFit(NamedTuple):
    """Planned fits of a learner: one fit in each fold, and one last fit.

    Attributes:
        name: Name of the candidate.
        learnt: Number of responses that the fit in each fold learns from.
        times: Number of fits in the folds of all deals.
        final: Number of responses that the last fit learns from, if the learner joins the pool.
        fold_seconds: Expected seconds of the fit in one fold.
        final_seconds: Expected seconds of the last fit.
    """

    name: str
    learnt: int
    times: int
    final: int
    fold_seconds: float
    final_seconds: float

    @property
    def seconds(self) -> float:
        """Return the expected seconds of all fits."""
        return self.times * self.fold_seconds + self.final_seconds


class Size(NamedTuple):
    """Size of a survey.

    Attributes:
        questions: Number of questions.
        combinations: Number of different responses that the codes of the questions allow.
    """

    questions: int
    combinations: int

    @classmethod
    def of(cls, survey: Survey) -> Size:
        """Return the size of a survey."""
        return cls(
            len(survey.questions), prod(len(each.codes) + survey.may_miss(each.name) for each in survey.questions)
        )

    def answers(self, responses: int) -> int:
        """Return the number of answers in the different ones of a number of responses, at most."""
        return min(responses, self.combinations) * self.questions


def expected(name: str, responses: int, size: Size) -> float:
    """Return the expected seconds of one fit."""
    fixed, each = SECONDS[name]
    return fixed + each * size.answers(responses)


@dataclass(frozen=True)
class TrainingPlan:
    """Plan of the fits of a comparison, in order.

    Attributes:
        fits: Planned fits, from the simplest candidate to the most complex.
        judged: Number of responses that candidates are judged on, in all folds together.
        size: Number of questions, and number of different responses that they allow.
        folds: Number of folds.
        deals: Number of times that the responses are dealt into folds, and judged.
        limit: Time limit in seconds, or None for no limit.
        left_out: Names of the candidates that the time limit excludes, before or during the work.
    """

    fits: tuple[PlannedFit, ...]
    judged: int
    size: Size
    folds: int
    deals: int
    limit: float | None = None
    left_out: tuple[str, ...] = field(default=())

    @classmethod
    def of(cls, names: Sequence[str], responses: int, judged: int, dealt: tuple[int, int], size: Size) -> TrainingPlan:
        """Return the plan without a time limit.

        The last fits learn from `responses` responses. All folds together have `judged` responses, which are dealt into
        folds once or more.

        Args:
            names: Names of the candidates.
            responses: Number of responses to the class question.
            judged: Number of responses that candidates are judged on.
            dealt: Number of folds, and number of deals.
            size: Number of questions, and number of different responses that they allow.
        """
        folds, deals = dealt
        learnt = judged - judged // folds
        fits = []
        for name in names:
            final = min(responses, MOST_LEARNT.get(name, responses))
            each, last = (expected(name, count, size) for count in (learnt, final))
            fits.append(PlannedFit(name, learnt, folds * deals, final, each, last))
        return cls(tuple(fits), judged, size, folds, deals)

    @property
    def steps(self) -> int:
        """Return the number of steps: the fits in folds, the judging, and the last fits of the pool's members."""
        return sum(fit.times + 1 for fit in self.fits) + 1

    @property
    def seconds(self) -> float:
        """Return the expected seconds of the whole plan, including judging."""
        return sum(fit.seconds + self.judging for fit in self.fits)

    @property
    def judging(self) -> float:
        """Return the expected seconds of judging one candidate."""
        return JUDGING * self.size.answers(self.judged) * self.deals

    def within(self, limit: float) -> TrainingPlan:
        """Return a plan that is expected to end within the given number of seconds.

        The last fit of a learner gets half of its responses, repeatedly, down to the number for a fit in a fold. If the
        plan still takes too long, responses are dealt once, then candidates are judged on fewer, and last fits get
        fewer, too. In the end, the most costly candidates are left out. The plan keeps at least one candidate, even if
        its fits exceed the limit.

        Raises:
            QueryError: If the time limit is not above 0.
        """
        if not limit > 0:
            raise QueryError(
                "time_limit",
                "the time limit is not a number of seconds above 0",
                "give a number of seconds, such as 60",
            )
        plan, least = replace(self, limit=limit), max(fit.learnt for fit in self.fits)
        while plan.seconds > limit:
            large = max(plan.fits, key=lambda fit: fit.final_seconds - fit.fold_seconds)
            if large.final > max(least, large.learnt):
                half = max(least, large.learnt, large.final // 2)
                fewer = large._replace(final=half, final_seconds=expected(large.name, half, plan.size))
                plan = replace(plan, fits=tuple(fewer if fit is large else fit for fit in plan.fits))
            elif plan.deals > 1 or plan.judged > LEAST_JUDGED:
                plan = plan.dealt_once(plan.judged if plan.deals > 1 else max(LEAST_JUDGED, plan.judged // 2))
            elif large.final > large.learnt:
                least = large.learnt
            elif len(plan.fits) > 1:
                costly = max(plan.fits, key=lambda fit: fit.seconds)
                plan = replace(plan, fits=tuple(fit for fit in plan.fits if fit is not costly)).without(costly.name)
            else:
                break
        return plan

    def dealt_once(self, judged: int) -> TrainingPlan:
        """Return the plan with one deal, and with so many responses that candidates are judged on."""
        learnt = judged - judged // self.folds
        fits = (
            fit._replace(learnt=learnt, times=self.folds, fold_seconds=expected(fit.name, learnt, self.size))
            for fit in self.fits
        )
        return replace(self, fits=tuple(fits), judged=judged, deals=1)

    def without(self, name: str) -> TrainingPlan:
        """Return the plan without one of its candidates."""
        return replace(self, left_out=(*self.left_out, name))

    @property
    def line(self) -> str:
        """Return the text of the plan, which is shown before the work begins."""
        names = ", ".join(fit.name for fit in self.fits)
        times, learnt = self.fits[0].times, self.fits[0].learnt
        most = max(fit.final for fit in self.fits)
        capped = {fit.final for fit in self.fits if fit.final < most}
        last = f"{most}" if not capped else f"{min(capped)} to {most}"
        text = (
            f"plan: {names}; each fitted to {learnt} responses {times} times and judged on {self.judged}, then the "
            f"chosen ones to {last}; at most {self.steps} steps, about {self.seconds:.0f} s of one core"
        )
        return text + (
            f"; left out for --time-limit {self.limit:g}: {', '.join(self.left_out)}" if self.left_out else ""
        )

    @property
    def as_json(self) -> dict[str, Any]:
        """Return the plan as plain JSON values."""
        return {
            "fits": [fit._asdict() for fit in self.fits],
            "judged": self.judged,
            "steps": self.steps,
            "seconds": self.seconds,
            "time_limit": self.limit,
            "left_out": list(self.left_out),
        }


class Budget:
    """Time budget of a plan: the seconds left, and the speed of the machine so far.

    Only fits that take at least the share `TELLING` of the plan's time show the speed of the machine.

    Args:
        plan: Training plan. A plan without a time limit allows every fit.
    """

    def __init__(self, plan: TrainingPlan) -> None:
        self.plan, self._begun = plan, monotonic()
        self._last, self._took, self._expected = self._begun, 0.0, 0.0
        self._left = {fit.name: fit.seconds for fit in plan.fits}
        self._judging = plan.judging

    def allows(self, name: str) -> bool:
        """Return whether there is time to fit a candidate.

        The most costly candidates are left out if the remaining work would take too long.
        """
        while self.plan.limit is not None and len(self._left) > 1:
            passed = monotonic() - self._begun
            slower = max(1.0, self._took / self._expected) if self._expected else 1.0
            if passed + slower * sum(each + self._judging for each in self._left.values()) <= self.plan.limit:
                break
            costly = max(self._left, key=lambda each: self._left[each])
            del self._left[costly]
            self.plan = self.plan.without(costly)
        return name in self._left

    def spent_on_fold(self, name: str) -> None:
        """Record that a candidate's fit in one fold is finished."""
        self.spent(name, next(fit.fold_seconds for fit in self.plan.fits if fit.name == name))

    def spent(self, name: str, seconds: float) -> None:
        """Record that a fit of a candidate is finished, with its expected time."""
        self._left[name] -= seconds
        self._note(seconds)

    def judged(self, chosen: Sequence[str]) -> None:
        """Record that the candidates have been judged, and which of them are fitted again."""
        self._note(self._judging * len(self._left))
        self._judging = 0.0
        self._left = {name: seconds for name, seconds in self._left.items() if name in chosen}

    def _note(self, expected: float) -> None:
        """Update the estimated speed of the machine by the time since the last record."""
        now = monotonic()
        if expected >= TELLING * self.plan.seconds:
            self._took, self._expected = self._took + now - self._last, self._expected + expected
        self._last = now
