"""Association rules from disguised responses: the extension that Du & Zhan (2003, section 6) propose.

A set of (question, value) items is frequent if its estimated support is large enough. Sets are looked for level by
level (Agrawal & Srikant 1994): a set can be frequent only if all its parts are. Estimates have errors, so a part is
given up only when the upper end of its 95 % interval is below the minimum; what is reported has an estimate above it.
"""

from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from collector.errors import QueryError
from collector.survey.survey import Survey
from miner.arrays import Floats
from miner.estimates.estimate import FEWEST, Estimate, mean_estimate
from miner.estimates.ratios import Amount, ratio
from miner.responses.responses import Responses, codes_of_values
from miner.trees.tree import event_text
from miner.weights.events import Event
from miner.weights.weights import ProductWeights

Item = tuple[int, int]
"""Index of a question in its survey, and of one of its values."""
Items = tuple[Item, ...]
"""Ascending; no question twice."""
MOST_SETS = 100_000  # looked at on one level


@dataclass(frozen=True)
class FrequentSet:
    """Items that go together."""

    items: Items
    support: Estimate

    def as_json(self, survey: Survey) -> dict[str, Any]:
        """Plain JSON values: the items as {question: value}."""
        return {"items": words(survey, self.items), "support": self.support.as_json}


@dataclass(frozen=True)
class AssociationRule:
    """Association rule: from all of some items to another.

    Attributes:
        premise: What is given.
        conclusion: What follows.
        support: The share of respondents who have all of it.
        confidence: The share of those with the premise who have the conclusion.
        lift: Confidence / the share of all who have the conclusion; 1 if they have nothing to do with each other.
    """

    premise: Items
    conclusion: Item
    support: Estimate
    confidence: Estimate
    lift: Amount

    @property
    def is_reliable(self) -> bool:
        """Whether enough people support it for an interval, and its premise differs significantly from 0."""
        return self.confidence.interval is not None and self.support.estimate * self.support.n >= FEWEST

    def as_json(self, survey: Survey) -> dict[str, Any]:
        """Plain JSON values: premise and conclusion as {question: value}."""
        return {
            "if": words(survey, self.premise),
            "then": words(survey, (self.conclusion,)),
            "support": self.support.as_json,
            "confidence": self.confidence.as_json,
            "lift": self.lift.as_json,
        }


def words(survey: Survey, items: Items) -> dict[str, str]:
    """Items as {question: value}."""
    return {survey.questions[question].name: survey.questions[question].values[value] for question, value in items}


def text(survey: Survey, items: Items) -> str:
    """Items in words: ``year = first and cannabis = yes``."""
    return event_text(survey, {question: frozenset({value}) for question, value in items})


def frequent_sets(responses: Responses, min_support: float, longest: int) -> list[FrequentSet]:
    """The sets of items whose support is estimated to be large enough, by length.

    Args:
        responses: Disguised.
        min_support: At least this share of respondents; above 0.
        longest: The most items in a set. Every disguised group a set touches multiplies its error.

    Raises:
        QueryError: If there are no responses, a bound is out of range, or over 100,000 sets are to be looked at.
    """
    _check_share("minimum support", min_support)
    if longest < 1:
        raise QueryError("longest set", "an item set needs at least one item", "give a positive number")
    weights, found = ProductWeights(responses), []
    candidates: list[Items] = [
        ((number, value),)
        for number, question in enumerate(responses.survey.questions)
        for value in range(len(question.values))
    ]
    for _ in range(longest):
        possible = []
        for items in candidates:
            if len(responses) and not weights.asked(_event(responses.survey, items)).any():
                continue  # a set of more questions than one respondent is asked
            support = support_of(responses.survey, weights, items)
            if support.interval is None or support.interval[1] >= min_support:
                possible.append(items)
            if support.estimate >= min_support:
                found.append(FrequentSet(items, support))
        candidates = list(_longer(possible))
    return found


