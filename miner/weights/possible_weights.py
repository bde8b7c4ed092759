"""List every combination of weights that a response could have for some events, to compute the ends of intervals."""

from collections.abc import Sequence
from itertools import product
from math import prod

import numpy as np

from collector.disclosure.false_responses import asked_ends
from collector.survey.group import Group
from collector.survey.survey import Survey
from miner.arrays import Floats
from miner.responses.responses import NOT_ASKED, Codes, Responses, SharedCodes
from miner.weights.events import Event, Events, each_of, expanded
from miner.weights.weights import ProductWeights

MOST_STATES = 2**12  # largest number of states of a group, and of combinations of groups, that are listed


def has_shared_codes(survey: Survey, events: Sequence[Events]) -> bool:
    """Return whether a code of any of the events stands for several values.

    Weights of codes that stand for several values may be fitted to the responses.
    """
    terms = [term for event in events for _, term in expanded(survey, event)]
    return any(isinstance(some, SharedCodes) for term in terms for some in term.values())


def possible_weights(survey: Survey, events: Sequence[Events]) -> Floats | None:
    """Return every combination of weights that a response could have for events, by published weights of codes.

    Returns:
        Weights, shape (combinations, events). No weights are returned if there are too many combinations, or an event
        is a signed sum of others.
    """
    single = [each_of(event) for event in events]
    terms = [expanded(survey, each) for some in single for each in some]
    if any(len(each) > 1 for each in terms):  # no product over groups
        return None
    parts = [term for each in terms for _, term in each] if all(terms) else [each for some in single for each in some]
    found = _of_parts(survey, parts)
    if found is None:
        return None
    begins = np.cumsum([0, *(len(some) for some in single[:-1])])
    sums: Floats = np.unique(np.add.reduceat(found, begins, axis=1), axis=0)
    return sums


def _of_parts(survey: Survey, events: Sequence[Event]) -> Floats | None:
    """Return every combination of weights for events that are products over groups, or None if there are too many."""
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
    """Return every combination of weights that one group's codes can have for events."""
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
    """Return the codes of responses as if only the given questions of a group were asked."""
    others = [survey.questions.index(each) for each in survey.members(group) if each.name not in asked]
    fewer = codes.copy()
    fewer[:, others] = NOT_ASKED
    return fewer
