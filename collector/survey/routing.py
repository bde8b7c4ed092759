"""The combinations of answers that a design allows, given the conditions `ask_if` for asking questions.

A rule is a list of conditions, of which the answers of every person meet at least one. A condition is a question and
some of its values. For a question `how` that is asked only if bullied = yes, the rules are "bullied is yes, or `how`
does not apply" and "bullied is not yes, or `how` applies". A person who declines or skips a ``multiple`` question does
so for all its options.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from collector.errors import SurveyError
from collector.survey.question import DECLINED, NOT_APPLICABLE, SKIPPED, Question
from collector.survey.screen import MULTIPLE, Screen

Rule = Mapping[int, frozenset[int]]
"""Indices of values, by position of the question. At least one of these conditions holds for each person."""
Sets = tuple[frozenset[int], ...]
"""The values that remain possible, for each question of a survey."""
Box = Mapping[str, frozenset[int]]
"""Indices of the values that an answer may have, by name of the question."""
MOST_BOXES = 64
"""Largest number of boxes that decide whether a question is asked. Estimates sum over them."""
EVERYBODY: tuple[Box, ...] = ({},)


def rules_of(questions: Sequence[Question], screens: Sequence[Screen]) -> tuple[Rule, ...]:
    """Return the rules of a design, in the order of its screens; empty if everybody is asked everything."""
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


@dataclass(frozen=True)
class Routes:
    """The conditions under which each question of a design is asked.

    Attributes:
        questions: All questions, in survey order.
        screens: Screens of the survey. The condition of a screen names only questions on earlier screens.
    """

    questions: tuple[Question, ...]
    screens: tuple[Screen, ...]

    @cached_property
    def _conditions(self) -> Mapping[str, Mapping[str, frozenset[int]]]:
        by_name = {question.name: question for question in self.questions}
        found: dict[str, dict[str, frozenset[int]]] = {}
        for screen in self.screens:
            own: dict[str, frozenset[int]] = {}
            for parent, wanted in screen.ask_if:
                values = frozenset(map(by_name[parent].values.index, wanted))
                own[parent] = own.get(parent, values) & values
            found |= dict.fromkeys(screen.questions, own)
        return found

    def conditions(self, name: str) -> Mapping[str, frozenset[int]]:
        """Return the permitted positions of values of each question that decides whether a question is asked."""
        return self._conditions.get(name, {})

    def depends_on(self, name: str) -> tuple[str, ...]:
        """Return the questions, in survey order, whose answers decide whether a question is asked."""
        found, waiting = set[str](), [name]
        while waiting:
            new = self.conditions(waiting.pop()).keys() - found
            found |= new
            waiting += new
        return tuple(question.name for question in self.questions if question.name in found)

    def asked_if(self, name: str) -> tuple[Box, ...]:
        """Return the answers for which a question is asked, as disjoint sets of values by question.

        Raises:
            SurveyError: If the conditions of any question make more than `MOST_BOXES` boxes.
        """
        return self._boxes.get(name, EVERYBODY)

    @cached_property
    def _boxes(self) -> Mapping[str, tuple[Box, ...]]:
        found: dict[str, tuple[Box, ...]] = {}
        for question in self.questions:
            boxes = EVERYBODY
            for parent, wanted in self.conditions(question.name).items():
                boxes = _crossed(boxes, self._having(parent, wanted, found[parent]))
                if len(boxes) > MOST_BOXES:
                    raise _too_many(question.name)
            found[question.name] = boxes
        return found

    def _having(self, name: str, wanted: frozenset[int], asked: tuple[Box, ...]) -> tuple[Box, ...]:
        """Return the answers with one of the wanted values of a question, as disjoint sets of values by question."""
        question = self._by_name[name]
        given = frozenset(range(len(question.coding.owners)))
        if not question.coding.routed or wanted <= given:
            return _crossed(asked if question.coding.routed else EVERYBODY, ({name: wanted},))
        others: list[Box] = [{name: given - wanted}]
        for box in asked:  # not asked: outside each of these
            others = [part for other in others for part in self._outside(other, box)]
            if len(others) > MOST_BOXES:
                raise _too_many(name)
        return (*_crossed(({name: wanted & given},), EVERYBODY), *others)

    def _outside(self, box: Box, other: Box) -> Iterator[Box]:
        """Yield disjoint boxes (sets of values by question): the part of one box of answers outside another box."""
        for name, values in other.items():
            own = box.get(name, frozenset(range(len(self._by_name[name].coding.owners))))
            if own - values:
                yield {**box, name: own - values}
            if not own & values:
                return
            box = {**box, name: own & values}

    @cached_property
    def _by_name(self) -> Mapping[str, Question]:
        return {question.name: question for question in self.questions}


def _too_many(name: str) -> SurveyError:
    problem = f"more than {MOST_BOXES} combinations of answers decide who is asked"
    remedy = f'name fewer questions in its conditions, or in those of the questions that may be "{NOT_APPLICABLE}"'
    return SurveyError(f'question "{name}", ask_if', problem, remedy)


def _crossed(some: Sequence[Box], others: Sequence[Box]) -> tuple[Box, ...]:
    """Return the intersections of two lists of boxes (sets of values by question)."""
    pairs = (
        {each: one.get(each, values) & other.get(each, values) for each, values in {**one, **other}.items()}
        for one in some
        for other in others
    )
    return tuple(box for box in pairs if all(box.values()))


def narrowed(rules: Sequence[Rule], sets: Sets) -> Sets | None:
    """Return the values of each question that remain possible under the rules of a survey, by unit propagation.

    Returns:
        The values of each question in the combinations of answers that the rules allow, or None if no combination is
        allowed.
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
    """Return whether the rules allow any combination of the given possible values of each question."""
    left = narrowed(rules, sets)
    if left is None:
        return False
    undecided = [rule for rule in rules if not any(left[each] <= values for each, values in rule.items())]
    return not undecided or any(is_possible(undecided, box) for box in _parted(undecided[0], left))


def states_of(rules: Sequence[Rule], sets: Sets, most: int) -> list[Sets]:
    """Return every combination of answers that the rules allow, as disjoint boxes (sets of values by question).

    Args:
        rules: Rules of a survey.
        sets: All values of each question.
        most: Largest number of boxes; rules that would need more are ignored.
    """
    boxes = [sets]
    for rule in rules:
        parted = [part for box in boxes for part in _parted(rule, box)]
        if len(parted) > most:
            break
        boxes = parted
    return boxes


def _parted(rule: Rule, box: Sets) -> Iterator[Sets]:
    """Yield disjoint boxes (sets of values by question): the part of a box of answers that a rule allows."""
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
