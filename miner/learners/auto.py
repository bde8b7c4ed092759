"""The classifier that compares all kinds on held-out responses, and is the best of them, or a pool of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from collector.errors import ModelError
from collector.survey.fields import Fields
from collector.survey.survey import Survey
from miner.arrays import Floats
from miner.estimates.hybrid import PlainRows
from miner.learners.baselines import simplest
from miner.learners.choice.chooser import FEWEST_RESPONSES, MEASURES, Candidate, Comparison, Contest
from miner.learners.choice.pool import Pool, logarithms_of
from miner.learners.classifier import DisguisedClassifier
from miner.learners.forest import ForestClassifier
from miner.learners.kinds import KINDS
from miner.learners.modes import LATENT, ROBUST, may_replace
from miner.learnt import AGAIN, numbers, numbers_of
from miner.responses.responses import Codes, Responses, Values

LEAST_WEIGHT = 0.02  # of a member of a pool


class AutoClassifier(DisguisedClassifier):
    """The best of several classifiers, or their pool, by their loss on held-out disguised responses.

    Args:
        survey: The published design the responses were collected under.
        target: Name of the class question; the survey's target if None.
        by: What is compared: ``log-loss``, ``auc`` or ``accuracy``.
        random_state: A seed, a `numpy.random.Generator`, or None for a fresh one.

    Attributes:
        comparison_: The `Comparison`; None for too few responses, and where it was read from a
            file.
        members_: The fitted classifiers of the pool, one or more, by name.
        pool_: Their `miner.learners.choice.pool.Pool`.
        why_: In words, what was chosen and compared.
    """

    comparison_: Comparison | None

    def __init__(
        self,
        survey: Survey,
        target: str | None = None,
        *,
        by: str = MEASURES[0],
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        super().__init__(survey, target)
        self.by = by
        self.random_state = random_state

    def candidates(self, target: str) -> list[Candidate]:
        """What is compared, the simplest first."""
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

    def _fit_codes(self, codes: Codes, target: str, plain: PlainRows | None) -> None:
        responses, rng = Responses(self.survey, codes), np.random.default_rng(self.random_state)
        candidates = self.candidates(target)
        makes = {each.name: each.make for each in candidates}
        found = Contest(candidates, target, self.by, plain=plain).decided(responses, rng)
        self.comparison_, weights = found, {next(iter(makes)): 1.0}
        self.why_ = f"the most frequent class: fewer than {FEWEST_RESPONSES} responses"
        intercepts = np.zeros(len(self.classes_))
        if found is not None:
            self.why_, intercepts = f"{found.chosen}, {found.why}", found.pool.intercepts
            weights = dict(zip(found.fitted, found.pool.weights.tolist(), strict=True))
            weights = {name: weight for name, weight in weights.items() if weight > LEAST_WEIGHT} or weights
        self.members_ = {name: makes[name]().fit(responses, plain=plain) for name in weights}
        self.pool_ = Pool(np.array(list(weights.values())), intercepts)

    def _fit_rows(self, values: Values, weights: Floats, responses: int, target: str) -> None:
        self.comparison_, self.why_ = None, "forest: nothing is disguised"
        forest = ForestClassifier(self.survey, target, random_state=self.random_state)
        self.members_ = {"forest robust": forest.fit_rows(values, weights, responses)}
        self.pool_ = Pool(np.ones(1), np.zeros(len(self.classes_)))

    def probabilities(self, values: Values) -> Floats:
        """Class probabilities of the pool."""
        logs = np.stack([logarithms_of(each.probabilities(values)) for each in self.members_.values()])
        return self.pool_.probabilities(logs)

    @property
    def text(self) -> str:
        """The members with their weights, and each in turn."""
        parts = [
            f"{name}, weight {weight:.2f}\n{member.text}"
            for (name, member), weight in zip(self.members_.items(), self.pool_.weights, strict=True)
        ]
        return "\n\n".join(parts)

    @property
    def learnt(self) -> dict[str, Any]:
        """What was chosen and why, and the members."""
        members = [
            {
                "name": name,
                "kind": next(kind for kind, each in KINDS.items() if type(member) is each),
                "weight": weight,
                "learnt": member.learnt,
            }
            for (name, member), weight in zip(self.members_.items(), self.pool_.weights.tolist(), strict=True)
        ]
        return {"why": self.why_, "intercepts": self.pool_.intercepts.tolist(), "members": members}

    def _restore(self, learnt: Any, target: str) -> None:  # noqa: ANN401 - whatever JSON held
        given = Fields(learnt, "learnt")
        self.why_, self.comparison_ = given.take("why", str), None
        intercepts = numbers(given, "intercepts", self.classes_.shape)
        members = [Fields(each, "learnt, member") for each in given.take("members", list)]
        kinds, names = ([each.take(key, str) for each in members] for key in ("kind", "name"))
        if not members or len({*names}) < len(names) or not KINDS.keys() >= {*kinds}:
            raise ModelError("learnt", "its members have no names of their own, or are of no kind", AGAIN)
        weights = numbers_of([each.take_number("weight") for each in members], "learnt, weights", (len(members),))
        if (weights < 0).any():
            raise ModelError("learnt, weights", "one is negative", AGAIN)
        self.pool_ = Pool(weights, intercepts)
        self.members_ = {
            name: KINDS[kind](self.survey, target).restored(each.take("learnt", dict))
            for kind, name, each in zip(kinds, names, members, strict=True)
        }
