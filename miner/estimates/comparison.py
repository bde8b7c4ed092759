"""Frequency of a condition within a subgroup, and the difference between two subgroups, with intervals.

A share among a subgroup is a ratio of two estimates, E and C to C (`miner.estimates.ratios.MeanRatio`). The interval of
a difference combines the distances to both shares' limits (Zou & Donner 2008), with the correlation of the shares,
because each disguised response has a signed weight in both subgroups.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import hypot, prod, sqrt

import numpy as np
import pandas as pd

from collector.disclosure.false_responses import asked_ends
from collector.errors import QueryError
from collector.survey.group import Group
from collector.survey.survey import Survey
from miner.arrays import Floats
from miner.estimates.estimate import FEWEST, Estimate, Range
from miner.estimates.ratios import ROUNDING, Difference, MeanRatio
from miner.json_values import JsonResult
from miner.responses.condition import ValueSets, event_of, read_condition
from miner.responses.distinct import alike
from miner.responses.responses import NOT_ASKED, Codes, Responses, SharedCodes
from miner.weights.events import Event, expanded
from miner.weights.weights import ProductWeights, touched

MOST_STATES = 2**12  # of a group, and of combinations of groups, that are written out


@dataclass(frozen=True)
class SubgroupDifference(JsonResult):
    """The frequency of a condition in two subgroups.

    Attributes:
        first: In the first subgroup; None if its estimated size is not above 0.
        second: In the second subgroup; None likewise.
        difference: The first minus the second; None unless both exist.
    """

    first: Estimate | None
    second: Estimate | None
    difference: Estimate | None

    def _repr_html_(self) -> str:
        rows = {name: part for name, part in self.as_json.items() if part is not None}
        columns = ["estimate", "standard_error", "interval", "n"]
        return str(pd.DataFrame.from_dict(rows, orient="index", columns=columns).to_html(na_rep="none"))


def difference(
    responses: Responses, condition: ValueSets | str, first: ValueSets | str, second: ValueSets | str
) -> SubgroupDifference:
    """The frequency of a condition in two subgroups, and the difference of the first minus the second.

    Args:
        responses: Disguised.
        condition: The condition as text, such as ``"distress = yes"``; or the values it admits for each question, from
            `miner.responses.condition.parse_condition`.
        first: Likewise, of the first subgroup.
        second: Likewise; the subgroups may overlap.

    In a split questionnaire, only respondents who were asked all questions named here are included.

    Raises:
        QueryError: If there are no responses, a condition does not fit the survey, or no respondent was asked all of
            its questions.
    """
    if not len(responses):
        raise QueryError("responses", "there are none to estimate from", "collect some first")
    condition, first, second = (read_condition(responses.survey, each) for each in (condition, first, second))
    names = {*condition, *first, *second}
    responses = responses.among_asked(names)
    examples, counts = alike(responses.codes[:, sorted(set(touched(responses.survey, names)))])
    different = responses.take(examples)  # one stands for all alike in what is asked here
    ratios = [_share(different, counts, condition, subgroup) for subgroup in (first, second)]
    shares = [None if ratio is None else ratio.estimate for ratio in ratios]
    if ratios[0] is None or ratios[1] is None:
        return SubgroupDifference(shares[0], shares[1], None)
    return SubgroupDifference(shares[0], shares[1], _difference(ratios[0], ratios[1]))


def between(
    first: Responses, second: Responses, condition: ValueSets | str, among: ValueSets | str | None = None
) -> SubgroupDifference:
    """The frequency of a condition in two waves, and the difference of the first minus the second.

    Args:
        first: Responses to one version.
        second: Responses to another, by other people: drawn anew, not the same ones asked again.
        condition: As for `difference`; read by the survey of each version.
        among: Condition of a subgroup; everybody if None.

    Raises:
        QueryError: As `difference` does.
    """
    ratios = []
    for wave in (first, second):
        if not len(wave):
            raise QueryError("responses", "there are none to estimate from", "collect some first")
        read, subgroup = (read_condition(wave.survey, each) for each in (condition, among or {}))
        asked = wave.among_asked({*read, *subgroup})
        ratios.append(_share(asked, np.ones(len(asked)), read, subgroup))
    one, other = ratios
    shares = [None if ratio is None else ratio.estimate for ratio in ratios]
    if one is None or other is None:
        return SubgroupDifference(shares[0], shares[1], None)
    value, n = one.estimate.estimate - other.estimate.estimate, one.n + other.n
    errors = one.estimate.standard_error, other.estimate.standard_error
    error = None if None in errors else hypot(*(each or 0.0 for each in errors))
    reach = _reach(one.estimate, other.estimate, 0.0) if error is not None else None
    interval = None if reach is None else (value - reach[0], value + reach[1])
    return SubgroupDifference(shares[0], shares[1], Difference(value, error, interval, n))


def share_within(weights: ProductWeights, counts: Floats, both: Event, subgroup: Event) -> MeanRatio | None:
    """The share of an event in a larger one; None if the larger one's estimated size is not above 0.

    Args:
        weights: Weights of responses of people who were asked all questions of both.
        counts: Shape (responses,): how many there are of each.
        both: The event, which is part of the larger one.
        subgroup: The larger one.
    """
    survey, events = weights.survey, (both, subgroup)
    terms = np.stack([weights.of(event) for event in events], axis=1)
    if counts @ terms[:, 1] <= ROUNDING * counts.sum():
        return None
    seen, ranges = np.unique(terms, axis=0), [weights.range(event) for event in events]
    possible = _possible(survey, events)
    shared = any(
        isinstance(some, SharedCodes)
        for event in events
        for _, term in expanded(survey, event)
        for some in term.values()
    )
    ends = np.array(list(product(*ranges)), np.float64) if possible is None or shared else possible
    return MeanRatio(terms[:, 0], terms[:, 1], counts, seen if possible is None else possible, ends)


def _share(responses: Responses, counts: Floats, condition: ValueSets, subgroup: ValueSets) -> MeanRatio | None:
    """The share of a condition in a subgroup; None if the subgroup's estimated size is not above 0."""
    survey = responses.survey
    both = {**condition, **subgroup}
    both |= {name: condition[name] & subgroup[name] for name in condition.keys() & subgroup.keys()}
    return share_within(ProductWeights(responses), counts, event_of(survey, both), event_of(survey, subgroup))