def rules(
    responses: Responses, min_support: float = 0.1, min_confidence: float = 0.6, longest: int = 3
) -> list[AssociationRule]:
    """The rules with one conclusion that are estimated to hold often enough and rest on enough people.

    Args:
        responses: Disguised.
        min_support: At least this share of respondents have premise and conclusion; above 0.
        min_confidence: At least this share of those who have the premise have the conclusion; above 0.
        longest: The most items in premise and conclusion together.

    Raises:
        QueryError: If there are no responses, a bound is out of range, or over 100,000 sets are to be looked at.
    """
    return [rule for rule in every_rule(responses, min_support, min_confidence, longest) if rule.is_reliable]


def every_rule(responses: Responses, min_support: float, min_confidence: float, longest: int) -> list[AssociationRule]:
    """The rules with one conclusion that are estimated to hold often enough, the most confident first.

    Args:
        responses: Disguised.
        min_support: As for `frequent_sets`.
        min_confidence: At least this share of those who have the premise have the conclusion; above 0.
        longest: The most items in premise and conclusion together.

    Raises:
        QueryError: As for `frequent_sets`.
    """
    _check_share("minimum confidence", min_confidence)
    weights = ProductWeights(responses)
    found = []
    for whole in frequent_sets(responses, min_support, longest):
        for conclusion in whole.items if len(whole.items) > 1 else ():
            rule = rule_of(responses.survey, weights, whole, conclusion)
            if rule is not None and rule.confidence.estimate >= min_confidence:
                found.append(rule)
    return sorted(found, key=lambda rule: -rule.confidence.estimate)


def rule_of(survey: Survey, weights: ProductWeights, whole: FrequentSet, conclusion: Item) -> AssociationRule | None:
    """The rule that one item of a frequent set follows from the others.

    Returns:
        None if the estimated frequency of the premise, or of the conclusion, is not above 0.
    """
    premise = tuple(item for item in whole.items if item != conclusion)
    asked = weights.asked(_event(survey, whole.items))
    all_of_it, given, then = (
        weights.of(_event(survey, items))[asked] for items in (whole.items, premise, (conclusion,))
    )
    once = np.ones(len(given))
    confidence, lift = ratio(all_of_it, given, once), ratio(all_of_it, _independent(given, then), once)
    if confidence is None or lift is None:
        return None
    return AssociationRule(premise, conclusion, whole.support, confidence, Amount(**asdict(lift)))


def _independent(given: Floats, then: Floats) -> Floats:
    """Terms whose mean is the product of two means, to first order in each response."""
    one, other = given.mean(), then.mean()
    terms: Floats = given * other + then * one - one * other
    return terms


def support_of(survey: Survey, weights: ProductWeights, items: Items) -> Estimate:
    """The share of respondents who have all of these items, among those who were asked about them all."""
    event = _event(survey, items)
    return mean_estimate(weights.of(event)[weights.asked(event)], weights.range(event))


def _event(survey: Survey, items: Items) -> Event:
    questions = [(survey.questions[question], value) for question, value in items]
    return {question.name: codes_of_values(question, {value}) for question, value in questions}


def _longer(sets: Collection[Items]) -> Iterator[Items]:
    """The sets of one more item all of whose parts are among these."""
    known, count = set(sets), 0
    by_start: dict[Items, list[Item]] = {}
    for items in sorted(sets):
        by_start.setdefault(items[:-1], []).append(items[-1])
    for start, ends in by_start.items():
        for one, other in combinations(ends, 2):
            longer = (*start, one, other)
            parts = (longer[:place] + longer[place + 1 :] for place in range(len(longer) - 2))
            if one[0] != other[0] and all(part in known for part in parts):
                count += 1
                if count > MOST_SETS:
                    raise QueryError("minimum support", f"over {MOST_SETS} sets may be frequent", "raise it")
                yield longer


def _check_share(what: str, share: float) -> None:
    if not 0 < share <= 1:
        raise QueryError(what, "the share is not above 0 and at most 1", "give a share such as 0.1")
