"""The division of an epsilon among questions, and the choice of how many questions each person is asked.

In a design, either one coin covers all questions that a person is asked, or each question has a coin and an equal or
unequal share of epsilon.

The measure of a design is the mean of the measures of the tables that the survey estimates. If the aim is trees, each
table crosses one question with the target. Its measure is the second moment of a response's weight for a combination of
values, summed over the combinations, under even priors. If the aim is shares or pairs, the measure of a table of one or
two questions is its variance, divided by its variance if everybody gave undisguised answers.

Measures are floats that are rounded, so that every machine chooses the same design.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import exp, prod

from collector.allocation.best_coding import designs, plain_design
from collector.allocation.joint_plan import JointPlan, shape_moment
from collector.allocation.problem import TREES, Asked, Option, Problem

TOGETHER = (4, 3)  # numbers of questions per person, including the target, that allow to learn more than pairs
AFFORDABLE = 1.5  # largest ratio to the smallest measure at which more questions are asked
LEVEL = 1.1  # largest ratio to the smallest measure at which fewer questions are asked
SHARES = 16  # number of steps in which the target's share of an epsilon is tried
STEPS = 64  # number of steps in which half of an epsilon is divided unequally
Shares = tuple[tuple[str, Fraction], ...]
"""The epsilon of each disguised question, by name."""


def every_option(problem: Problem, asks: Sequence[int]) -> Iterator[Option]:
    """Yield every design for each number of questions that a person may be asked."""
    joint, separate = JointPlan(problem), SeparatePlan(problem)
    for ask in asks:
        measure, codings = joint.best(ask)
        yield Option("one coin", ask, (), measure, codings)
        even, unequal = separate.even(ask), separate.unequal(ask)
        yield Option("even", ask, even, separate.measure(ask, even))
        if unequal:
            yield Option("unequal", ask, unequal, separate.measure(ask, unequal))


class SeparatePlan:
    """Computation of the measure of designs in which each question has a coin."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem

    def measure(self, ask: int, shares: Shares) -> float:
        """Return the mean of the measures of all tables.

        Args:
            ask: Number of questions that a person is asked.
            shares: Epsilon of each disguised question, by name.
        """
        return _mean(self._separate_tables(ask, dict(shares)))

    def unequal(self, ask: int) -> Shares:
        """Return unequal shares of epsilon by question name, or an empty dictionary if they are not possible."""
        return self._dealt_out() if ask == len(self._problem.questions) else self._target_first(ask)

    def _separate_tables(self, ask: int, epsilons: Mapping[str, Fraction]) -> Iterator[float]:
        """Yield the measure of each table if each question has a coin."""
        return (self._separate_table(table, ask, epsilons) for table in self._problem.tables())

    def _separate_table(self, table: Sequence[Asked], ask: int, epsilons: Mapping[str, Fraction]) -> float:
        moments = (least_moment(each.values, epsilons[each.name]) for each in table if each.sensitive)
        return self._problem.taken(table, prod(moments, start=1.0), self._problem.probability(table, ask))

    def _most_disguised(self, ask: int) -> int:
        """Return the largest number of disguised questions that a person may be asked."""
        always = sum(each.always for each in self._problem.questions)
        drawn = sum(each.sensitive and not each.always for each in self._problem.questions)
        return sum(each.sensitive and each.always for each in self._problem.questions) + min(ask - always, drawn)

    def even(self, ask: int) -> Shares:
        """Return equal shares of epsilon for the disguised questions, given the number of questions asked."""
        share = self._problem.epsilon / self._most_disguised(ask)
        return tuple((each.name, share) for each in self._problem.questions if each.sensitive)

    def _target_first(self, ask: int) -> Shares:
        """Return the best of a few divisions with a larger share for the target and equal shares otherwise."""
        target = next((each for each in self._problem.questions if each.name == self._problem.target), None)
        others = self._most_disguised(ask) - 1
        if target is None or not (target.always and target.sensitive) or others < 1:
            return ()
        trials = []
        for step in range(1, SHARES):
            own = self._problem.epsilon * step / SHARES
            rest = (self._problem.epsilon - own) / others
            shares = {each.name: own if each is target else rest for each in self._problem.questions if each.sensitive}
            trials.append((_mean(self._separate_tables(ask, shares)), tuple(shares.items())))
        return min(trials)[1]

    def _dealt_out(self) -> Shares:
        """Return unequal shares of epsilon for a survey in which everybody is asked all questions.

        Half of epsilon is divided equally among the groups. The other half of epsilon is divided in small steps, each
        for the question that gains most.
        """
        every, step = len(self._problem.questions), self._problem.epsilon / 2 / STEPS
        shares = {name: share / 2 for name, share in self.even(every)}
        tables, taken = list(self._problem.tables()), [*self._separate_tables(every, shares)]
        places = {
            name: [place for place, table in enumerate(tables) if name in {each.name for each in table}]
            for name in shares
        }
        for _ in range(STEPS):
            gains = []
            for name, share in shares.items():
                tried, more = taken.copy(), {**shares, name: share + step}
                for place in places[name]:  # no other table changes
                    tried[place] = self._separate_table(tables[place], every, more)
                gains.append((_mean(tried), name, tried))
            _, best, taken = min(gains)
            shares[best] += step
        return tuple(shares.items())


def _mean(measures: Iterable[float]) -> float:
    found = list(measures)
    return float(f"{sum(found) / len(found):.9g}")


@lru_cache(maxsize=4096)
def least_moment(values: int, epsilon: Fraction) -> float:
    """Return the smallest second moment of the weights over all codings of a question with its own coin."""
    odds, shapes = exp(epsilon) - 1, _shapes(values)
    return min(shape_moment(values, share, common, odds) for share, common in shapes)


@lru_cache(maxsize=256)
def _shapes(values: int) -> list[tuple[float, float]]:
    return sorted({(float(each.share), float(each.common)) for each in (plain_design(values), *designs(values))})


def best_option(options: Sequence[Option], aim: str = TREES) -> Option:
    """Return the design with the smallest measure, or a preferred design whose measure is little larger.

    If the aim is trees, a design that asks enough questions together is preferred. If the aim is shares or pairs, the
    design that asks a person the fewest questions is preferred, because the measure understates the cost of questions
    with uneven priors.
    """
    least = min(options, key=lambda each: each.measure)
    for enough in TOGETHER if aim == TREES else ():
        together = [each for each in options if each.ask >= enough and each.measure <= least.measure * AFFORDABLE]
        if together:
            return min(together, key=lambda each: each.measure)
    level = [each for each in options if aim != TREES and each.measure <= least.measure * LEVEL]
    return min(level, key=lambda each: (each.ask, each.measure), default=least)
