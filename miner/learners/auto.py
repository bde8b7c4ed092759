"""Compare all kinds of classifiers on held-out responses, and use the best of them, or a pool of all."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from collector.errors import ModelError, QueryError
from collector.survey.fields import Fields
from collector.survey.survey import Survey
from miner.arrays import Floats
from miner.learners.choice.chooser import (
    FEWEST_RESPONSES,
    MEASURES,
    MOST_JUDGES,
    Candidate,
    Contest,
    LearnerComparison,
)
from miner.learners.choice.plan import Budget, Size, TrainingPlan, deals_of, folds_of
from miner.learners.choice.pool import Pool, logarithms_of
from miner.learners.classifier import DisguisedClassifier
from miner.learners.forest import ForestClassifier
from miner.learners.kinds import KINDS, LEARNERS, Role, kind_of, simplest
from miner.learners.mode_classifier import LATENT, ROBUST, may_replace
from miner.learnt import AGAIN, numbers, numbers_of
from miner.responses.plain_rows import PlainRows
from miner.responses.responses import Data, Values
from miner.steps import watch

LEAST_WEIGHT = 0.02  # smallest weight of a member of a pool


class AutoClassifier(DisguisedClassifier):
    """Best of several classifiers, or a pool of them, by the loss on held-out disguised responses.

    Args:
        survey: Published survey that collected the responses.
        target: Name of the class question, or None for the survey's class question.
        by: Measure of the comparison: ``log-loss``, ``auc`` or ``accuracy``.
        time_limit: Number of seconds that fitting may take, or None for no limit. With a limit, costly candidates learn
            from fewer responses or are left out, and the result depends on the speed of the machine.
        random_state: Seed, `numpy.random.Generator`, or None for a new generator.

    Attributes:
        comparison_: Result of the comparison (`LearnerComparison`), or None if there were too few responses or the
            classifier was read from a file.
        members_: Fitted classifiers of the pool, one or more, by name.
        pool_: Pool of the members (`miner.learners.choice.pool.Pool`).
        why_: Choice and comparison in words.
        plan_: Training plan (`miner.learners.choice.plan.TrainingPlan`) with the candidates that the time limit left
            out, or None if `comparison_` is None.
    """

    plan_: TrainingPlan | None
    comparison_: LearnerComparison | None

    def __init__(
        self,
        survey: Survey,
        target: str | None = None,
        *,
        by: str = MEASURES[0],
        time_limit: float | None = None,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        super().__init__(survey, target)
        self.by = by
        self.time_limit = time_limit
        self.random_state = random_state

    def candidates(self, target: str) -> list[Candidate]:
        """Return the candidates that are compared, sorted from simple to complex."""
        forest = partial(ForestClassifier, self.survey, target, random_state=self.random_state)
        found = [Candidate(name, make) for name, make in simplest(self.survey, target)]
        for name in ("logit", "additive", "boosted"):
            kind: Callable[..., DisguisedClassifier] = KINDS[name]
            found.append(Candidate(name, partial(kind, self.survey, target, random_state=self.random_state)))
        if self.survey.sampling is None:
            found.append(Candidate("forest robust", partial(forest, mode=ROBUST)))
        if self.survey.sampling is not None or any(may_replace(group) for group in self.survey.groups):
            found.append(Candidate("forest latent", partial(forest, mode=LATENT)))
        return found

    def plan(self, responses: int, target: str) -> TrainingPlan | None:
        """Return the plan of all fits for a number of responses to the class question, or None if there are too few."""
        if responses < FEWEST_RESPONSES:
            return None
        names, judged = [each.name for each in self.candidates(target)], min(responses, MOST_JUDGES)
        dealt = folds_of(self.survey, responses), deals_of(self.survey, responses)
        found = TrainingPlan.of(names, responses, judged, dealt, Size.of(self.survey))
        return found if self.time_limit is None else found.within(self.time_limit)

    def _fit(self, data: Data, plain: PlainRows | None, target: str) -> None:
        if plain is not None and not len(data):
            self.comparison_, self.plan_, self.why_ = None, None, "forest: nothing is disguised"
            forest = ForestClassifier(self.survey, target, random_state=self.random_state)
            self.members_ = {"forest robust": forest.fit(plain)}
            self.pool_ = Pool(np.ones(1), np.zeros(len(self.classes_)))
            return
        responses, rng = data.in_memory(), np.random.default_rng(self.random_state)
        self.plan_ = self.plan(int(responses.asked_all([target]).sum()), target)
        if self.plan_ is None:
            self.comparison_, self.why_ = None, f"the most frequent class: fewer than {FEWEST_RESPONSES} responses"
            name, make = simplest(self.survey, target)[0]
            self.members_ = {name: make().fit(responses, plain=plain)}
            self.pool_ = Pool(np.ones(1), np.zeros(len(self.classes_)))
            return
        kept, budget = {fit.name: fit for fit in self.plan_.fits}, Budget(self.plan_)
        candidates = [each for each in self.candidates(target) if each.name in kept]
        with watch.get()("comparing learners", self.plan_.steps) as advance:
            contest = Contest(candidates, target, self.by, plain=plain, budget=budget, advance=advance)
            self.comparison_ = found = contest.decided(responses, rng)
            if found is None:  # never with a plan
                raise QueryError("responses", "too few people answered the class question", "collect more responses")
            weights = dict(zip(found.fitted, found.pool.weights.tolist(), strict=True))
            weights = {name: weight for name, weight in weights.items() if weight > LEAST_WEIGHT} or weights
            budget.judged([*weights])
            order, self.members_ = rng.permutation(len(responses)), {}
            for each in candidates:
                if each.name in weights and budget.allows(each.name):
                    fit = kept[each.name]
                    part = responses if fit.final >= len(responses) else responses.take(np.sort(order[: fit.final]))
                    self.members_[each.name] = each.make().fit(part, plain=plain)
                    budget.spent(each.name, fit.final_seconds)
                    advance()
        left = np.array([weights[name] for name in self.members_])
        self.pool_ = Pool(left * sum(weights.values()) / max(left.sum(), LEAST_WEIGHT), found.pool.intercepts)
        self.plan_, self.why_ = budget.plan, f"{found.chosen}, {found.why}"
        if self.plan_.left_out:
            self.why_ += f"; left out for the time limit: {', '.join(self.plan_.left_out)}"

    def probabilities(self, values: Values) -> Floats:
        """Return the class probabilities that the pool predicts."""
        logs = np.stack([logarithms_of(each.probabilities(values)) for each in self.members_.values()])
        return self.pool_.probabilities(logs)

    @property
    def text(self) -> str:
        """Return a text: the members of the pool with their weights, followed by the text of each member."""
        parts = [
            f"{name}, weight {weight:.2f}\n{member.text}"
            for (name, member), weight in zip(self.members_.items(), self.pool_.weights, strict=True)
        ]
        return "\n\n".join(parts)

    @property
    def learnt(self) -> dict[str, Any]:
        """Return the choice, its reason and the members of the pool as plain JSON values."""
        members = [
            {
                "name": name,
                "kind": kind_of(member),
                "weight": weight,
                "learnt": member.learnt,
            }
            for (name, member), weight in zip(self.members_.items(), self.pool_.weights.tolist(), strict=True)
        ]
        return {"why": self.why_, "intercepts": self.pool_.intercepts.tolist(), "members": members}

    def _restore(self, learnt: Any, target: str) -> None:  # noqa: ANN401 - whatever JSON held
        given = Fields(learnt, "learnt")
        self.why_, self.comparison_, self.plan_ = given.take("why", str), None, None
        intercepts = numbers(given, "intercepts", self.classes_.shape)
        members = [Fields(each, "learnt, member") for each in given.take("members", list)]
        kinds, names = ([each.take(key, str) for each in members] for key in ("kind", "name"))
        allowed = {kind for kind, each in LEARNERS.items() if each.role is not Role.COMPOSED}
        if not members or len({*names}) < len(names) or not {*kinds} <= allowed:
            raise ModelError("learnt", "two members of the model have the same name, or one has an unknown type", AGAIN)
        weights = numbers_of([each.take_number("weight") for each in members], "learnt, weights", (len(members),))
        if (weights < 0).any():
            raise ModelError("learnt, weights", "a weight is negative", AGAIN)
        self.pool_ = Pool(weights, intercepts)
        self.members_ = {
            name: KINDS[kind](self.survey, target).restored(each.take("learnt", dict))
            for kind, name, each in zip(kinds, names, members, strict=True)
        }
