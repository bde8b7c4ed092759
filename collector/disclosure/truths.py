"""The sets of answers to a survey that its screens allow, with their prior probabilities.

Questions of a screen that is not asked have the value ``not_applicable``. The priors treat answers to questions that
are asked as independent, within the combinations that a screen allows.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod

from collector.survey.question import DECLINED, NOT_APPLICABLE, SKIPPED, YES_NO, Question
from collector.survey.screen import Condition, Screen
from collector.survey.survey import Survey

Truth = tuple[int, ...]
"""The index of a value for each question of a family, in survey order."""
YES = YES_NO.index("yes")


class TooManySetsError(Exception):
    """An error that is raised if there are too many sets of answers to list."""


def ticks_allowed(survey: Survey, screen: Screen) -> tuple[int, ...]:
    """Return, ascending, how many options of a ``multiple`` question a person may tick."""
    return screen.ticks(survey.question(screen.questions[0]).values)


@dataclass(frozen=True)
class _Block:
    """A block: questions whose answers have a joint prior distribution.

    Attributes:
        questions: Questions in survey order.
        conditions: Conditions that must all be met for the questions to be asked.
        screen: Screen that allows only some combinations, or None if all combinations are allowed.
    """

    questions: tuple[Question, ...]
    conditions: tuple[Condition, ...]
    screen: Screen | None

    def answers(self, survey: Survey) -> list[tuple[Truth, Fraction]]:
        """Return the combinations of answers of people who are asked, with their probabilities."""
        shares = [_answering(question) for question in self.questions]
        if self.screen is None:
            return [(values, _chance(shares, values)) for values in product(*shares)]
        base = [{value: each[value] for value in each if value < len(YES_NO)} for each in shares]
        allowed = set(ticks_allowed(survey, self.screen))
        ticked = [each for each in product(*base) if sum(value == YES for value in each) in allowed]
        total = sum((_chance(base, each) for each in ticked), start=Fraction(0))
        first = self.questions[0]
        extras = [first.values.index(each) for each in (DECLINED, SKIPPED) if each in first.values]
        left = 1 - sum((shares[0][each] for each in extras), start=Fraction(0))
        found = [(each, _chance(base, each) / total * left) for each in ticked]
        return [*found, *(((each,) * len(self.questions), shares[0][each]) for each in extras)]

    def shares(self, survey: Survey) -> list[dict[int, Fraction]]:
        """Return the prior of each of the block's questions among people who are asked them."""
        shares = [_answering(question) for question in self.questions]
        if self.screen is None:
            return shares
        ticked = [each[YES] / (each[YES] + each[1 - YES]) for each in shares]
        allowed = set(ticks_allowed(survey, self.screen))
        found = []
        for at, tick in enumerate(ticked):
            others = _counts(ticked[:at] + ticked[at + 1 :])
            yes = tick * sum((share for count, share in enumerate(others) if count + 1 in allowed), start=Fraction(0))
            no = (1 - tick) * sum((share for count, share in enumerate(others) if count in allowed), start=Fraction(0))
            extras = {value: share for value, share in shares[0].items() if value >= len(YES_NO)}
            left = (1 - sum(extras.values())) / (yes + no)
            found.append({YES: yes * left, 1 - YES: no * left, **extras})
        return found

    def answers_of(self, survey: Survey, some: Sequence[Question]) -> Iterator[tuple[Truth, Fraction]]:
        """Yield the combinations of answers to some questions, with their probabilities for people who are asked."""
        shares = [_answering(question) for question in self.questions]
        if self.screen is None:
            own = [share for each, share in zip(self.questions, shares, strict=True) if each in some]
            yield from ((values, _chance(own, values)) for values in product(*own))
            return
        base = [{value: each[value] / (each[YES] + each[1 - YES]) for value in (YES, 1 - YES)} for each in shares]
        allowed = ticks_allowed(survey, self.screen)
        own = [share for each, share in zip(self.questions, base, strict=True) if each in some]
        counts = _counts([share[YES] for each, share in zip(self.questions, base, strict=True) if each not in some])
        extras = {value: share for value, share in shares[0].items() if value >= len(YES_NO)}
        ticked = {
            values: _chance(own, values)
            * sum(
                (share for count, share in enumerate(counts, values.count(YES)) if count in allowed), start=Fraction(0)
            )
            for values in product(*own)
        }
        left = (1 - sum(extras.values())) / sum(ticked.values(), start=Fraction(0))
        yield from ((values, share * left) for values, share in ticked.items() if share)
        yield from (((value,) * len(some), share) for value, share in extras.items())

    def unasked(self) -> Truth:
        """Return the values of the block's questions for people who are not asked them."""
        return tuple(question.values.index(NOT_APPLICABLE) for question in self.questions)


def _counts(chances: Sequence[Fraction]) -> list[Fraction]:
    """Return the distribution of the number of independent events that happen."""
    found = [Fraction(1)]
    for chance in chances:
        found = [
            one * (1 - chance) + other * chance
            for one, other in zip([*found, Fraction(0)], [Fraction(0), *found], strict=True)
        ]
    return found