def _difference(first: MeanRatio, second: MeanRatio) -> Estimate:
    one, other = first.estimate, second.estimate
    value, n = one.estimate - other.estimate, one.n
    if n < FEWEST:
        return Difference(value, None, None, n)
    gaps = first.influence - second.influence
    error = sqrt(first.covariance(gaps, gaps) / (n - 1))
    spreads = first.covariance(first.influence, first.influence) * second.covariance(second.influence, second.influence)
    together = first.covariance(first.influence, second.influence) / sqrt(spreads) if spreads > 0 else 0.0
    reach = _reach(one, other, together)
    return Difference(value, error, None if reach is None else (value - reach[0], value + reach[1]), n)


def _reach(one: Estimate, other: Estimate, correlation: float) -> Range | None:
    """Distances from a difference of two shares to the ends of its interval (Zou & Donner 2008); None without one."""
    if one.interval is None or other.interval is None:
        return None
    below = one.estimate - one.interval[0], other.interval[1] - other.estimate
    above = one.interval[1] - one.estimate, other.estimate - other.interval[0]
    return _joined(below, correlation), _joined(above, correlation)


def _joined(distances: Range, correlation: float) -> float:
    """Distance of a limit of a difference, from both shares' distances to the limits that make it extreme."""
    one, other = distances
    return sqrt(max(0.0, one**2 + other**2 - 2 * correlation * one * other))


def _possible(survey: Survey, events: Sequence[Event]) -> Floats | None:
    """Every combination of weights for these events that a response could have; None where they are too many."""
    terms = [expanded(survey, event) for event in events]
    if any(len(each) > 1 for each in terms):  # no product over groups
        return None
    events = [term for each in terms for _, term in each] if all(terms) else [*events]
    homes: dict[str, list[str]] = {}
    for name in {name for event in events for name in event}:
        group = survey.group_of(name)
        homes.setdefault(name if group is None else f"group {group.name}", []).append(name)
    found = np.ones((1, len(events)))
    for names in homes.values():
        if prod(len(survey.question(name).codes) for name in names) > MOST_STATES:
            return None
        found = np.unique((found[:, None] * _factors(survey, names, events)[None]).reshape(-1, len(events)), axis=0)
        if len(found) > MOST_STATES:
            return None
    return found


def _factors(survey: Survey, names: Sequence[str], events: Sequence[Event]) -> Floats:
    """Every combination of the weights that the answers to these questions, of one group, can have for the events."""
    columns = [survey.column(name) for name in names]
    states = np.array(list(product(*(survey.question(name).codes for name in names))), np.int16)
    codes: Codes = np.tile(np.array([question.codes[0] for question in survey.questions], np.int16), (len(states), 1))
    codes[:, columns] = states
    group, ends = survey.group_of(names[0]), [codes]
    if group is not None and group.channel.coin.varies:
        ends = [_asked_only(survey, codes, group, asked) for asked in asked_ends(survey, group, names)]
    weights = ProductWeights(Responses(survey, np.concatenate(ends)))
    parts = [{name: event[name] for name in names if name in event} for event in events]
    factors: Floats = np.unique(np.stack([weights.of(part) for part in parts], axis=1), axis=0)
    return factors


def _asked_only(survey: Survey, codes: Codes, group: Group, asked: Sequence[str]) -> Codes:
    """The responses as if only these questions of a group were asked."""
    others = [survey.questions.index(each) for each in survey.members(group) if each.name not in asked]
    fewer = codes.copy()
    fewer[:, others] = NOT_ASKED
    return fewer
