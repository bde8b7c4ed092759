"""The family of each question: those questions that are weighed together."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from fractions import Fraction

from collector.disclosure.accounting import fewest_asked
from collector.disclosure.family import ByValue, Family, Sent
from collector.disclosure.independent_answers import OfUnion
from collector.disclosure.truths import is_tied
from collector.survey.question import NOT_APPLICABLE, Question
from collector.survey.survey import Survey

Secret = tuple[Fraction, int | None]
"""The largest chance of a value, and the code of its question in such a response; None if not known."""


def family_of(survey: Survey, name: str) -> Family:
    """The family of a question, and what of it is sent in the draw of a split questionnaire that discloses most."""
    names = together(survey, name)
    group, sent = survey.group_of(name), set(names)
    for each in survey.groups:
        if each.channel.coin.varies and names & set(each.questions):
            kept = fewest_asked(survey, each, name if each == group else None)
            sent -= set(each.questions) - {question.name for question in kept}
    missing = sum(survey.may_miss(each) for each in sent - {name})
    room = None if survey.sampling is None else survey.sampling.ask - len({*survey.sampling.always, name})
    room = None if room is None or missing <= room else room
    return Family(survey, tuple(each for each in survey.questions if each.name in names), frozenset(sent), room)


def families(survey: Survey, names: Iterable[str]) -> Iterator[Family]:
    """The family of each question of these names; one for several questions where it is the same."""
    made: dict[tuple[tuple[str, ...], frozenset[str], int | None], Family] = {}
    for name in names:
        family = family_of(survey, name)
        yield made.setdefault((tuple(each.name for each in family.questions), family.sent, family.room), family)


def together(survey: Survey, name: str) -> set[str]:
    """The names of all questions that stand with this one in a group, on a tied screen or in a condition."""
    links: list[set[str]] = [set(group.questions) for group in survey.groups]
    for screen in survey.screens:
        if screen.ask_if:
            links.append({*screen.questions, *(parent for parent, _ in screen.ask_if)})
        elif is_tied(survey, screen):
            links.append(set(screen.questions))
    found, grown = {name}, True
    while grown:
        wider = found.union(*(link for link in links if link & found))
        grown = len(wider) > len(found)
        found = wider
    return found


def secret_rises(family: Family, question: Question) -> ByValue:
    """`Family.rises`, where for ``not_applicable`` those responses only count whose open gates do not say it already.

    An open gate is a question that decides who is asked, and whose answer is sent as it is: that a question is not
    asked is then known without any code that is disguised.
    """
    rises, gates = family.rises[question.name], family.survey.routes.depends_on(question.name)
    opened = {name for name in gates if family.survey.group_of(name) is None}
    if not opened or not family.exact or NOT_APPLICABLE not in question.values:
        return rises
    value = question.value_index(NOT_APPLICABLE)
    secret = _listed_secret(family, question, opened) or _free_secret(family, question)
    return (*rises[:value], (rises[value][0], *secret), *rises[value + 1 :])


def _listed_secret(family: Family, question: Question, opened: Collection[str]) -> Secret | None:
    if family.listed is None:
        return None
    at, value, joint = family.questions.index(question), question.value_index(NOT_APPLICABLE), family.listed[0]
    order = [place for _, places in family.groups for place in places]
    plain = [number for number, place in enumerate(order) if family.questions[place].name in opened]
    known: dict[Sent, list[int]] = defaultdict(lambda: [0, 0])  # with the value, and in all
    for sent, rows in joint.items():
        sums = known[tuple(sent[number] for number in plain)]
        sums[:] = sums[0] + rows[at][value], sums[1] + sum(rows[at])
    largest: Secret = (Fraction(0), None)
    for sent, rows in joint.items():
        part, total = known[tuple(sent[number] for number in plain)]
        after = Fraction(rows[at][value], sum(rows[at]))
        if part < total and after > largest[0]:
            largest = after, sent[order.index(at)] if at in order else None
    return largest


def _free_secret(family: Family, question: Question) -> Secret:
    """The largest chance that it is not asked, given each set of boxes that the open gates leave."""
    boxes, _ = family.boxes_of(question, {question.value_index(NOT_APPLICABLE)})  # with which it is asked
    parts = list(family.parts_of(boxes))
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
    return largest, None