def _answering(question: Question) -> dict[int, Fraction]:
    """Return the prior of each value of a question among the people who are asked the question."""
    asked = {place: share for place, share in enumerate(question.prior) if question.values[place] != NOT_APPLICABLE}
    total = sum(asked.values())
    return {place: share / total for place, share in asked.items()}


def _chance(shares: Sequence[Mapping[int, Fraction]], values: Truth) -> Fraction:
    return prod((each[value] for each, value in zip(shares, values, strict=True)), start=Fraction(1))


def truths(survey: Survey, questions: Sequence[Question], most: int) -> list[tuple[Truth, Fraction]]:
    """Return every set of answers that the screens allow, with its probability.

    Args:
        survey: Design of the survey.
        questions: Questions in survey order, including all questions on their screens and in their conditions.
        most: Largest number of sets to list.

    Raises:
        TooManySetsError: If there are more than `most` sets of answers.
    """
    place = {question.name: number for number, question in enumerate(questions)}
    found: list[tuple[Truth, Fraction]] = [((), Fraction(1))]
    for block in _blocks(survey, questions):
        if len(found) * prod(len(question.values) for question in block.questions if block.screen is None) > 8 * most:
            raise TooManySetsError
        answers, wider = (block.answers(survey) if 2 ** len(block.questions) <= most else None), []
        if answers is None:
            raise TooManySetsError
        wanted = [
            (place[name], {survey.question(name).values.index(each) for each in values})
            for name, values in block.conditions
        ]
        for truth, chance in found:
            if all(truth[at] in values for at, values in wanted):
                wider += [((*truth, *each), chance * share) for each, share in answers]
            else:
                wider.append(((*truth, *block.unasked()), chance))
            if len(wider) > most:
                raise TooManySetsError
        found = wider
    return found


def _blocks(survey: Survey, questions: Sequence[Question]) -> Iterator[_Block]:
    done: set[str] = set()
    for question in questions:
        if question.name in done:
            continue
        screen = survey.screen_of(question.name)
        conditions = () if screen is None else screen.ask_if
        members: tuple[Question, ...] = (question,)
        tied = screen if screen is not None and survey.is_tied(screen) else None
        if tied is not None:
            members = tuple(each for each in questions if each.name in tied.questions)
        done |= {each.name for each in members}
        yield _Block(members, conditions, tied)


def prior(survey: Survey, question: Question, most: int) -> tuple[Fraction, ...]:
    """Return the exact prior probability of each value of a question, given the combinations that the screens allow.

    Args:
        survey: Design of the survey.
        question: Question of the survey.
        most: Largest number of cases to keep in memory.

    Raises:
        TooManySetsError: If there are more than `most` cases to keep in memory.
    """
    screen = survey.screen_of(question.name)
    if screen is None or not (screen.ask_if or survey.is_tied(screen)):
        return question.prior
    *behind, own = _behind(survey, question)
    states: dict[frozenset[int], Fraction] = {frozenset(): Fraction(1)}
    for at, block in enumerate(behind):
        later = [(number, each) for number, each in enumerate((*behind, own)) if number > at]
        named = [
            each for each in block.questions if any(each.name == name for _, one in later for name, _ in one.conditions)
        ]
        unmet = {
            (each, value): frozenset(
                number
                for number, one in later
                for name, values in one.conditions
                if name == each.name and each.values[value] not in values
            )
            for each in named
            for value in range(len(each.values))
        }
        asked: dict[frozenset[int], Fraction] = defaultdict(Fraction)
        for values, share in block.answers_of(survey, named):
            asked[frozenset().union(*(unmet[pair] for pair in zip(named, values, strict=True)))] += share
        left_out = [(each, each.values.index(NOT_APPLICABLE)) for each in named if block.conditions]
        unasked = {frozenset[int]().union(*(unmet[pair] for pair in left_out)): Fraction(1)}
        wider: dict[frozenset[int], Fraction] = defaultdict(Fraction)
        for state, chance in states.items():
            for failed, share in (unasked if at in state else asked).items():
                wider[(state | failed) - {at}] += chance * share
        if len(wider) > most:
            raise TooManySetsError
        states = wider
    is_asked = sum((chance for state, chance in states.items() if len(behind) not in state), start=Fraction(0))
    shares = own.shares(survey)[own.questions.index(question)]
    found = [shares.get(value, Fraction(0)) * is_asked for value in range(len(question.values))]
    if own.conditions:
        found[question.values.index(NOT_APPLICABLE)] = 1 - is_asked
    return tuple(found)


def _behind(survey: Survey, question: Question) -> list[_Block]:
    """Return the blocks of questions that decide whether a question is asked, and then the block of the question."""
    names = {question.name, *survey.routes.depends_on(question.name)}
    names |= {name for screen in survey.screens if names & set(screen.questions) for name in screen.questions}
    questions = [each for each in survey.questions if each.name in names]
    block_of = {each.name: block for block in _blocks(survey, questions) for each in block.questions}
    own = block_of[question.name]
    order: list[_Block] = []
    waiting = [(own, iter(own.conditions))]
    while waiting:
        conditions = waiting[-1][1]
        parents = (block_of[name] for name, _ in conditions)
        parent = next((each for each in parents if each not in order), None)
        if parent is not None:
            waiting.append((parent, iter(parent.conditions)))
        else:
            order.append(waiting.pop()[0])
    return order
