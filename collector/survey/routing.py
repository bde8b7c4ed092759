"""Combinations of answers that a design allows: `ask_if` makes others certain or impossible (structural zeros).

A rule is a list of conditions, each a question and some of its values, of which at least one holds for every person.
"Asked if bullied = yes" makes two: bullied is yes, or `how` does not apply; it is not, or `how` does. Whoever declines
or skips a question with boxes to tick does so for all of its options.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from collector.survey.question import DECLINED, NOT_APPLICABLE, SKIPPED, Question
from collector.survey.screen import MULTIPLE, Screen

Rule = Mapping[int, frozenset[int]]
"""Positions of questions, with indices of values; at least one holds for each person."""
Sets = tuple[frozenset[int], ...]
"""For each question of a survey, values that are left."""


def rules_of(questions: Sequence[Question], screens: Sequence[Screen]) -> tuple[Rule, ...]:
    """The rules of a design, in the order of its screens; none where everybody is asked everything."""
    return tuple(rule for screen in screens for rule in _rules(questions, screen))


def _rules(questions: Sequence[Question], screen: Screen) -> Iterator[Rule]:
    place = {question.name: number for number, question in enumerate(questions)}

    def values(name: str, wanted: Sequence[str]) -> tuple[frozenset[int], frozenset[int]]:
        each = questions[place[name]].values
        met = frozenset(map(each.index, wanted))
        return met, frozenset(range(len(each))) - met

    parents: dict[int, frozenset[int]] = {}
    for name, wanted in screen.ask_if:
        met = values(name, wanted)[0]
        parents[place[name]] = parents.get(place[name], met) & met
    failing = {each: frozenset(range(len(questions[each].values))) - met for each, met in parents.items()}
    for name in screen.questions if parents else ():
        skipped, asked = values(name, [NOT_APPLICABLE])
        yield from ({parent: met, place[name]: skipped} for parent, met in parents.items())
        yield {**failing, place[name]: asked}
    for extra in (DECLINED, SKIPPED) if screen.kind == MULTIPLE and not screen.is_combined else ():
        if extra in questions[place[screen.questions[0]]].values:
            for one, other in pairwise((*screen.questions, screen.questions[0])):
                yield {place[one]: values(one, [extra])[0], place[other]: values(other, [extra])[1]}


def asked_if(questions: Sequence[Question], screens: Sequence[Screen], name: str) -> dict[str, frozenset[int]]:
    """The values, as indices, that other questions must have for one to be asked; the conditions of these too."""
    by_name = {question.name: question for question in questions}
    found: dict[str, frozenset[int]] = {}
    for parent, wanted in next((each.ask_if for each in screens if name in each.questions), ()):
        values = frozenset(map(by_name[parent].values.index, wanted))
        for each, some in {**asked_if(questions, screens, parent), parent: values}.items():
            found[each] = found.get(each, some) & some
    return found


def narrowed(rules: Sequence[Rule], sets: Sets) -> Sets | None:
    """The sets of values that remain where a rule leaves one of its conditions only (unit propagation).

    Returns:
        Sets within these, which hold every possible combination of them; None if there is none.
    """
    left, changed = list(sets), True
    while changed:
        changed = False
        for rule in rules:
            held = [each for each in rule if left[each] & rule[each]]
            if not held:
                return None
            if len(held) == 1 and not left[held[0]] <= rule[held[0]]:
                left[held[0]] &= rule[held[0]]
                changed = True
    return tuple(left)


def is_possible(rules: Sequence[Rule], sets: Sets) -> bool:
    """Whether some combination of values within these sets is allowed by all rules: exact, by search."""
    left = narrowed(rules, sets)
    if left is None:
        return False
    undecided = [rule for rule in rules if not any(left[each] <= values for each, values in rule.items())]
    return not undecided or any(is_possible(undecided, box) for box in _parted(undecided[0], left))


def states_of(rules: Sequence[Rule], sets: Sets, most: int) -> list[Sets]:
    """Every combination that the rules allow, as disjoint boxes: sets of values, one for each question.

    Args:
        rules: Rules of a survey.
        sets: All values of each question.
        most: Boxes; where they become more, the rules after that are left out.
    """
    boxes = [sets]
    for rule in rules:
        parted = [part for box in boxes for part in _parted(rule, box)]
        if len(parted) > most:
            break
        boxes = parted
    return boxes


def _parted(rule: Rule, box: Sets) -> Iterator[Sets]:
    """The part of a box where a rule holds, in disjoint boxes."""
    if any(box[each] <= values for each, values in rule.items()):
        yield box
        return
    for each, values in rule.items():
        inside, outside = box[each] & values, box[each] - values
        if inside:
            yield (*box[:each], inside, *box[each + 1 :])
        if not outside:
            return
        box = (*box[:each], outside, *box[each + 1 :])
