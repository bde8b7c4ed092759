"""The family of each question: those questions that are weighed together."""

from collections.abc import Iterable, Iterator

from collector.disclosure.accounting import fewest_asked
from collector.disclosure.family import Family
from collector.disclosure.truths import is_tied
from collector.survey.survey import Survey


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
