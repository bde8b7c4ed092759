"""The family of each question, that is, the questions whose answers a response discloses together."""

from collections.abc import Collection, Iterable, Iterator
from fractions import Fraction

from collector.disclosure.accounting import draws_of
from collector.disclosure.family import ByValue, Family, Rise
from collector.disclosure.independent_answers import OfUnion
from collector.survey.question import NOT_APPLICABLE, Question
from collector.survey.survey import Survey

MOST_DRAWS = 1_000


def family_of(survey: Survey, name: str) -> Family:
    """Return the family of a question."""
    names = survey.together(name)
    return Family(survey, survey.in_order(names), draws_of(survey, names, MOST_DRAWS))


def families(survey: Survey, names: Iterable[str]) -> Iterator[Family]:
    """Yield the family of each named question: one object for all questions of a family."""
    made: dict[str, Family] = {}
    for name in names:
        if name not in made:
            family = family_of(survey, name)
            made |= dict.fromkeys((each.name for each in family.questions), family)
        yield made[name]


def secret_rises(family: Family, question: Question) -> ByValue:
    """Return how much responses of people who may have been asked a question can raise each value's probability."""
    rises = family.rises[question.name]
    if NOT_APPLICABLE not in question.values:
        return rises
    value = question.value_index(NOT_APPLICABLE)
    return (*rises[:value], secret_rise(family, question, {value}), *rises[value + 1 :])


def secret_rise(family: Family, question: Question, values: Collection[int]) -> Rise:
    """Return how much a response can raise the probability of values that undisguised answers leave uncertain.

    An undisguised gate is an undisguised question whose answer decides whether another question is asked. The answer to
    an undisguised gate can show that a question was not asked.
    """
    gates = family.survey.routes.depends_on(question.name)
    opened = {name for name in gates if family.survey.group_of(name) is None}
    before, after, code = family.rise(question, values)
    if not opened or not family.exact or question.values.index(NOT_APPLICABLE) not in values:
        return before, after, code
    if family.listed is not None:
        at = family.questions.index(question)
        places = [place for place, each in enumerate(family.questions) if each.name in opened]
        secrets = [each.secret(at, values, places) for each in family.listed]
        return before, *max(secrets, key=lambda each: each[0])
    return before, _free_secret(family, question, values), None


def _free_secret(family: Family, question: Question, values: Collection[int]) -> Fraction:
    """Return the largest posterior probability of some values, if undisguised answers leave the values uncertain."""
    boxes, _ = family.boxes_of(question, values)  # with which it is asked, and has another value
    (draw,) = family.telling(question)
    parts = list(family.parts_of(boxes, draw))
    left = {tuple(range(len(boxes)))}
    for group, (_, outcomes) in parts:
        if group is None:
            left = {tuple(box for box in some if chances[box]) for some in left for chances, _ in outcomes}
    largest = Fraction(0)
    for some in filter(None, left):
        rest = [
            (
                [events[box] for box in some],
                [(tuple(map(chances.__getitem__, some)), codes) for chances, codes in outcomes],
            )
            for group, (events, outcomes) in parts
            if group is not None
        ]
        union = OfUnion.of(rest, len(some))
        if union.before:
            largest = max(largest, 1 - union.least)
    return largest
