"""Represent events: the codes of some questions that belong to the event, and the weight of each code."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from collector.errors import QueryError
from collector.survey.question import Question
from collector.survey.routing import Box
from collector.survey.survey import Survey
from miner.arrays import Floats
from miner.responses.responses import RoutedCodes, SharedCodes, codes_of_values

Event = Mapping[str, frozenset[int]]
"""Question names, each with the codes that belong to the event. A question that is not named may have any.

Take them from `miner.responses.responses.codes_of_values`: where codes stand for several values, they come with what
they count.
"""
Events = Event | Sequence[Event]
"""An event, or disjoint ones that are counted together: a condition in which ``or`` or ``not`` joins questions."""


def each_of(events: Events) -> tuple[Event, ...]:
    """Return one event or several disjoint events as a tuple."""
    return (events,) if isinstance(events, Mapping) else tuple(events)


def names_of(events: Events) -> list[str]:
    """Return the names of the questions of events, without repetition."""
    return list(dict.fromkeys(name for event in each_of(events) for name in event))


def expanded(survey: Survey, events: Events) -> list[tuple[int, Event]]:
    """Add the questions of conditions to events on questions whose codes may be drawn.

    Args:
        survey: Published survey.
        events: Events with any questions.

    Returns:
        Pairs of a sign (1 or -1) and an event. The signed weights of the returned events add up to the weight of the
        given events.
    """
    return [term for event in each_of(events) for term in _expanded(survey, event)]


def _expanded(survey: Survey, event: Event) -> list[tuple[int, Event]]:
    terms: list[tuple[int, Event]] = [(1, {})]
    for name, wanted in event.items():
        question = survey.question(name)
        if not isinstance(wanted, RoutedCodes):
            ways = [(1, {name: wanted})]
        else:
            codes, sign = (frozenset(question.codes) - wanted, -1) if wanted.unasked else (frozenset(wanted), 1)
            ways = [(1, {})] if wanted.unasked else []
            ways += [(sign, {**_codes_of(survey, box), name: codes}) for box in survey.routes.asked_if(name)]
        joint = [(one * two, _both(survey, left, right)) for one, left in terms for two, right in ways]
        terms = [(sign, term) for sign, term in joint if term is not None]
    return terms


def _codes_of(survey: Survey, box: Box) -> Event:
    """Return the codes of a box (a set of values for each question), whether answers are given or drawn."""
    found = {name: codes_of_values(survey.question(name), values) for name, values in box.items()}
    return {name: frozenset(codes) if isinstance(codes, RoutedCodes) else codes for name, codes in found.items()}


def _both(survey: Survey, one: Event, other: Event) -> Event | None:
    """Return the intersection of two events, or None if the events cannot hold at once."""
    found = {**one, **other}
    for name in one.keys() & other.keys():
        left, right = one[name], other[name]
        if isinstance(left, SharedCodes) and isinstance(right, SharedCodes):
            found[name] = codes_of_values(survey.question(name), left.values & right.values)
        else:
            found[name] = left & right
        if not found[name]:
            return None
    return None if any(not codes for codes in found.values()) else found


def with_conditions(survey: Survey, names: Iterable[str]) -> list[str]:
    """Add the condition questions of all questions whose codes may be drawn.

    Raises:
        QueryError: If a name is not a question.
    """
    names = list(names)
    routed = [name for name in names if survey.question(name).coding.routed]
    return list(dict.fromkeys([*names, *(each for name in routed for each in survey.routes.depends_on(name))]))


def membership(question: Question, wanted: frozenset[int]) -> Floats:
    """Return the weight of each true code for an event, as an array indexed by code.

    The code `NOT_ASKED` has weight 0.

    Raises:
        QueryError: If a number is not a code of the question.
    """
    if not wanted <= set(question.codes):
        problem = "the event contains a code that the question does not have"
        raise QueryError(f'question "{question.name}"', problem, "use only codes of this question")
    counts = np.zeros(question.codes[-1] + 2)
    if isinstance(wanted, SharedCodes):
        counts[list(wanted.reading)] = list(wanted.reading.values())
    else:
        counts[list(wanted)] = 1.0
    return counts
