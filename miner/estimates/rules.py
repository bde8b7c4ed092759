"""Find association rules in disguised responses (proposed by Du & Zhan 2003, section 6).

A set of (question, value) items is frequent if its estimated support is large enough. The search goes from smaller to
larger sets (Agrawal & Srikant 1994): a set can be frequent only if all its subsets are frequent. The search drops a set
only if the upper end of the 95 % interval of its support is below the minimum support, because estimates have errors.
"""

from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from collector.errors import QueryError
from collector.survey.survey import Survey
from miner.arrays import Floats
from miner.figures.estimate import FEWEST, Amount, Estimate
from miner.figures.means import mean_estimate, ratio
from miner.responses.responses import Responses, codes_of_values
from miner.trees.tree import event_text
from miner.weights.events import Event
from miner.weights.weights import ProductWeights

Item = tuple[int, int]
"""Index of a question in its survey, and of one of its values."""
Items = tuple[Item, ...]
"""Ascending; no question twice."""
MOST_SETS = 100_000  # largest number of sets of one size that are examined


@dataclass(frozen=True)
class FrequentSet:
    """Set of (question, value) items with its estimated support."""

    items: Items
    support: Estimate

    def as_json(self, survey: Survey) -> dict[str, Any]:
        """The set and its support as plain JSON values."""
        return {"items": words(survey, self.items), "support": self.support.as_json}


@dataclass(frozen=True)
class AssociationRule:
    """Association rule from several items to another item.

    Attributes:
        premise: Items (questions with a value) from which the rule concludes.
        conclusion: Item (a question with a value) that follows from the premise.
        support: Share of respondents who have all items of premise and conclusion.
        confidence: Share of respondents with the conclusion among respondents with the premise.
        lift: Confidence divided by the share of all respondents with the conclusion; 1 if premise and conclusion are
            independent.
    """

    premise: Items
    conclusion: Item
    support: Estimate
    confidence: Estimate
    lift: Amount

    @property
    def is_reliable(self) -> bool:
        """Whether the confidence has an interval, and `FEWEST` or more people are estimated to have all items."""
        return self.confidence.interval is not None and self.support.estimate * self.support.n >= FEWEST

    def as_json(self, survey: Survey) -> dict[str, Any]:
        """The rule as plain JSON values."""
        return {
            "if": words(survey, self.premise),
            "then": words(survey, (self.conclusion,)),
            "support": self.support.as_json,
            "confidence": self.confidence.as_json,
            "lift": self.lift.as_json,
        }


def words(survey: Survey, items: Items) -> dict[str, str]:
    """Return items as {question name: value in words}."""
    return {survey.questions[question].name: survey.questions[question].values[value] for question, value in items}


def text(survey: Survey, items: Items) -> str:
    """Return items as text, such as ``year = first and cannabis = yes``."""
    return event_text(survey, {question: frozenset({value}) for question, value in items})


def frequent_sets(responses: Responses, min_support: float, longest: int) -> list[FrequentSet]:
    """Find the sets of (question, value) items whose estimated support is large enough, sorted by size.

    Args:
        responses: Disguised responses.
        min_support: Smallest share of respondents who have all items of a set, above 0.
        longest: Largest number of items in a set.

    Raises:
        QueryError: If there are no responses, a parameter is out of range, or more than 100,000 sets would be examined.
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
    """Find the reliable rules whose estimated support and confidence are large enough, sorted by confidence.

    Args:
        responses: Disguised responses.
        min_support: Smallest share of respondents who have all items of a rule, above 0.
        min_confidence: Smallest share of respondents with the conclusion among respondents with the premise, above 0.
        longest: Largest number of items in a rule, with its conclusion.

    Raises:
        QueryError: If there are no responses, a parameter is out of range, or more than 100,000 sets would be examined.
    """
    return [rule for rule in every_rule(responses, min_support, min_confidence, longest) if rule.is_reliable]


def every_rule(responses: Responses, min_support: float, min_confidence: float, longest: int) -> list[AssociationRule]:
    """Find all rules whose estimated support and confidence are large enough, sorted by confidence.

    Args:
        responses: Disguised responses.
        min_support: Smallest share of respondents who have all items of a rule, above 0.
        min_confidence: Smallest share of respondents with the conclusion among respondents with the premise, above 0.
        longest: Largest number of items in a rule, with its conclusion.

    Raises:
        QueryError: If there are no responses, a parameter is out of range, or more than 100,000 sets would be examined.
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
    """Return the rule that one item of a frequent set follows from the other items of the set.

    Returns:
        Association rule, or None if the premise or the conclusion is estimated to have frequency 0.
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
    """Return one number per response, whose mean estimates the product of two frequencies."""
    one, other = given.mean(), then.mean()
    terms: Floats = given * other + then * one - one * other
    return terms


def support_of(survey: Survey, weights: ProductWeights, items: Items) -> Estimate:
    """Return the share of respondents who have all items of a set."""
    event = _event(survey, items)
    return mean_estimate(weights.of(event)[weights.asked(event)], weights.range(event))


def _event(survey: Survey, items: Items) -> Event:
    questions = [(survey.questions[question], value) for question, value in items]
    return {question.name: codes_of_values(question, {value}) for question, value in questions}


def _longer(sets: Collection[Items]) -> Iterator[Items]:
    """Return the sets with one more item whose subsets are all known to be frequent."""
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
                    raise QueryError(
                        "minimum support", f"over {MOST_SETS} sets may be frequent", "raise the minimum support"
                    )
                yield longer


def _check_share(what: str, share: float) -> None:
    if not 0 < share <= 1:
        raise QueryError(what, "the share is not above 0 and at most 1", "give a share such as 0.1")
